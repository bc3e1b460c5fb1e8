#!/bin/sh
# A sweep that is asked to stop says how to go on, leaves whole lines, and ends by the signal.
# usage: stop.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

(sweep -o whole.jsonl) >/dev/null || fail "the sweep failed"

# stopped SIGNAL STATUS: waits for the first results, so that it stops in the middle. Where this
# shell looks away for long the sweep may be done, and there is another.
stopped()
{
	for _ in $(seq 20); do
		rm -f stopped.jsonl
		sweep -o stopped.jsonl --jobs 1 >summary 2>said &
		await_results stopped.jsonl
		kill "-$1" $!
		wait $!
		status=$?
		[ "$(lines stopped.jsonl)" -eq 48 ] || break
	done
	[ "$status" -eq "$2" ] || fail "SIG$1 gives the status $status, not $2: $(cat said)"
	grep -q "^tide sweep: stopped by SIG$1 after [0-9]* of 48 runs: the same command goes on" said ||
		fail "SIG$1 says: $(cat said)"
	[ "$(tail -c 1 stopped.jsonl)" = "" ] || fail "SIG$1 leaves a torn line"
	[ "$(lines stopped.jsonl)" -lt 48 ] || fail "SIG$1 came after the end: make the runs longer"
	(sweep -o stopped.jsonl) >/dev/null || fail "the sweep does not go on after SIG$1"
	settled whole.jsonl >a
	settled stopped.jsonl >b
	cmp a b || fail "after SIG$1 the results are others"
}

stopped TERM 143
stopped HUP 129

# A shell's background jobs ignore SIGINT, and so do their sweeps, unless told otherwise.
rm -f stopped.jsonl
env --default-signal=INT "$TIDE" sweep --workload zipf:accesses=1000000000 --near 50% \
	--functional -o stopped.jsonl 2>said &
# The sweep waits for its signals when it has blocked signal 2, and signal 1 unless that is ignored.
# fork() blocks all signals for a moment, which must not be taken for that.
until grep -q '^SigBlk:.*[23]$' "/proc/$!/status" || ! kill -0 $!; do
	sleep 0.01
done
kill -INT $!
wait $!
status=$?
[ $status -eq 130 ] || fail "SIGINT gives the status $status, not 130"
grep -q 'stopped by SIGINT after 0 of 1 runs' said || fail "SIGINT says: $(cat said)"
