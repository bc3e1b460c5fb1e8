#!/bin/sh
# A line of a sweep is what its command prints, whatever else was in the sweep and how many runs
# went on at a time.
# usage: same.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

"$TIDE" trace generate --workload scanhot:accesses=6000 'a b.txt' >/dev/null
small()
{
	"$TIDE" sweep --trace 'a b.txt' --workload 'zipf:pages=500,accesses={2000,3000}' \
		--near '{20..80..30}%' --near 64p --policies 'mhpe:t1={16,32}+pattern' --evict opt \
		--evict random --prefetch none --seed '{1,2}' "$@"
}
small --jobs 1 >one.jsonl || fail "the sweep failed"
small --jobs 8 >many.jsonl || fail "the sweep failed with many jobs"
settled one.jsonl >a
settled many.jsonl >b
cmp a b || fail "the results depend on --jobs"
[ "$(lines one.jsonl)" -eq 96 ] || fail "there are $(lines one.jsonl) results, not 96"

small --dry-run | grep '^tide sim' >commands
[ "$(lines commands)" -eq 96 ] || fail "there are $(lines commands) commands, not 96"
tide()
{
	"$TIDE" "$@" --json
}
# Counts, in the order of the grid.
# shellcheck disable=SC1091 # a list of commands
. ./commands | tr -d ' \n' | grep -o '"counts":{[^}]*}' >a
grep -o '"counts":{[^}]*}' one.jsonl >b
cmp a b || fail "a run of a sweep is not the run of its command"
