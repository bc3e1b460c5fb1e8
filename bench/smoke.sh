#!/bin/sh
# The benches in their short form: they end well, and every run left its line.
# usage: smoke.sh   (TIDE and TIDE_SOURCE from the environment)
set -eu
unset PEER REPEAT SHARES POLICIES COUNTED TRACES
QUICK=1 "$TIDE_SOURCE/bench/run.sh" "$TIDE"
results=$(dirname "$TIDE")/bench-quick.jsonl

# expect COUNT PATTERN
expect()
{
	found=$(grep -c "$2" "$results") || true
	[ "$found" -eq "$1" ] || {
		echo "$results: $found lines with $2, not $1"
		exit 1
	}
}

# Fourteen policies, two traces, two formats.
expect 56 '^{"bench": "speed", .*"faults": [1-9][0-9]*, .*"peak_bytes": [1-9][0-9]*}$'
expect 14 '^{"bench": "memory", .*"met": true}$'
if command -v valgrind >/dev/null; then
	expect 1 '^{"bench": "instructions", "policy": "lru", "per_hit": [0-9.]*, "per_fault": [0-9.]*, .*}$'
fi
