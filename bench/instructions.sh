#!/bin/sh
# Claim: a hit costs at most 200 instructions and a fault at most 500, reading the access from the
# trace included, under every policy made of lists: opt reads the trace twice, random walks a tree.
# Baseline: the same run cut short before the accesses that are counted.
#
# Counted by callgrind, so the same on every run. A cyclic trace goes once round (S accesses) and
# eleven times round (S + 200,000), and the difference of the two runs is free of the start, the
# end and the first touches. With all pages near, it is nothing but hits: the cost of a hit. With
# half of them near, h hits and f faults: what h such hits leave of the difference, by f, is the
# cost of a fault with its eviction. Reading is what is left of a hit when only the simulator's own
# function, td_sim_batch, is counted.
# usage: bench/instructions.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
round=20000
rounds=11
hit_most=200
fault_most=500

# count ROUNDS POLICY NEAR [OPTION]: "INSTRUCTIONS HITS FAULTS"
count()
{
	valgrind --tool=callgrind --callgrind-out-file="$SCRATCH/callgrind.out" ${4:+"$4"} "$TIDE" \
		sim --trace "$(trace_file cyclic tide $((round * $1)) $round)" --evict "$2" \
		--near "$3p" --page 4K --chunk 4K --prefetch none --json --progress=never \
		>"$SCRATCH/run.json" 2>"$SCRATCH/valgrind.log" ||
		fail "valgrind failed: see $SCRATCH/valgrind.log"
	echo "$(sed -n 's/^\(summary\|totals\): *//p' "$SCRATCH/callgrind.out" | head -n 1)" \
		"$(number hits "$SCRATCH/run.json") $(number faults "$SCRATCH/run.json")"
}

# hits POLICY [OPTION]: the two runs with all pages near.
hits()
{
	count 1 "$1" $round ${2:+"$2"}
	count $rounds "$1" $round ${2:+"$2"}
}

# solve, of the lines of hits and of two with half of the pages near: "PER_HIT PER_FAULT"
solve()
{
	awk '{ i[NR] = $1; h[NR] = $2; f[NR] = $3 }
	END {
		hit = (i[2] - i[1]) / (h[2] - h[1])
		hits = h[4] - h[3]; faults = f[4] - f[3]
		printf "%.1f", hit
		if (faults)
			printf " %.1f\n", (i[4] - i[3] - hits * hit) / faults
	}'
}

# one POLICY: a line of the table.
one()
{
	{
		hits "$1"
		count 1 "$1" $((round / 2))
		count $rounds "$1" $((round / 2))
	} >"$SCRATCH/counted"
	solved=$(solve <"$SCRATCH/counted")
	per_hit=${solved% *} per_fault=${solved#* }
	met=$(calc "$per_hit <= $hit_most && $per_fault <= $fault_most ? \"met\" : \"NOT met\"" %s)
	record bench instructions policy "$1" per_hit "$per_hit" per_fault "$per_fault" \
		verdict "$met"
	printf '%-13s %8s %10s  %s\n' "$1" "$per_hit" "$per_fault" "$met"
}

reading()
{
	_all=$(hits fifo | solve)
	_inside=$(hits fifo --toggle-collect=td_sim_batch | solve)
	calc "$_all - $_inside" %.1f
}

cat <<TEXT

instructions: at most $hit_most per hit and $fault_most per fault, reading the access included,
where policies are made of lists: opt reads the trace twice, random walks a tree
  baseline: the same run cut short. Callgrind on a cyclic trace of $round pages:
  hit = (I(all near, $rounds rounds) - I(all near, 1 round)) / hits
  fault = (I(half near, $rounds rounds) - I(half near, 1 round) - hits * hit) / faults

policy         per hit  per fault
TEXT
each_counted one
echo "of each, reading the access: $(reading)"
