#!/bin/bash
# tide run and tide record as commands: statuses, refusals, figures, replay.
# usage: run-verb.sh PROGRAM   (run_calls)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"
program=$1

# says TEXT STATUS COMMAND...: on standard error, and ends so.
says()
{
	local wanted=$1 status=$2
	shift 2
	"$@" >out 2>said
	local got=$?
	grep -qF -e "$wanted" said || fail "$*: does not say '$wanted' but: $(cat said)"
	[ $got -eq "$status" ] || fail "$*: ended with $got instead of $status"
}

# The program's own words and status.
[ "$(echo in | tide run --near 4M cat 2>/dev/null)" = in ] || fail "no standard input or output"
says 'nothing was paged' 0 tide run --near 4M -- true
says 'nothing was paged' 5 tide run --near 4M sh -c 'exit 5'
says 'cut short' 143 tide run --near 4M -- "$program" signal

# A request to end comes to the program, however early; what nohup keeps away does not.
for after in 0 2 4 6 8 10 12 14 16 18 20; do
	tide run --near 4M -- sleep 5 2>/dev/null &
	sleep "0.0$(printf %02d "$after")"
	kill $!
	wait $!
	status=$?
	[ $status -eq 143 ] || fail "a request to end after $after ms was lost: $status"
done
# shellcheck disable=SC2016
(trap '' HUP && tide run --near 4M -- sh -c 'kill -HUP $$ $PPID; echo on' 2>/dev/null) >out
[ "$(cat out)" = on ] || fail "a program that ignored SIGHUP does not any more"

# The whole time, and what of it tide took; and chunks that are larger than the program needs.
says '  time    ' 0 tide run --near 4M --mapping exact --prefetch locality -- "$program" heap
grep -qE '^  time    [0-9.]+ s in all; stalled [0-9.]+% of it; evictions took [0-9.]+%$' said ||
	fail "no share of the time: $(cat said)"

# What cannot be run.
says 'no program no-such-program in the PATH' 1 tide run --near 4M no-such-program
says 'is no program' 1 tide run --near 4M ./no-such-program
says 'is neither a program nor a script' 1 tide run --near 4M "$(printf 'data' >data && chmod +x data && echo ./data)"
echo 'int main(void) { return 0; }' >plain.c
if "$CC" -static plain.c -o static 2>/dev/null; then
	says './static is linked statically' 1 tide run --near 4M ./static
	printf '#!./static\n' >script
	chmod +x script
	says './static is linked statically' 1 tide run --near 4M ./script
fi
if [ "$(id -u)" -eq 0 ]; then
	cp "$program" setuid && chown nobody setuid && chmod u+s setuid
	says './setuid is setuid' 1 tide run --near 4M ./setuid heap
fi
says 'no size of near memory' 2 tide run true
says 'a word is missing' 2 tide run --near 4M
says 'no evict policy nonsense' 2 tide run --near 4M --evict nonsense true
says '--threshold 1 is no size' 2 tide run --near 4M --threshold 1 true
says 'unknown value of --fork,' 2 tide run --near 4M --fork later true
says 'no file to write' 2 tide record --near 4M true
says '--gpu-near is of tide run' 2 tide record --near 4M -o out.tide --gpu-near 8G true

for option in --stats --log --record; do
	says '- would be the standard output of the program' 2 tide run --near 4M $option - true
done

# Files that cannot be written: before the program runs where that can be told, and in any case.
for option in --stats --log --record; do
	says 'cannot write nowhere/file: No such file' 1 tide run --near 4M $option nowhere/file touch ran
done
[ ! -e ran ] || fail "it ran, though its files could not be written"
says 'could not write its trace, log or set whole' 1 tide run --near 4M --log /dev/full -- "$program" heap
says 'could not write its trace, log or set whole' 1 tide record --near 4M -o /dev/full -- "$program" heap
says 'nothing was recorded' 1 tide record --near 4M -o none.tide -- true
# What cannot be written whole is not left behind: words of the command make it large.
many=$(printf '%0100000d' 1)
(
	trap '' XFSZ
	ulimit -f 128
	says 'cannot write torn.json' 1 tide run --near 4M --stats torn.json -- true "$many" "$many"
) || exit 1
[ ! -e torn.json ] || fail "a part of the statistics was left behind"

# Several processes, each with its figures, and the sum of them.
says 'run_calls (' 0 tide run --near 4M --stats stats.json -- sh -c "'$program' heap; '$program' parts"
[ "$(grep -c '"pid"' stats.json)" -eq 2 ] || fail "not two processes in stats.json"
[ "$(grep -c '"complete": true' stats.json)" -eq 2 ] || fail "not complete: $(cat stats.json)"
[ "$(sed -n 's/^ *"faults": *\([0-9]*\).*/\1/p' stats.json | awk '
	NR == 1 { sum = $1; next } { sum -= $1 } END { print sum }')" -eq 0 ] ||
	fail "the faults of all are not those of each"

# A large threshold leaves it alone.
says 'nothing was paged' 0 tide run --near 4M --threshold 1G -- "$program" parts

# The view.
says 'near   [' 0 tide run --near 4M --live --progress=always -- sh -c "'$program' heap; sleep 2"
says 'nothing was paged' 0 tide run --near 4M --live -- true

# What another policy could have changed: the replay has the same faults, and opt not more.
for options in '--evict fifo' '--evict cp' '--evict mhpe --prefetch pattern' '--prefetch none' \
	'--host 2M --storage far --place random'; do
	# shellcheck disable=SC2086
	says 'what another eviction policy could have changed' 0 tide run --near 4M --whatif $options -- "$program" heap
	grep -q ' replayed$' said && fail "$options: replayed with other faults: $(cat said)"
	awk '{ gsub(",", "") } $4 == "as" { run = $3 } $1 == "any" { any = $3 } END { exit !(any && any <= run) }' said ||
		fail "$options: $(cat said)"
done

# Replaying a record gives the identical decisions.
for options in '--evict lrm' '--evict cp --prefetch sequential' '--evict mhpe --prefetch pattern' \
	'--evict random --seed 7 --chunk 32K' '--host 2M --storage far --place random'; do
	rm -f live.log sim.log
	# shellcheck disable=SC2086
	tide record --out calls.tide --log live.log --near 4M $options -- "$program" heap 2>said ||
		fail "$options: $(cat said)"
	replay=$(sed -n 's/^  tide sim /tide sim --log sim.log /p' said)
	[ -n "$replay" ] || fail "$options: no command to replay it: $(cat said)"
	eval "$replay" >/dev/null || fail "$replay"
	[ -s live.log ] || fail "$options: nothing was decided"
	cmp live.log sim.log || fail "$options: other decisions in $replay"
done

# Nothing is left behind.
mkdir tmp
TMPDIR=$PWD/tmp tide run --near 4M --whatif -- "$program" heap 2>/dev/null
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
(cd tmp && TMPDIR=$PWD tide record -o signal.tide --near 4M -- "$program" signal 2>/dev/null)
[ -z "$(ls tmp)" ] || fail "left behind by one that was cut short: $(ls tmp)"
