#!/bin/sh
# The shards of a sweep have every run once, whatever their number, and one file of all of them is
# that of the whole sweep. Two sweeps do not write one file at the same time.
# usage: shards.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

(sweep -o whole.jsonl) >/dev/null || fail "the sweep failed"
settled whole.jsonl >a
for i in 1 2 3; do
	(sweep --shard $i/3 -o "shard.$i.jsonl") >/dev/null || fail "shard $i failed"
	[ "$(lines "shard.$i.jsonl")" -eq 16 ] || fail "shard $i has $(lines "shard.$i.jsonl") runs"
done
settled shard.*.jsonl >b
cmp a b || fail "the shards are not the whole"

# More shards than runs: some have nothing to do.
for i in $(seq 50); do
	(sweep --shard "$i/50" --dry-run) || fail "shard $i/50 failed"
done >list
[ "$(grep -c '^tide sim' list)" -eq 48 ] || fail "50 shards have $(grep -c '^tide sim' list) runs"
[ "$(grep -c '^# 0 runs' list)" -eq 2 ] || fail "of 50 shards not two are empty"

# What is merged counts as done.
cat shard.*.jsonl >merged.jsonl
(sweep -o merged.jsonl) >summary || fail "the merged results are refused"
grep -q '^48 runs: 0 done now, 48 before' summary || fail "merged: $(cat summary)"

# The second writer is refused, and the first not disturbed. That one waits, in the middle, until
# the second has ended; where this shell looks away for long it may be done, and there is another.
for _ in $(seq 20); do
	rm -f two.jsonl
	sweep -o two.jsonl --jobs 1 >/dev/null 2>said &
	await_results two.jsonl
	kill -STOP $!
	[ "$(lines two.jsonl)" -eq 48 ] || break
	kill -CONT $!
	wait $!
done
(sweep -o two.jsonl) >/dev/null 2>said.second
status=$?
kill -CONT $!
wait $! || fail "the first of two writers failed: $(cat said)"
[ $status -eq 1 ] || fail "a second writer gets the status $status"
grep -q '^tide sweep: another sweep writes two.jsonl: ' said.second || fail "$(cat said.second)"
settled two.jsonl >b
cmp a b || fail "a second writer changed the results"
