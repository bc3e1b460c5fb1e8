#!/bin/sh
# What was flushed is in the file, whenever the program is killed: at a handful of moments, with
# TIDE_LONG=1 at a hundred.
# usage: pool_kill.sh FOLDER-OF-THE-PROGRAMS
# shellcheck source=tests/live/pool_kill_help.sh
. "$(dirname "$0")/pool_kill_help.sh"

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

# killed WAIT DIRTY DEDUP BLOCK [EVICT]: some time after the first flush
killed()
{
	rm -f file
	truncate -s 3M file
	start "$programs/pool_kill" file "$3" "$4" "$2" ${5:+"$5"}
	is_direct
	kill_after "$1"
	"$programs/pool_kill_check" file "$(tail -n 1 rounds)" || fail "dedup $3 dirty $2 ${5:-}: flushed data is lost"
}

# shellcheck disable=SC2317 # called by at_moments
moment()
{
	dirty=$(($1 / 5 % 2 * 16))p
	case $(($1 % 5)) in
	0) killed "$2" $dirty off 4K ;;
	1) killed "$2" $dirty on 4K ;;
	2) killed "$2" $dirty on 512 ;;
	3) killed "$2" $dirty off 4K s3fifo ;;
	4) killed "$2" $dirty off 4K arc ;;
	esac
}

at_moments moment
