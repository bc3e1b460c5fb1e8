#!/bin/sh
# A sweep killed again and again, at moments that differ from time to time, ends with the results
# of one that was left alone: none is missing, none is there twice, none is torn.
# usage: kill.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

(sweep -o whole.jsonl) >/dev/null || fail "the sweep failed"
[ "$(lines whole.jsonl)" -eq 48 ] || fail "there are $(lines whole.jsonl) results, not 48"

kills=0
partial=0
step=10
while [ $kills -lt 200 ]; do
	(sweep -o killed.jsonl --jobs 3) >summary 2>&1 &
	sleep "$((step / 1000)).$(printf '%03d' $((step % 1000)))"
	kill -KILL $! 2>/dev/null
	wait $!
	status=$?
	[ $status -eq 0 ] && break
	[ $status -eq 137 ] || fail "the sweep ends with $status: $(cat summary)"
	kills=$((kills + 1))
	step=$((step + 7 + kills % 5))
	# A slow machine gets to the end of a run, too.
	[ $kills -lt 40 ] || step=$((step + step / 8))
	[ -s killed.jsonl ] && partial=$((partial + 1))
	# What a kill in the middle of a write leaves.
	[ $kills -eq 3 ] && [ -s killed.jsonl ] && head -n 1 whole.jsonl | head -c 300 >>killed.jsonl
done
[ $kills -lt 200 ] || fail "200 kills, and never done: $(cat summary)"
[ $partial -ge 2 ] || fail "only $partial of $kills kills came in the middle: make the runs longer"
settled whole.jsonl >a
settled killed.jsonl >b
cmp a b || fail "after $kills kills the results are others"
