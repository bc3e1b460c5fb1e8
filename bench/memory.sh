#!/bin/sh
# Claim: at most 48 bytes of state per distinct page under every reference policy, besides the
# page-number map. Those of the papers stand beside, without a claim.
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

# per_page FORMAT POLICY TRACE
per_page()
{
	_full=$(peak "$(trace_file "$3" "$1")" "$2" "$(near_pages 50)")
	_pages=$(number footprint_pages "$SCRATCH/run.json")
	_empty=$(peak "$(trace_file "$3" "$1" 1 1)" "$2" 1)
	calc "($_full - $_empty) * 1024 / ${_pages:-$PAGES}" %.1f
}

# one CLAIMED POLICY PAGE FRAME ACCESS NEEDS: a line of the table. oraclegeneral carries no refs.
one()
{
	_other=-
	if [ "$6" = refs ]; then
		_own=$(per_page tide "$2" zipf-refs)
	else
		_own=$(per_page tide "$2" zipf)
		_other=$(per_page oraclegeneral "$2" zipf)
	fi
	_state=$(calc "$3 + $4 / 2" %.1f) _met=-
	[ "$1" = no ] || _met=$(calc "$3 + $4 / 2 <= $most ? \"met\" : \"NOT met\"" %s)
	record bench memory policy "$2" state_bytes_per_page "$3" state_bytes_per_frame "$4" \
		state_bytes_per_access "$5" state_bytes "$_state" \
		measured_bytes_per_page_tide "$_own" \
		measured_bytes_per_page_oraclegeneral "$_other" target "$most" verdict "$_met"
	printf '%-13s %7s %7s %7s %7s %12s %14s  %s\n' "$2" "$3" "$4" "$5" "$_state" "$_own" \
		"$_other" "$_met"
}

cat <<TEXT

memory: at most $most bytes of state per distinct page, besides the page-number map, for the
reference policies
  baseline: a run of one access. zipf, $ACCESSES accesses over $PAGES pages, near 50%
  state: as counted; a page and half a frame, "both", may have $most. measured: peak less the
  baseline's, by distinct page, with the page-number map, buffers and bytes per access in it
  -: no claim, or no refs in the format

                   state, bytes per             |  measured, bytes per page
policy           page   frame  access    both         tide  oraclegeneral  at most $most
TEXT
"$BUILD/bench/state" >"$SCRATCH/state" || fail "cannot count the state of every policy"
for policy in $POLICIES; do
	line=$(grep "^$policy " "$SCRATCH/state") || fail "no policy is called $policy"
	# shellcheck disable=SC2086 # the fields of the line
	one yes $line
done
while read -r policy page frame access needs; do
	case " $POLICIES " in
	*" $policy "*) ;;
	*) one no "$policy" "$page" "$frame" "$access" "$needs" ;;
	esac
done <"$SCRATCH/state"
