#!/bin/sh
# Results of a policy out of a shared object are outdated when it was built anew, and those alone.
# usage: rebuilt.sh POLICY.so   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

cp "$1" mine.so || exit 1

# grid: two runs, one of them by a shared object.
grid()
{
	"$TIDE" sweep --workload cyclic:pages=100,rounds=3 --near 50% --preset cache \
		--evict '{lru,./mine.so}' -o r.jsonl
}

# expect TEXT: the last line of the summary.
expect()
{
	[ "$(tail -n 1 said)" = "2 runs: $1 failed; results in r.jsonl" ] || fail "it says: $(cat said)"
}

grid >said || fail "the sweep failed"
expect '2 done now, 0 before, 0'
grid >said
expect '0 done now, 2 before, 0'
echo >>mine.so # the same policy, and another file
grid >said
expect '1 done now, 1 before, 0'
grep -q '^1 to make again: outdated, a policy was built anew$' said || fail "it says: $(cat said)"
grid >said
expect '0 done now, 2 before, 0'

# So is one inside another policy, and one that failed.
tournament()
{
	"$TIDE" sweep --workload cyclic:pages=100,rounds=3 --near 50% --preset cache \
		--evict 'tournament:of=lru+./mine.so' -o t.jsonl >said 2>&1
}
tournament
echo >>mine.so
tournament
grep -q '^1 to make again: outdated' said || fail "inside a policy: $(cat said)"
