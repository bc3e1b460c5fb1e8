#!/bin/sh
# What was flushed is in the file, whenever the program is killed: at a handful of moments, with
# TIDE_LONG=1 at a hundred.
# usage: pool_kill.sh FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

programs=$1
moments=10
[ -z "${TIDE_LONG:-}" ] || moments=100

# Direct I/O, where the file system has it: 040000 of the flags.
is_direct()
{
	dd if=file of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || return 0
	for _fd in "/proc/$id/fd"/*; do
		[ "$(readlink "$_fd")" != "$work/file" ] ||
			sed -n 's/^flags:.*\(.\)....$/\1/p' "/proc/$id/fdinfo/${_fd##*/}"
	done >flags
	grep -q '[4567]' flags || fail "no direct I/O: $(cat flags)"
}

# killed DEDUP BLOCK DIRTY WAIT [EVICT]: some time after the first flush
killed()
{
	rm -f file
	truncate -s 3M file
	: >rounds
	"$programs/pool_kill" file "$1" "$2" "$3" ${5:+"$5"} >rounds 2>error &
	id=$!
	tries=0
	while ! [ -s rounds ]; do
		kill -0 $id 2>/dev/null || fail "it ended by itself: $(cat error)"
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || fail "hangs: $(cat error)"
		sleep 0.05
	done
	is_direct
	sleep "$4"
	kill -KILL $id 2>/dev/null
	wait $id
	status=$?
	[ $status -eq 137 ] || fail "it ended by itself with $status: $(cat error)"
	"$programs/pool_kill_check" file "$(tail -n 1 rounds)" || fail "dedup $1 dirty $3 ${5:-}: flushed data is lost"
}

i=0
while [ $i -lt $moments ]; do
	wait=0.$(printf %03d $((i * 37 % 300)))
	dirty=$((i / 5 % 2 * 16))p
	case $((i % 5)) in
	0) killed off 4K "$dirty" "$wait" ;;
	1) killed on 4K "$dirty" "$wait" ;;
	2) killed on 512 "$dirty" "$wait" ;;
	3) killed off 4K "$dirty" "$wait" s3fifo ;;
	4) killed off 4K "$dirty" "$wait" arc ;;
	esac
	i=$((i + 1))
done
