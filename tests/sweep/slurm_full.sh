#!/bin/sh
# Where the disk of the results is full, jobs end, and what they have written counts. When there is
# room again, the sweep goes on by itself.
# usage: slurm_full.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/slurmd.sh
. "$(dirname "$0")/slurmd.sh"

mkdir small
mount -t tmpfs -o size=48k tmpfs small 2>/dev/null || skip "this machine mounts no file systems"
start_slurm
trap 'end_slurm; umount small; cd /; rm -rf "$work"' EXIT

(sweep -o whole.jsonl) >/dev/null || fail "the sweep failed"
[ "$(wc -c <whole.jsonl)" -gt 50000 ] || fail "the results fit into 48 KiB: make more runs"

sweep -o small/r.jsonl --slurm 2 >summary 2>said &
tide=$!
for _ in $(seq 600); do
	grep -q 'No space left on device' said && break
	kill -0 $tide 2>/dev/null || break
	sleep 0.1
done
grep -q 'No space left on device' said || fail "nothing is said of a full disk: $(cat said)"
mount -o remount,size=1m small || fail "the small disk does not grow"
wait $tide || fail "the sweep ends with status $?: $(cat said)"
settled whole.jsonl >a
settled small/r.jsonl >b
cmp a b || fail "the merged results are others"
[ ! -e small/r.jsonl.parts ] || fail "parts are left: $(ls small/r.jsonl.parts)"
