#!/bin/sh
# Claim: for a scan beside a hot set, s3fifo or arc gives the pool at least 1.5 times the throughput of lru.
#
#   library  accesses a second of tide pool bench: a quarter of them scan the file, the others are to hot
#            pages that take 80% of main memory
#   nbdkit   requests a second of a client of such hot pages, while another one reads the file from end to end
#
# From the environment: POOL_FOLDER (/var/tmp: on the storage to measure), POOL_MIB (32: of main memory),
# POOL_SECONDS (4: of each run of fio), POOL_KEYS (further keys of the plugin).
# usage: bench/pool-policies.sh TIDE
set -eu
# shellcheck disable=SC2034 # for common.sh
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"

accesses_per_page=16
if [ "${QUICK:-}" = 1 ]; then
	: "${POOL_MIB:=2}" "${POOL_SECONDS:=0.3}"
fi
: "${POOL_FOLDER:=/var/tmp}" "${POOL_MIB:=32}" "${POOL_SECONDS:=4}" "${POOL_KEYS:=}"
policies='lru s3fifo arc'
aim=1.5
pages=$((POOL_MIB * 256))
hot_kib=$((POOL_MIB * 1024 * 4 / 5))
plugin=$BUILD/nbdkit-tide-plugin.so
place=$(mktemp -d "$POOL_FOLDER/tide-bench.XXXXXX")
servers=

# shellcheck disable=SC2317 # called by the trap
clean()
{
	# shellcheck disable=SC2086 # one word per process
	[ -z "$servers" ] || kill $servers
	wait
	rm -rf "$place"
}
trap clean EXIT

# ---- measurements: per second ----

by_library()
{
	"$TIDE" pool bench --main "${POOL_MIB}M" --device 0 --working-set 8 --pattern scan:25 --evict "$1" \
		--accesses $((pages * accesses_per_page)) --warm $((pages * 6)) --folder "$POOL_FOLDER" --json |
		sed -n 's/^ *"accesses_per_second": \([0-9]*\).*/\1/p'
}

serve()
{
	# shellcheck disable=SC2086 # one word per key
	nbdkit -r -f -U "$place/$1" -P "$place/$1.pid" "$plugin" "$place/image" main="${POOL_MIB}M" \
		evict="$1" $POOL_KEYS &
	servers="$servers $!"
	until [ -s "$place/$1.pid" ]; do
		kill -0 $! || fail "nbdkit does not run"
		sleep 0.1
	done
}

by_nbdkit()
{
	fio --thread --ioengine=nbd --uri="nbd+unix:///?socket=$place/$1" --bs=4k --time_based --minimal \
		--runtime="$(calc "$POOL_SECONDS * 1000" %d)ms" --randrepeat=0 \
		--name=hot --rw=randread --iodepth=4 --size="${hot_kib}k" \
		--name=scan --rw=read --iodepth=4 --offset="${hot_kib}k" --size="$((POOL_MIB * 7))M" |
		awk -F ';' '/^3;/ && $3 == "hot" { print $8 }'
}

# compare DOOR: all policies by turns; the better of the two is judged.
compare()
{
	rm -f "$SCRATCH"/policies.*
	for _ in $(seq "$REPEAT"); do
		for _evict in $policies; do
			"by_$1" "$_evict" >>"$SCRATCH/policies.$_evict"
		done
	done
	_lru=$(median "$SCRATCH/policies.lru") _best=0
	for _evict in $policies; do
		_rate=$(median "$SCRATCH/policies.$_evict")
		_ratio=$(calc "per($_rate, $_lru)")
		_best=$(calc "($_ratio > $_best ? $_ratio : $_best)")
		printf '%-8s %-7s %10s %6s\n' "$1" "$_evict" "$_rate" "$_ratio"
		record bench pool-policies door "$1" evict "$_evict" per_second "$_rate" ratio "$_ratio"
	done
	_verdict=$(calc "($_best >= $aim ? \"met\" : \"NOT met\")" %s)
	printf '%-8s %-7s %10s %6s %s\n' "$1" best "" "$_best" "$_verdict"
	record bench pool-policies door "$1" best "$_best" aim $aim verdict "$_verdict"
}

cat <<TEXT

pool-policies: a scan beside a hot set, main memory of $POOL_MIB MiB (claim: the best at least $aim times lru)
  a second, by turns, medians of $REPEAT runs

TEXT
printf '%-8s %-7s %10s %6s\n' door evict rate ratio
compare library
for program in nbdkit fio; do
	command -v "$program" >/dev/null || {
		echo "skipped: no $program: make deps gets it"
		exit 0
	}
done
[ -f "$plugin" ] || {
	echo "skipped: no plugin of nbdkit: make deps gets what its build needs"
	exit 0
}
head -c "$((POOL_MIB << 23))" /dev/urandom >"$place/image"
sync "$place/image"
for evict in $policies; do
	serve "$evict"
done
compare nbdkit
