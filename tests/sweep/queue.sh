#!/bin/sh
# What a queue says and what jobs leave behind may be anything. sbatch and squeue are scripts here, so
# this needs no Slurm: a job has ended when sbatch ends.
# usage: queue.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

mkdir bin
cat >bin/sbatch <<-'END'
	#!/bin/sh
	cat >script
	echo "$@" >>words
	[ ! -e refuse ] || { echo 'sbatch: error: no partition' >&2; exit 1; }
	job=$(wc -l <words)
	list=$(echo "$@" | sed 's/.*--array=\([0-9,-]*\).*/\1/' | tr , '\n')
	for range in $list; do
		for task in $(seq "${range%-*}" "${range#*-}"); do
			SLURM_ARRAY_JOB_ID=$job SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=2 sh script
		done
	done >log 2>&1
	cat answer 2>/dev/null || echo "$job;cluster"
END
cat >bin/squeue <<-'END'
	#!/bin/sh
	[ ! -e down ] || { echo 'squeue: error: no controller' >&2; exit 1; }
	cat queue 2>/dev/null
	exit 0
END
chmod +x bin/*
PATH=$work/bin:$PATH

by_queue()
{
	rm -f words
	(sweep --output r.jsonl --slurm "$@") >summary 2>said
	status=$?
}

# refused STATUS TEXT: the sweep ended so, and said so.
refused()
{
	[ "$status" -eq "$1" ] || fail "the status is $status, not $1: $(cat said)"
	grep -q "^tide sweep: $2" said || fail "the sweep says: $(cat said)"
}

(sweep -o whole.jsonl) >/dev/null || fail "the sweep failed"
settled whole.jsonl >a

# Nothing works from the start: it is said at once, and nothing is left.
: >down
by_queue 3
refused 1 'squeue failed (squeue: error: no controller): '
rm down
: >refuse
by_queue 3
refused 1 'sbatch failed (sbatch: error: no partition): '
rm refuse
[ ! -e r.jsonl.parts ] || fail "an empty folder is left"

# Files of jobs of before: one that counts, twice; a cut one; zeros; no results; names that are not ours.
mkdir r.jsonl.parts
{
	head -n 2 whole.jsonl
	head -n 1 whole.jsonl
	head -c 3000 /dev/zero
	echo
	echo '{"tide":"0.0.1","key":"00000000000000000000000000000000","counts":{}}'
	echo '[]'
	tail -n 1 whole.jsonl | head -c 100
} >r.jsonl.parts/90.1.jsonl
tail -n 1 whole.jsonl >r.jsonl.parts/91.77777777777777777777.jsonl
tail -n 1 whole.jsonl >r.jsonl.parts/mine.jsonl
printf '%s\n' '' ' ' 'a b c d' '1 0 R tide-0-3' "$(head -c 5000 /dev/zero | tr '\0' x)" \
	'18446744073709551616 1 R tide-' '1 2 R' '-1 -1 PD other' >queue
by_queue 3 --launch-args='-p  long '
[ "$status" -eq 0 ] || fail "the sweep fails: $(cat said log)"
settled r.jsonl >b
cmp a b || fail "the merged results are others"
grep -q '^48 runs: 48 done now, 0 before' summary || fail "the sweep says: $(cat summary)"
grep -q -e '-p long --parsable .*--array=1-3 ' words || fail "sbatch gets: $(cat words)"
ls r.jsonl.parts >left
printf '%s\n' 91.77777777777777777777.jsonl mine.jsonl | cmp - left || fail "left are: $(cat left)"
rm -r r.jsonl.parts

# What is done is not begun again, and only what is lacking is.
by_queue 3
[ ! -e words ] || fail "jobs are begun for nothing"
head -n 40 whole.jsonl >r.jsonl
by_queue 48
settled r.jsonl >b
cmp a b || fail "the added results are others"
[ "$(cat r.jsonl.parts/* 2>/dev/null | wc -l)" -eq 0 ] || fail "parts are left"

# Jobs of this sweep in another number of parts.
name=$(sed 's/.*--job-name=\(tide-[0-9a-f]*\)-48.*/\1/' words)
echo "7 1 R $name-5" >queue
rm r.jsonl
by_queue 48
refused 1 "jobs of this sweep are in the queue, in 5 parts: .* scancel --name=$name-5\$"
rm queue

# An answer that is no number: the jobs may run, so nothing is done before squeue has been seen.
echo 'welcome!' >answer
by_queue 3
refused 1 'sbatch says welcome!'
rm answer
by_queue 3
[ "$status" -eq 0 ] || fail "the sweep does not go on: $(cat said)"
settled r.jsonl >b
cmp a b || fail "after a wrong answer the results are others"

# Jobs that never end, and tide is told to.
for part in 1 2 3; do
	echo "9 $part PD $name-3"
done >queue
rm -f r.jsonl words
sweep --output r.jsonl --slurm 3 --progress=always >summary 2>said &
for _ in $(seq 600); do
	grep -q '3 wait' said && break
	sleep 0.05
done
kill -TERM $!
wait $!
status=$?
[ $status -eq 143 ] || fail "SIGTERM gives the status $status"
grep -q "stopped by SIGTERM after 0 of 48 runs: its jobs go on.* scancel --name=$name-3\$" said ||
	fail "SIGTERM says: $(cat said)"
[ ! -e words ] || fail "jobs that wait are begun again"
rm queue

# Failed runs are results; they are made again when asked for.
some()
{
	rm -f words
	"$TIDE" sweep --workload cyclic:pages=200,accesses=2000 --near '{10,20}%' --evict '{lru,arc}' \
		--prefetch none --output f.jsonl --slurm 2 "$@" >summary 2>said
	status=$?
}
some
refused 1 '2 of 4 runs failed (.*): see "error" in f.jsonl, and try again with --retry'
some
refused 1 '2 of 4 runs failed before'
[ ! -e words ] || fail "failed runs are begun again"
some --retry
refused 1 '2 of 4 runs failed ('
[ "$(lines f.jsonl)" -eq 6 ] || fail "there are $(lines f.jsonl) lines, not 4 and 2 of the retry"
