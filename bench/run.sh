#!/bin/sh
# Every bench, or those named; README.md says what each of them claims and what can be set.
# usage: bench/run.sh TIDE [speed|memory|instructions|misses|cost|peer|mrc|workloads|timed|pager|pager-file|run-kernel|pool-nbd|pool-policies|pool-dedup]...
set -eu
[ $# -ge 1 ] || {
	echo "bench: no program: the usage is bench/run.sh TIDE [BENCH...]" >&2
	exit 2
}
TIDE=$1
shift
[ $# -gt 0 ] || set -- speed memory instructions misses cost peer mrc workloads timed pager pager-file run-kernel pool-nbd pool-policies pool-dedup
here=$(dirname "$0")
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$here/common.sh"

[ -x "$BUILD/bench/measure" ] || fail "$BUILD/bench/measure is missing: make build makes it"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "$("$TIDE" --version) on ${processor:-an unknown processor}, $(nproc) cores, $(uname -sr)"
: >"$RESULTS"
for bench in "$@"; do
	[ -f "$here/$bench.sh" ] ||
		fail "no bench is called $bench: there is speed, memory, instructions, misses, cost, peer, mrc, workloads, timed, pager, pager-file, run-kernel, pool-nbd, pool-policies, pool-dedup"
	"$here/$bench.sh" "$TIDE"
done
echo
echo "as JSON lines: $RESULTS"
