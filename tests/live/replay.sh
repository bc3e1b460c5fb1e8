#!/bin/sh
# The events of a live run, fed to the same policies in the simulator, give the identical decisions.
# usage: replay.sh REPLAY   (TIDE from the environment)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

replay=$1

# same THREADS LIVE-OPTIONS -- SIM-OPTIONS
same()
{
	live=
	threads=$1
	shift
	while [ "$1" != -- ]; do
		live="$live $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	attempt 60 "$replay" "$threads" record=rec.tide log=live.log $live
	[ "$status" -eq 0 ] || fail "$live: status $status: $(cat out error)"
	near=$(sed -n 's/.*"engine_pages": *\([0-9]*\).*/\1/p' out | head -n 1)
	"$TIDE" sim --trace rec.tide --near "${near}p" --log sim.log "$@" >sim.out 2>&1 ||
		fail "$live: $(cat sim.out)"
	[ "$(wc -l <live.log)" -gt 100 ] || fail "$live: only $(wc -l <live.log) decisions"
	cmp live.log sim.log || fail "$threads threads, $live: the decisions are others"
	echo "$threads threads, $live: $(wc -l <live.log) decisions"
}

for n in 1 4; do
	same "$n" evict=lrm prefetch=locality -- --evict lrm --prefetch locality
	same "$n" evict=mhpe prefetch=pattern -- --evict mhpe --prefetch pattern
	same "$n" evict=cp prefetch=tree -- --evict cp --prefetch tree
	same "$n" evict=tournament prefetch=rgp service=thread -- --evict tournament --prefetch rgp
	same "$n" evict=lrm prefetch=locality mapping=copy -- --evict lrm --prefetch locality
	same "$n" evict=clock prefetch=none place=reuse chunk=1p host=2M storage=far -- --evict clock \
		--prefetch none --place reuse --chunk 1p --host 512p
done
