#!/bin/sh
# The benches in their short form: they end well, and every run left its line.
# The clock of processor time stands still (coarse.c), so that the verdict is the same on every
# machine, however fast it is and however finely it counts.
# usage: smoke.sh   (TIDE and TIDE_SOURCE from the environment)
set -eu
unset PEER PEER_MRC PEER_SHARDS REPEAT SHARES POLICIES COUNTED TRACES WORKLOADS
unset COST_SIZES COST_COUNTED COST_COUNTED_SIZES COST_LIMIT
unset TIDE_BENCH_DIR PROGRAMS RUN_OPTIONS RUN_LIMIT FILE_MIB NEAR_MIB READS SCAN_MIB PASSES
unset NBD_WHAT NBD_FOLDER NBD_MIB NBD_SECONDS NBD_IMAGE_MIB NBD_DIRTY_MIB NBD_KEYS DEDUP_FOLDER
# Swap is the machine's: other tests run beside this one.
RUN_KERNEL=no QUICK=1 LD_PRELOAD=$(dirname "$TIDE")/bench/libcoarse.so "$TIDE_SOURCE/bench/run.sh" "$TIDE"
results=$(dirname "$TIDE")/bench-quick.jsonl

! grep -E 'nan|inf[,} ]' "$results" || {
	echo "$results: a bench divides by a time of zero"
	exit 1
}

# expect COUNT PATTERN
expect()
{
	found=$(grep -c "$2" "$results") || true
	[ "$found" -eq "$1" ] || {
		echo "$results: $found lines with $2, not $1"
		exit 1
	}
}

# named ROLE: how many policies have it and need no clock.
named()
{
	"$TIDE" policies | awk -v role="$1" '
		NF == 0 { here = 0 }
		here && $2 !~ /clock/ { n++ }
		$1 == role { here = 1 }
		END { print n + 0 }'
}

# Fourteen policies, two traces, two formats.
expect 56 '^{"bench": "speed", .*"faults": [1-9][0-9]*, .*"peak_bytes": [1-9][0-9]*}$'
expect 14 '^{"bench": "memory", .*"verdict": "met"}$'
expect "$(named evict)" '^{"bench": "memory", .*"measured_bytes_per_page_tide": [0-9.]*, .*}$'
if command -v valgrind >/dev/null; then
	# fifo on two workloads.
	expect 2 '^{"bench": "cost-growth", .*"by": "instructions", "first": [1-9].*}$'
	expect 1 '^{"bench": "misses", "policy": "lru", "instructions": [1-9][0-9]*, "l1_misses": [0-9.]*, .*}$'
	expect 1 '^{"bench": "instructions", "policy": "lru", "per_hit": [0-9.]*, "per_fault": [0-9.]*, .*}$'
fi
# Two workloads, two sizes.
for role in evict prefetch place; do
	expect $(($(named $role) * 4)) \
		'^{"bench": "cost", .*"role": "'$role'", .*"ns_per_access": [0-9.]*, .*}$'
done
expect 5 '^{"bench": "mrc", .*"seconds_same_file": [0-9.]*, .*"peak_bytes": [1-9][0-9]*, .*}$'
expect 3 '^{"bench": "workloads", .*"accesses": [1-9][0-9]*, .*"own_bytes": [0-9]*, "verdict": "ok", .*}$'
expect 5 '^{"bench": "timed", .*"million_per_second": [0-9.]*, "peak_bytes": [1-9][0-9]*}$'
# Three page sizes, three mappings, random and in order; where the kernel lets us.
grep -q '"bench": "pager-faults", "skipped": true' "$results" || {
	expect 18 '^{"bench": "pager-faults", .*"faults": [1-9][0-9]*, .*"ratio": [0-9.]*, .*}$'
	expect 4 '^{"bench": "pager-hits", .*"ns_per_access": [0-9.]*, .*}$'
	expect 3 '^{"bench": "pager-scale", .*"metadata_bytes": [1-9][0-9]*, .*}$'
	for what in random sequential scan; do
		grep -q "\"bench\": \"pager-file\", \"what\": \"$what\", .*\"faults\": [1-9]" "$results" || {
			echo "$results: no line of pager-file about $what"
			exit 1
		}
	done
}
# Two programs.
grep -q '"bench": "pager-faults", "skipped": true' "$results" ||
	expect 2 '^{"bench": "run-kernel", .*"tide_seconds": [0-9.]*, .*"output": "equal"}$'
grep -q '"bench": "pool-nbd", "skipped": true' "$results" ||
	expect 5 '^{"bench": "pool-nbd", .*"tide_per_second": [0-9.]*, "ratio": [0-9.]*, .*}$'
grep -q '"bench": "pool-policies", "door": "library", "best"' "$results"
expect 3 '^{"bench": "pool-dedup", "dedup": "[a-z]*", "access_ns": [0-9]*, "over_off": [0-9.]*}$'
