#!/bin/sh
# The example of a job array makes every run once, and makes none twice when some of its tasks are
# submitted again.
# usage: array.sh   (TIDE and TIDE_SOURCE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

mkdir bin
ln -s "$TIDE" bin/tide
PATH=$work/bin:$PATH

# task NUMBER: as Slurm starts it.
task()
{
	SLURM_ARRAY_TASK_ID=$1 RESULTS=r INPUT='{cyclic,zipf}:pages=200,accesses=2000' \
		sh "$TIDE_SOURCE/examples/sweep.sbatch" >"task.$1" || fail "task $1 failed"
}

last=$(sed -n 's/^#SBATCH --array=1-//p' "$TIDE_SOURCE/examples/sweep.sbatch")
for i in $(seq "$last"); do
	task "$i"
done
cat r/*.jsonl >all
[ "$(lines all)" -eq 24 ] || fail "there are $(lines all) results, not 2 x 3 x (3 + 1)"
[ "$(grep -o '"key":"[^"]*"' all | sort -u | wc -l)" -eq 24 ] || fail "some runs are there twice"
task 3
task 7
cat r/*.jsonl >again
cmp all again || fail "tasks that were done were made again"
