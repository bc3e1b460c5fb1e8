#!/bin/sh
# Claim: at most 48 bytes of state per distinct page under every policy, besides the page-number
# map.
# Baseline: a run of one access, whose peak is taken off the measured one.
#
# State is counted (state.c): per page, per frame, of which there is one to two pages here, and
# per access, where the future is kept. Measured is the peak resident set less the baseline's, by
# distinct page: with it come the page-number map (none for the format tide here, whose header says
# the range), the reader's buffers, and the bytes per access.
# usage: bench/memory.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
most=48

# peak TRACE POLICY NEAR, in KiB
peak()
{
	ours "$@" | cut -d ' ' -f 2
}

# per_page FORMAT POLICY
per_page()
{
	_full=$(peak "$(trace_file zipf "$1")" "$2" "$(near_pages 50)")
	_pages=$(number footprint_pages "$SCRATCH/run.json")
	_empty=$(peak "$(trace_file zipf "$1" 1 1)" "$2" 1)
	calc "($_full - $_empty) * 1024 / ${_pages:-$PAGES}" %.1f
}

cat <<TEXT

memory: at most $most bytes of state per distinct page, besides the page-number map
  baseline: a run of one access. zipf, $ACCESSES accesses over $PAGES pages, near 50%
  state: as counted; page and half a frame may have $most. measured: peak less the baseline's, by
  distinct page, with the page-number map, buffers and bytes per access in it

                   state, bytes per     |  measured, bytes per page
policy           page   frame  access         tide  oraclegeneral  at most $most
TEXT
"$BUILD/bench/state" >"$SCRATCH/state"
for policy in $POLICIES; do
	line=$(grep "^$policy " "$SCRATCH/state") || fail "no policy is called $policy"
	state=$(echo "$line" | cut -d ' ' -f 2)
	per_frame=$(echo "$line" | cut -d ' ' -f 3)
	per_access=$(echo "$line" | cut -d ' ' -f 4)
	tide_measured=$(per_page tide "$policy")
	other_measured=$(per_page oraclegeneral "$policy")
	met=$(calc "$state + $per_frame / 2 <= $most ? \"true\" : \"false\"" %s)
	record bench memory policy "$policy" state_bytes_per_page "$state" \
		state_bytes_per_frame "$per_frame" state_bytes_per_access "$per_access" \
		measured_bytes_per_page_tide "$tide_measured" \
		measured_bytes_per_page_oraclegeneral "$other_measured" target "$most" met "$met"
	printf '%-13s %7s %7s %7s %12s %14s  %s\n' "$policy" "$state" "$per_frame" "$per_access" \
		"$tide_measured" "$other_measured" "$([ "$met" = true ] && echo met || echo 'NOT met')"
done
