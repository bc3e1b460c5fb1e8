#!/bin/sh
# A program on the fake driver, without tide and under it: both must say and end the same. Where the
# program says its peak of device memory and the options give a budget, the budget must hold.
# usage: under.sh TIDE FOLDER-OF-THE-FAKE "OPTIONS OF TIDE RUN" PROGRAM [ARGUMENT...]
# SLACK (bytes) may go beyond the budget: what the driver is asked for besides the program's memory.
# DIFFERS: what sed does to the program's output alone, where tide is known to differ.
# With REFUSES set, tide may also refuse memory: the program ends with CUDA's error, and tide says it.
set -u
[ $# -ge 4 ] || { echo "usage: under.sh TIDE FAKE OPTIONS PROGRAM..." >&2; exit 2; }
tide=$1
fake=$2
options=$3
shift 3

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "$1 [seed ${FAKE_CUDA_SEED:-1}; tide run $options -- $command]" >&2
	echo "--- alone, status $alone:" >&2
	cat "$work/alone" "$work/alone.err" >&2
	echo "--- under tide, status ${under:-?}:" >&2
	cat "$work/under" "$work/under.err" >&2 2>/dev/null
	exit 1
}

# bytes SIZE: 64M as a number
bytes()
{
	n=${1%[KMGkmg]*}
	case $1 in
	*[Kk]*) echo $((n * 1024)) ;;
	*[Mm]*) echo $((n * 1048576)) ;;
	*[Gg]*) echo $((n * 1073741824)) ;;
	*) echo "$n" ;;
	esac
}

# budget OPTION...: what --gpu-near says
budget()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--gpu-near=*) bytes "${1#*=}" ;;
		--gpu-near) bytes "$2" ;;
		esac
		shift
	done
}

command=$*
alone=0
LD_LIBRARY_PATH=$fake timeout -k 5 "${LIMIT:-300}" "$@" >"$work/alone" 2>"$work/alone.err" || alone=$?
[ $alone -ne 77 ] || exit 77
[ $alone -ne 124 ] || fail "hangs without tide"

under=0
# shellcheck disable=SC2086 # the options are words
LD_LIBRARY_PATH=$fake timeout -k 5 "${LIMIT:-300}" "$tide" run $options -- "$@" \
	>"$work/under" 2>"$work/under.err" || under=$?
[ $under -ne 124 ] || fail "hangs under tide"
if [ -n "${REFUSES:-}" ] && [ $under -eq 1 ] && grep -q 'error 2$' "$work/under.err" &&
	grep -q 'tide run: the program asked for .* more than card and host' "$work/under.err"; then
	echo "refused"
	exit 0
fi
[ $under -eq $alone ] || fail "ends otherwise under tide"
sed "${DIFFERS:-}" "$work/alone" >"$work/wanted"
cmp -s "$work/wanted" "$work/under" || fail "says something else under tide"

# shellcheck disable=SC2086
near=$(budget $options)
peak=$(sed -n 's/^peak //p' "$work/under.err" | tail -1)
if [ -n "$near" ] && [ -n "$peak" ]; then
	[ "$peak" -le $((near + ${SLACK:-0})) ] || fail "used $peak bytes of the device, of $near"
fi
cat "$work/under"
echo "peak: alone $(sed -n 's/^peak //p' "$work/alone.err" | tail -1), under tide ${peak:-unsaid}, budget ${near:-none}"
