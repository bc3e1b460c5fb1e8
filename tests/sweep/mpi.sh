#!/bin/sh
# The processes of mpirun make the runs of a sweep at home, though one of them, mpirun itself and
# tide are killed in the middle.
# usage: mpi.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

if ! mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
	echo "skipped: no mpirun of Open MPI: apt-get install openmpi-bin"
	exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Loopback is enough, and no other program is to start processes elsewhere.
export OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader OMPI_MCA_oob=tcp OMPI_MCA_oob_tcp_if_include=lo
TMPDIR=$work
export TMPDIR

# 3 parts of 48 runs.
runs()
{
	sweep --seed '{5..12}' --output "$@"
}

by_mpi()
{
	runs "$work/r.jsonl" --mpi 3 --launch-args=--oversubscribe
}

# begin PART: a sweep that is halted in the middle of a part.
begin()
{
	for _ in $(seq 10); do
		by_mpi >summary 2>said &
		tide=$!
		catch "$1" 48 && return
		[ -z "$caught" ] || kill -CONT "$caught"
		wait $tide || fail "the sweep ends with status $?: $(cat said)"
		rm r.jsonl
	done
	fail "no process is halted in the middle: make the runs longer"
}

# same TEXT: the merged results are those of the sweep at home.
same()
{
	settled r.jsonl >b
	cmp a b || fail "$1, and the merged results are others"
	[ ! -e r.jsonl.parts ] || fail "$1, and parts are left: $(ls r.jsonl.parts)"
	rm r.jsonl
}

(runs whole.jsonl) >/dev/null || fail "the sweep failed"
settled whole.jsonl >a

# A process that is killed does not end the others. What it lacks is made by the next mpirun.
begin 2
kill -KILL "$caught"
wait $tide || fail "the sweep ends with status $?: $(cat said)"
grep -q '^tide sweep: process 1 of mpirun ended with [0-9]* runs of part 2 left' said ||
	fail "nothing is said of the killed process: $(cat said)"
same "a process was killed"

# mpirun ends with tide, and its processes with it.
begin 3
kill -KILL $tide
wait $tide 2>/dev/null
kill -CONT "$caught"
for _ in $(seq 600); do
	kill -0 "$caught" 2>/dev/null || break
	sleep 0.05
done
kill -0 "$caught" 2>/dev/null && fail "a process goes on without tide"
(by_mpi) >summary 2>said || fail "the sweep does not go on: $(cat said)"
same "tide was killed"

# What mpirun cannot do is said, and where.
(runs "$work/r.jsonl" --mpi 3 --launch-args=--nonsense) >summary 2>said
status=$?
[ $status -eq 1 ] || fail "an mpirun that fails gives the status $status"
grep -q '^tide sweep: 3 of 3 parts are given up, .*: see .*/r.jsonl.parts/[0-9]*.0.log' said ||
	fail "an mpirun that fails says: $(cat said)"
