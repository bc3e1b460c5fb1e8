#!/bin/sh
# One client through nbdkit, whose requests come in different threads: the simulator, fed with what the pool
# recorded, has the same hits, faults and write-backs as the pool's policy.
# usage: pool_record.sh
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"
need fio python3
fio --enghelp=nbd >/dev/null 2>&1 || {
	echo "skipped: this fio knows no nbd"
	exit 77
}

truncate -s 4M disk.img

# One request at a time; some are of several pages, or of parts of pages.
use()
{
	fio --name=use --ioengine=nbd --uri="$uri" --rw=randrw --rwmixread=70 --bssplit=4k/80:512/10:32k/10 \
		--random_distribution=zipf:0.9 --number_ios="$1" --size=4M --io_size=1G --iodepth=1 --randseed=7 \
		--norandommap --fallocate=none >fio.log 2>&1 || fail "fio failed: $(cat fio.log)"
}

simulate()
{
	"$TIDE" sim --trace "$1" --near 128p --page 4K --chunk 1p --prefetch none --evict "$2" --json >sim.json ||
		fail "tide sim failed"
	python3 -c 'import json, sys; c = json.load(open("sim.json"))["counts"]; print(*(c[n] for n in sys.argv[1:]))' \
		accesses hits faults writeback_pages
}

for evict in lru s3fifo arc lirs 2q sieve clock lfu; do
	rm -f trace.tide stats.json
	serve "$plugin" disk.img main=128p evict=$evict record=trace.tide stats=stats.json
	use 4000
	# Before nbdkit's flush at the end, which writes what the simulator keeps.
	ask_stats
	pool="$(figure accesses) $(figure hits) $(figure faults) $(figure writeback_pages)"
	stop || fail "nbdkit failed"
	sim=$(simulate trace.tide $evict)
	[ "$pool" = "$sim" ] || fail "$evict: the pool has $pool, the simulator $sim"
	echo "$evict: $pool"
done

# A file that cannot be made is said at the start; a policy's path is that of the folder nbdkit began in.
kit "$plugin" disk.img main=1M record=none/trace.tide 2>said && fail "a record in no folder was taken"
grep -q 'none/trace.tide' said || fail "record: $(cat said)"
kit "$plugin" disk.img main=1M evict=./none.so 2>said && fail "a policy that is not there was taken"
grep -qF "$work/./none.so" said || fail "evict: $(cat said)"
# Of records that were begun and not ended nothing stays: there is one per server.
for file in .* *; do
	case $file in
	. | .. | disk.img | fio.log | log | pid | said | sim.json | socket | stats.json | trace.tide) ;;
	*) fail "left behind: $file" ;;
	esac
done
