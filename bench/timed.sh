#!/bin/sh
# Claim: at least 5 million timed accesses a second on a core for mvt, and memory that does not grow
# with the length of the run (hsd four times as long).
# usage: timed.sh TIDE
set -eu
TIDE=$1
here=$(dirname "$0")
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$here/common.sh"

# timed WORKLOAD EVICT PREFETCH MODEL: "SECONDS PEAK_KIB OWN_KIB", the median of REPEAT runs.
timed()
{
	: >"$SCRATCH/timed"
	for _i in $(seq "$REPEAT"); do
		measured "$SCRATCH/run.json" "$TIDE" sim --workload "$1" --near 75% --evict "$2" \
			--prefetch "$3" --model "$4" --json --progress=never >>"$SCRATCH/timed" ||
			fail "tide sim --workload $1 --evict $2 --model $4 failed"
	done
	median "$SCRATCH/timed"
}

# row WORKLOAD EVICT PREFETCH MODEL: prints it and leaves $rate and $peak.
row()
{
	# shellcheck disable=SC2046 # the words of the line
	set -- "$@" $(timed "$@")
	peak=$6
	accesses=$(number accesses "$SCRATCH/run.json" | tail -n 1)
	# What the run says of itself leaves out the pass that finds the footprint.
	rate=$(calc "per($accesses, $(number seconds "$SCRATCH/run.json")) / 1e6")
	printf '%-22s %-6s %-10s %-8s %12s %8s %10s\n' "$1" "$2" "$3" "$4" "$accesses" "$rate" "$peak"
	record bench timed workload "$1" evict "$2" prefetch "$3" model "$4" accesses "$accesses" \
		million_per_second "$rate" peak_bytes $((peak * 1024))
}

scale=1
[ "${QUICK:-}" = 1 ] && scale=0.02
echo
echo "timed: simulated accesses a second, one core"
printf '%-22s %-6s %-10s %-8s %12s %8s %10s\n' workload evict prefetch model accesses M/s KiB
row "mvt:scale=$scale" lrm locality cppe
first=$rate
row "mvt:scale=$scale" mhpe pattern cppe
row "mvt:scale=$scale" lrm tree h200
row "hsd:scale=$scale,iters=2" lrm locality cppe
short=$peak
row "hsd:scale=$scale,iters=8" lrm locality cppe
verdict=$(calc "($first >= 5)" %d)
grows=$(calc "($peak > $short * 1.1)" %d)
echo "mvt: $first million a second, at least 5: $([ "$verdict" = 1 ] && echo met || echo missed)"
echo "memory, four times the length: $short KiB, then $peak KiB:" \
	"$([ "$grows" = 0 ] && echo met || echo missed)"
