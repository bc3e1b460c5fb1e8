#!/bin/sh
# What was flushed is on storage, whenever power fails: at a handful of moments, with TIDE_LONG=1 at a hundred.
# usage: pool_power.sh FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

programs=$1
moments=10
[ -z "${TIDE_LONG:-}" ] || moments=100

# cut SEED WAIT DEDUP DIRTY [EVICT]: some time after the first flush
cut_power()
{
	rm -f file durable pending0 pending1
	truncate -s 3M file durable
	: >rounds
	POWER_FILE=$work/file POOL_INJECT=sync LD_PRELOAD="$programs/pool_power.so" \
		"$programs/pool_kill" file "$3" 4K "$4" ${5:+"$5"} >rounds 2>error &
	id=$!
	tries=0
	while ! [ -s rounds ]; do
		kill -0 $id 2>/dev/null || fail "it ended by itself: $(cat error)"
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || fail "hangs: $(cat error)"
		sleep 0.05
	done
	sleep "$2"
	kill -KILL $id
	wait $id
	[ $? -eq 137 ] || fail "it ended by itself: $(cat error)"
	[ -e pending0 ] || fail "no write was seen"
	"$programs/pool_power_cut" "$1" || fail "power cannot be cut"
	"$programs/pool_kill_check" durable "$(tail -n 1 rounds)" || fail "dedup $3 dirty $4 ${5:-}: flushed data is lost"
}

i=0
while [ $i -lt $moments ]; do
	wait=0.$(printf %03d $((i * 37 % 300)))
	case $((i % 5)) in
	0) cut_power $i "$wait" off 16p ;;
	1) cut_power $i "$wait" on 16p ;;
	2) cut_power $i "$wait" off 16p s3fifo ;;
	3) cut_power $i "$wait" off 16p arc ;;
	4) cut_power $i "$wait" off 0 ;;
	esac
	i=$((i + 1))
done
