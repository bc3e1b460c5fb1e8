#!/bin/sh
# Everything a program may do with its memory, see run_calls.c.
# usage: run-calls.sh PROGRAM MAPPING SERVICE
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

program=$1
mapping=$2
service=$3

# ends STATUS CASE [OPTIONS]
ends()
{
	wanted=$1
	name=$2
	shift 2
	tide run --near 4M --mapping "$mapping" --service "$service" --stats stats.json "$@" \
		-- "$program" "$name" >said 2>&1
	status=$?
	[ $status -eq "$wanted" ] || fail "$name ended with $status instead of $wanted: $(cat said)"
	was_paged 0
}

for name in heap parts remap advice any-order bus files alarms closing forks threads jumps cancels last \
	bus-jumps stacks library-forks early-forks direct sparse opening structures; do
	ends 0 $name
done
ends 0 closing --record closing.tide --log closing.log --storage far
tide trace info closing.tide >/dev/null || fail "the record was closed by its program"
tide run --near 4M --mapping "$mapping" --service "$service" -- "$program" closing <&- >said 2>&1 ||
	fail "without standard input: $(cat said)"
ends 0 waiting --chunk 4K
ends 0 library --threshold 4K
if [ "$mapping" = exact ] || [ "$mapping" = around ]; then
	ends 0 protect
	ends 0 guarded-forks
else
	ends 0 no-protect
	grep -q '^tide run: mprotect() of paged memory is refused ' said || fail "no word of a refusal"
fi
ends 0 no-forks --fork refuse
grep -q '^tide run: fork() is refused: ' said || fail "no word of a refusal"
ends 7 exit
ends 3 busy
ends 3 busy --record busy.tide
ends 4 in-malloc
for what in 'twice 5' 'quickly 6'; do
	ends "${what#* }" "${what% *}" --record end.tide
	tide trace info end.tide >/dev/null || fail "${what% *} has cut its record"
done
ends 143 signal
# Large pages: parts of them.
for name in heap advice files forks; do
	ends 0 $name --page 16K
done
ends 0 heap --host 2M --storage far
ends 0 threads --host 4M --host-kind lz4 --storage far
exit 0
