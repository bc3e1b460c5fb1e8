#!/bin/sh
# What was flushed is on storage, whenever power fails: at a handful of moments, with TIDE_LONG=1 at a hundred.
# usage: pool_power.sh FOLDER-OF-THE-PROGRAMS
# shellcheck source=tests/live/pool_kill_help.sh
. "$(dirname "$0")/pool_kill_help.sh"

# cut_power SEED WAIT DEDUP DIRTY [EVICT]: some time after the first flush
cut_power()
{
	rm -f file durable pending0 pending1
	truncate -s 3M file durable
	start POWER_FILE="$work/file" POOL_INJECT=sync LD_PRELOAD="$programs/pool_power.so" \
		"$programs/pool_kill" file "$3" 4K "$4" ${5:+"$5"}
	kill_after "$2"
	[ -e pending0 ] || fail "no write was seen"
	"$programs/pool_power_cut" "$1" || fail "power cannot be cut"
	"$programs/pool_kill_check" durable "$(tail -n 1 rounds)" || fail "dedup $3 dirty $4 ${5:-}: flushed data is lost"
}

# shellcheck disable=SC2317 # called by at_moments
moment()
{
	case $(($1 % 5)) in
	0) cut_power "$@" off 16p ;;
	1) cut_power "$@" on 16p ;;
	2) cut_power "$@" off 16p s3fifo ;;
	3) cut_power "$@" off 16p arc ;;
	4) cut_power "$@" off 0 ;;
	esac
}

at_moments moment
