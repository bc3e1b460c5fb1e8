#!/bin/sh
# Claim: none; how often an access misses the cache, reading it from the trace included.
# Baseline: the same run of half the accesses, which is taken off: no start, no end, fewer first
# touches.
#
# Counted by cachegrind, for a processor with 32 KiB of L1 and 1 MiB behind it, so the same on every
# machine. Cachegrind knows no prefetches: these are the lines that are fetched, whether tide waits
# for them or not.
# usage: bench/misses.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
pages=$((PAGES / 5))
many=$((pages * 10))

# count ACCESSES POLICY: "INSTRUCTIONS L1_MISSES LAST_MISSES" of the data.
count()
{
	valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 \
		--LL=1048576,16,64 --cachegrind-out-file=/dev/null "$TIDE" sim \
		--trace "$(trace_file zipf tide "$1" $pages)" --evict "$2" --near $((pages / 10))p \
		--page 4K --chunk 4K --prefetch none --json --progress=never >"$SCRATCH/run.json" \
		2>"$SCRATCH/valgrind.log" || fail "valgrind failed: see $SCRATCH/valgrind.log"
	sed -n 's/,//g; s/^.*I *refs: *\([0-9]*\).*/\1/p; s/^.*D1 *misses: *\([0-9]*\).*/\1/p
		s/^.*LLd misses: *\([0-9]*\).*/\1/p' "$SCRATCH/valgrind.log" | paste -sd ' '
}

# one POLICY: a line of the table.
one()
{
	# shellcheck disable=SC2046 # the fields of both
	set -- "$1" $(count $((many / 2)) "$1") $(count $many "$1")
	per=$(calc "per($5 - $2, $many / 2)" %.0f)
	first=$(calc "per($6 - $3, $many / 2)") last=$(calc "per($7 - $4, $many / 2)")
	record bench misses policy "$1" instructions "$per" l1_misses "$first" last_misses "$last"
	printf '%-13s %12s %12s %12s\n' "$1" "$per" "$first" "$last"
}

cat <<TEXT

misses: of the data cache per access, zipf over $pages pages, 10% near, own format
  baseline: the same run of half the accesses. Cachegrind, 32 KiB and 1 MiB

policy        instructions    of 32 KiB     of 1 MiB
TEXT
each_counted one
