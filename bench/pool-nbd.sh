#!/bin/sh
# Claim: hits of the pool's main memory through nbdkit are at least 80% as many a second as reads from
# nbdkit's own memory plugin.
# Baseline: nbdkit's memory plugin with the same bytes and the same fio job, in turns.
#
# From the environment: NBD_MIB (128: what is served), NBD_SECONDS (2: of each run), NBD_JOBS (1:
# connections). Needs nbdkit, fio with its nbd engine, and nbdcopy.
# usage: bench/pool-nbd.sh TIDE
set -eu
# shellcheck disable=SC2034 # for common.sh
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"

if [ "${QUICK:-}" = 1 ]; then
	: "${NBD_MIB:=16}" "${NBD_SECONDS:=0.3}"
	cases='randread:4k:16'
else
	cases='randread:4k:1 randread:4k:4 randread:4k:16 randread:64k:1 randread:64k:4 randread:64k:16'
fi
: "${NBD_MIB:=128}" "${NBD_SECONDS:=2}" "${NBD_JOBS:=1}"
plugin=$BUILD/nbdkit-tide-plugin.so
place=$(mktemp -d)
servers=

# shellcheck disable=SC2317 # called by the trap
clean()
{
	# shellcheck disable=SC2086 # one word per process
	[ -z "$servers" ] || kill $servers
	wait
	rm -rf "$place"
}
trap clean EXIT

skip()
{
	record bench pool-nbd skipped true
	echo "skipped: $1"
	exit 0
}

# ---- servers ----

uri()
{
	echo "nbd+unix:///?socket=$place/$1"
}

# serve NAME WORD...
serve()
{
	_name=$1
	shift
	nbdkit -f -U "$place/$_name" -P "$place/$_name.pid" "$@" &
	servers="$servers $!"
	until [ -s "$place/$_name.pid" ]; do
		kill -0 $! || fail "nbdkit $* does not run"
		sleep 0.1
	done
}

# ---- measurements ----

# rate NAME HOW SIZE DEPTH: requests a second.
rate()
{
	fio --name=job --ioengine=nbd --uri="$(uri "$1")" --rw="$2" --bs="$3" --iodepth="$4" \
		--numjobs="$NBD_JOBS" --thread --group_reporting --size="${NBD_MIB}M" --time_based \
		--runtime="$(calc "$NBD_SECONDS * 1000" %d)ms" --randrepeat=0 --minimal |
		awk -F ';' '/^3;/ { print $8 + $49 }'
}

# compare HOW SIZE DEPTH: the best of each, in turns.
compare()
{
	rm -f "$SCRATCH"/nbd.*
	for _ in $(seq "$REPEAT"); do
		for _name in memory tide; do
			rate "$_name" "$@" >>"$SCRATCH/nbd.$_name"
		done
	done
	_theirs=$(sort -rn "$SCRATCH/nbd.memory" | head -n 1)
	_ours=$(sort -rn "$SCRATCH/nbd.tide" | head -n 1)
	_ratio=$(calc "per($_ours, $_theirs)")
	_verdict=$(calc "($_ratio >= 0.8 ? \"met\" : \"NOT met\")" %s)
	printf '%-10s %6s %6s %10.0f %10.0f %6s %s\n' "$@" "$_theirs" "$_ours" "$_ratio" "$_verdict"
	record bench pool-nbd how "$1" size "$2" depth "$3" memory_per_second "$_theirs" \
		tide_per_second "$_ours" ratio "$_ratio" verdict "$_verdict"
}

cat <<TEXT

pool-nbd: hits of main memory through nbdkit, at least 80% of its memory plugin's reads
  baseline: nbdkit memory, the same bytes and fio job, in turns, best of $REPEAT of $NBD_SECONDS s
  $NBD_MIB MiB, $NBD_JOBS connections

TEXT
for program in nbdkit fio nbdcopy; do
	command -v "$program" >/dev/null || skip "no $program: make deps gets it"
done
[ -f "$plugin" ] || skip "no plugin of nbdkit: make deps gets what its build needs"
head -c "$((NBD_MIB << 20))" /dev/urandom >"$place/file"
serve memory memory "${NBD_MIB}M"
serve tide "$plugin" "$place/file" main="$((NBD_MIB * 2))M"
nbdcopy "$place/file" "$(uri memory)"
nbdcopy "$(uri tide)" null:
printf '%-10s %6s %6s %10s %10s %6s\n' requests bytes depth memory/s tide/s ratio
for case in $cases; do
	# shellcheck disable=SC2046 # how, size, depth
	compare $(echo "$case" | tr : ' ')
done
