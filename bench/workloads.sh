#!/bin/sh
# Claim: at least 20 million events a second and core for every application whose kernels are
# formulas of block and thread, and at most 64 MB of memory besides the data for all of them; every
# footprint is within 2% of the published one, and the one that is listed.
# Baseline: none.
#
# An event is an instruction of a warp, unmerged, and a page: that is how applications are sized. An
# access that is given stands for one or many of them: in exact mode for repetitions on a page, in
# wave mode for all warps that come to a page together and stay there. Both rates are shown
# (workloads.c counts the events); in exact mode the accesses alone reach the claim.
#
# A run generates all accesses of the default size and marks their pages; seconds are those of the
# processor, the best of REPEAT where that takes long enough to matter. Applications that compute on
# data keep it: their footprint is taken off the peak resident set.
# usage: bench/workloads.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
least=20 # million a second
most=64  # MB besides the data

if [ "${QUICK:-}" = 1 ]; then
	: "${WORKLOADS:=hot nw b+t}"
fi
: "${WORKLOADS:=$("$TIDE" workloads | awk 'NR > 1 && $2 != "pattern" { print $1 }')}"

# regular NAME: whether its kernels are formulas of block and thread. A small one tells.
regular()
{
	for _scale in 0.01 0.1 1; do
		"$TIDE" workloads "$1:scale=$_scale" --describe --json >"$SCRATCH/shape.json" \
			2>/dev/null && break
	done
	sed -n 's/^ *"regular": *\([a-z]*\).*/\1/p' "$SCRATCH/shape.json"
}

# text KEY FILE: of a JSON document of tide, what is in quotes.
text()
{
	sed -n "s/^ *\"$1\": *\"\(.*\)\".*/\1/p" "$2"
}

# once NAME: "RATE PEAK_KIB"; the document stays. Status 1 is a verdict, which is shown.
once()
{
	_taken=$(measured "$SCRATCH/measure.json" "$TIDE" workloads --measure "$1" --jobs 1 --json \
		--progress=never 2>"$SCRATCH/measure.err") || true
	[ -n "$(text verdict "$SCRATCH/measure.json")" ] || fail "$(cat "$SCRATCH/measure.err")"
	echo "$(number accesses_per_second "$SCRATCH/measure.json") $(echo "$_taken" | cut -d ' ' -f 2)"
}

# runs NAME: several of a short one.
runs()
{
	once "$1"
	[ "$(number accesses "$SCRATCH/measure.json")" -lt 10000000 ] || return 0
	for _ in $(seq 2 "$REPEAT"); do
		once "$1"
	done
}

cat <<TEXT

workloads: $least million events a second and core where kernels are formulas, $most MB besides the data
  baseline: none. Default sizes; processor seconds${PIN:+ on core $CORE}, best of $REPEAT where short
  memory: peak resident set; of applications that compute on data, less their footprint

name            regular      accesses      M/s  events M/s   MB  footprint              claims
TEXT
for name in $WORKLOADS; do
	is_regular=$(regular "$name")
	runs "$name" | sort -n -r >"$SCRATCH/samples.workloads"
	rate=$(head -n 1 "$SCRATCH/samples.workloads" | cut -d ' ' -f 1)
	peak=$(head -n 1 "$SCRATCH/samples.workloads" | cut -d ' ' -f 2)
	accesses=$(number accesses "$SCRATCH/measure.json")
	verdict=$(text verdict "$SCRATCH/measure.json")
	stands_for=0
	[ "$is_regular" = false ] || stands_for=$("$BUILD/bench/workloads" "$name" | cut -d ' ' -f 2)
	events=$(calc "per($rate * $stands_for, $accesses)" %.0f)
	data=0
	[ "$is_regular" = true ] || data=$(number touched_bytes "$SCRATCH/measure.json")
	own=$(calc "($peak * 1024 > $data ? $peak * 1024 - $data : 0)" %.0f)
	met=$(calc "(($events >= $least * 1e6 || \"$is_regular\" != \"true\") && $own <= $most * 1e6 && \
		\"$verdict\" == \"ok\") ? \"true\" : \"false\"" %s)
	record bench workloads workload "$name" regular "$is_regular" accesses "$accesses" \
		accesses_per_second "$rate" events_per_second "$events" peak_bytes "$((peak * 1024))" own_bytes "$own" \
		verdict "$verdict" target "$least" met "$met"
	printf '%-15s %-7s %13s %8s %11s %4s  %-22s %s\n' "$name" "$is_regular" "$accesses" \
		"$(calc "$rate / 1e6" %.1f)" \
		"$([ "$is_regular" = true ] && calc "$events / 1e6" %.0f || echo -)" "$(calc "$own / 1e6" %.0f)" "$verdict" \
		"$([ "$met" = true ] && echo met || echo 'NOT met')"
done
