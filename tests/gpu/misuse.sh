#!/bin/sh
# What a kernel that breaks a rule is told, on a GPU; skipped where there is none.
# usage: misuse.sh PROGRAM
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# says CASE STATUS TEXT
says()
{
	timeout 60 "$program" "$1" "$work/storage" >"$work/said"
	status=$?
	[ $status -ne 3 ] || { cat "$work/said"; exit 77; }
	if [ $status -ne "$2" ] || ! grep -qF -- "$3" "$work/said"; then
		echo "$1: wanted $2 and \"$3\"; got $status: $(cat "$work/said")"
		bad=1
	fi
}

program=$1
says right 0 ok
says diverged 1 'lanes 0000ffff called tide_write, and the others did not come within 2 s'
says early 1 'lanes 7fffffff called tide_write, and the others did not come within 2 s'
says tail 1 'called tide_write, and the others did not come within 2 s'
says mixed 1 'while others made another call'
says beyond 1 'lane 31 called tide_write for element 4096, which is beyond the end of the array'
says different 1 'lanes gave tide_cursor::write different elements'
says pins 1 'holds 3 pages at a call of tide_cursor::write, and the launch was told 2'
says stuck 1 'it runs on until this process ends'
says blocks 1 'blocks of 48 threads: give a multiple of 32'
exit $bad
