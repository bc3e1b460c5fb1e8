#!/bin/bash
# --whatif ranks no policy by what the pager saw under another.
# usage: run-whatif.sh PROGRAM   (run_kinds)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"
program=$1

# try POLICY: sets faults to what it has live, and best to the least that any could have.
try()
{
	tide run --near 12M --evict "$1" --whatif --stats stats.json -- "$program" phases 20 2>said ||
		fail "$(cat said)"
	faults=$(figure faults)
	best=$(awk '$1 == "any" { gsub(",", "", $3); print $3 }' said)
	[ "$best" -le "$faults" ] || fail "$1: at least '$best' of $faults: $(cat said)"
}

# A program that moves on to other memory. On what the pager saw under lrm, cp has the fewest faults. Live
# it has many more.
try cp
cp=$faults cp_best=$best
try lrm
[ "$cp" -gt $((faults * 5)) ] || fail "cp has $cp faults, lrm $faults: this program shows nothing"
grep -qE '^  (cp|fifo|tournament|mhpe) ' said && fail "ranked: $(cat said)"
grep -q 'not ranked' said || fail "$(cat said)"

# Whatever was recorded, nobody has fewer than opt.
{ [ "$cp_best" -le "$faults" ] && [ "$best" -le "$faults" ]; } || fail "$cp_best and $best of $faults"

# Memory that goes is of no more use, though other memory may get its numbers: opt has the first touches of
# 10 MiB that come 20 times, and of 10 MiB that stay, in chunks of 64 KiB.
tide run --near 12M --whatif --stats stats.json -- "$program" again 20 2>said || fail "$(cat said)"
best=$(awk '$1 == "any" { gsub(",", "", $3); print $3 }' said)
[ "$best" -le 3400 ] || fail "opt keeps memory that is gone: $(cat said)"
