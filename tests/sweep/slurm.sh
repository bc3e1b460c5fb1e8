#!/bin/sh
# 2,000 runs by jobs of Slurm are those of a sweep at home: none is missing and none is there twice,
# though tide, two jobs and a node are killed in the middle.
# usage: slurm.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/slurmd.sh
. "$(dirname "$0")/slurmd.sh"

# 4 parts, since there are 4 nodes of a core: all are made at the same time.
runs()
{
	exec "$TIDE" sweep --workload '{zipf,uniform}:pages=1000,accesses=60000' --near '{25,75}%' \
		--chunk 4K --evict '{lru,sieve,lfu,arc}' --prefetch none --seed '{1..125}' \
		--output "$@"
}

by_slurm()
{
	runs "$work/r.jsonl" --slurm 4 --jobs 1 --launch-args='--time=10 --comment=test'
}

# tasks FORMAT: a line for each job of ours that waits or runs.
tasks()
{
	squeue --noheader --array --format="$1"
}

start_slurm
(runs whole.jsonl) >/dev/null || fail "the sweep failed"
[ "$(lines whole.jsonl)" -eq 2000 ] || fail "there are $(lines whole.jsonl) results, not 2,000"

halt_all()
{
	by_slurm >summary 2>said &
	tide=$!
	for part in 1 2 3 4; do
		catch "$part" 500 || return 1
		eval "process_$part=$caught"
	done
}

# Jobs outlive tide, and the same command finds them again.
tries=0
until halt_all; do
	tries=$((tries + 1))
	[ $tries -lt 5 ] || fail "not all jobs can be halted in the middle: $(cat said)"
	kill -KILL $tide 2>/dev/null
	wait $tide 2>/dev/null
	end_jobs
	rm -rf r.jsonl r.jsonl.parts
done
job=${file##*/}
job=${job%%.*}
kill -KILL $tide
wait $tide 2>/dev/null
before=$(tasks '%F %K' | sort)
by_slurm >summary 2>said &
tide=$!
sleep 1
[ "$(tasks '%F %K' | sort)" = "$before" ] || fail "jobs that ran were begun again: $(tasks '%F %K')"

# A process is killed, a job is cancelled, and a node is lost with all that runs on it.
kill -KILL "${process_1:?}"
scancel "${job}_2"
node=$(tasks '%K %N' | sed -n 's/^3 n//p')
parent=$(sed -n 's/^PPid:\t//p' "/proc/${process_3:?}/status")
kill -KILL "$(cat "slurm/node.$node")" "$parent" "$process_3"
# Slurm finds out by itself, in about 20 s.
[ -n "${TIDE_LONG-}" ] || scontrol update "nodename=n$node" state=down reason=killed
kill -CONT "${process_4:?}"

wait "$tide" || fail "the sweep ends with status $?: $(cat said)"
settled whole.jsonl >a
settled r.jsonl >b
cmp a b || fail "the merged results are others"
grep -q '^2,000 runs: 2,000 done now, 0 before, 0 failed; results in ' summary ||
	fail "the sweep says: $(cat summary)"
grep -q '^jobs that ended early, and whose parts were begun again: [3-9]$' summary ||
	fail "the sweep says: $(cat summary)"
grep -q "^tide sweep: job ${job}_1.* ended with [0-9]* runs of part 1 left" said ||
	fail "nothing is said of the killed process: $(cat said)"
[ ! -e r.jsonl.parts ] || fail "parts are left: $(ls r.jsonl.parts)"

(by_slurm) >summary || fail "a sweep that is done cannot be repeated"
grep -q '^2,000 runs: 0 done now, 2,000 before' summary || fail "repeated: $(cat summary)"
