#!/bin/sh
# Claim: a functional run of single pages does more than 10 million accesses a second under every
# policy but random (whose draw walks a tree), at any share of near memory, reading the trace from
# a file included.
# Baseline: none; peer.sh holds the same runs against another simulator.
#
# Seconds are those of the whole process, from its start to its end, the median of REPEAT; "run" is
# what the run says of itself. The trace is in the page cache after the first run.
# usage: bench/speed.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
least=10 # million a second

# report TRACE FORMAT POLICY NEAR BEST...
report()
{
	_rate=$(calc "per($ACCESSES, $5)" %.0f)
	record bench speed trace "$1" format "$2" policy "$3" near_pages "$4" accesses "$ACCESSES" \
		hits "$9" faults "${10}" seconds "$5" accesses_per_second "$_rate" run_seconds "$8" \
		peak_bytes "$(($6 * 1024))"
	[ $(($9 + ${10})) -eq "$ACCESSES" ] || fail "$1 $3: hits and faults are not $ACCESSES"
	[ "$(calc "$_rate < $least * 1e6" %d)" = 0 ] || echo "$3 ($1, $4 pages, $2)" >>"$SCRATCH/slow"
	printf ' %7s %7s %6s' "$(calc "$_rate / 1e6" %.1f)" \
		"$(calc "per($ACCESSES, $8) / 1e6" %.1f)" "$(mib "$6")"
}

faults()
{
	median "$SCRATCH/samples.$1" | cut -d ' ' -f 6
}

# one TRACE SHARE POLICY: both formats in turn, then a line of the table.
one()
{
	near=$(near_pages "$2")
	: >"$SCRATCH/samples.tide"
	: >"$SCRATCH/samples.oraclegeneral"
	for _ in $(seq "$REPEAT"); do
		for format in tide oraclegeneral; do
			ours "$(trace_file "$1" $format)" "$3" "$near" >>"$SCRATCH/samples.$format"
		done
	done
	[ "$(faults tide)" = "$(faults oraclegeneral)" ] ||
		fail "$1 $3 --near ${near}p: the formats give different counts"
	printf '%-7s %4s%% %-13s %6s%%' "$1" "$2" "$3" "$(calc "$(faults tide) * 100 / $ACCESSES")"
	for format in tide oraclegeneral; do
		# shellcheck disable=SC2046 # the fields of a sample
		report "$1" $format "$3" "$near" $(median "$SCRATCH/samples.$format")
	done
	echo
}

cat <<TEXT

speed: more than $least million accesses a second under every policy but random, reading included
  baseline: none. $ACCESSES accesses over $PAGES pages, chunks of one page, no prefetch
  M/s: million accesses a second of the whole process${PIN:+, on core $CORE}, median of $REPEAT
  run: the same as the run says itself

                                        tide            |   oraclegeneral
trace   near  policy         faults     M/s     run    MiB     M/s     run    MiB
TEXT
: >"$SCRATCH/slow"
for trace in $TRACES; do
	for share in $SHARES; do
		for policy in $POLICIES; do
			one "$trace" "$share" "$policy"
		done
	done
done
echo "$(wc -l <"$SCRATCH/slow") runs below $least million a second:" \
	"$(cut -d ' ' -f 1 "$SCRATCH/slow" | sort | uniq -c | awk '{ printf " %s (%d)", $2, $1 }')"
