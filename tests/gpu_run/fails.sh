#!/bin/sh
# Every call that tide makes of the driver fails: the first, the second, one in the middle and a late
# one, once with "out of memory" (2), or from there on as after a kernel's fault (700). The program
# calls some of these functions too, and gets some of the errors.
#
# With each, the program under tide
#   - says what it says without tide and without errors, and ends with 0, or
#   - ends with 1, and itself or tide names the error: a call that failed, or a budget that cannot be
#     kept, or
#   - is ended by a signal, but only where the same error at the same call ends it alone too.
# So a wrong result, a hang, or an end without a word is a failure of this test.
# usage: fails.sh TIDE FOLDER-OF-THE-FAKE LIST-OF-CALLS "OPTIONS OF TIDE RUN" PROGRAM [ARGUMENT...]
# ERRORS: which ones, "2 700" by default. ONLY: a pattern of functions.
set -u
tide=$1
list=$3
options=$4
LD_LIBRARY_PATH=$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
shift 4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
bad=0
runs=0

say_bad()
{
	echo "$1: tide run $options -- env FAKE_CUDA_FAIL=$fail $command: status $status" >&2
	head -n 5 "$work/out" "$work/err" >&2
	bad=$((bad + 1))
}

# Ends the program alone by the same signal?
dies_alone()
{
	alone=0
	FAKE_CUDA_FAIL=$fail timeout -k 5 60 "$@" >/dev/null 2>&1 || alone=$?
	[ $alone -eq $status ]
}

# one FUNCTION:N[+]:CODE PROGRAM...
one()
{
	fail=$1
	shift
	status=0
	runs=$((runs + 1))
	# shellcheck disable=SC2086 # the options are words
	timeout -k 5 60 "$tide" run $options -- env "FAKE_CUDA_FAIL=$fail" "$@" \
		>"$work/out" 2>"$work/err" || status=$?
	case $status in
	0) cmp -s "$work/want" "$work/out" || say_bad "wrong" ;;
	1) grep -Eq ': error [0-9]+$|GPU memory cannot be kept within' "$work/err" ||
		say_bad "no word" ;;
	124 | 137) say_bad "hangs" ;;
	*) dies_alone "$@" || say_bad "a signal" ;;
	esac
}

command=$*
"$@" >"$work/want" 2>"$work/err" || exit 1
# shellcheck disable=SC2086
"$tide" run $options -- env "FAKE_CUDA_COUNT=$work/counts" "$@" >"$work/out" 2>"$work/err" || exit 1
# shellcheck disable=SC2013 # they are words
for name in $(sed -n 's/^TD_CUDA(\([A-Za-z0-9_]*\),.*/\1/p' "$list" | grep -E "${ONLY:-.}"); do
	n=$(sed -n "s/^$name //p" "$work/counts")
	for at in $(printf '%s\n' 1 2 $((${n:-0} / 2)) $((${n:-0} * 9 / 10)) | sort -nu); do
		if [ "$at" -eq 0 ] || [ "$at" -gt "${n:-0}" ]; then
			continue
		fi
		for code in ${ERRORS:-2 700}; do
			[ "$code" -eq 700 ] && at=${at%+}+
			one "$name:$at:$code" "$@"
		done
	done
done
echo "$runs runs, $bad bad"
[ $bad -eq 0 ] && [ $runs -gt 0 ]
