#!/bin/sh
# The pool behind nbdkit beside what people would use instead, by turns, medians.
#
#   hit   random reads of what is in main memory: at least 0.95 of nbdkit's memory plugin
#   miss  random reads of 4 KiB of a file that is 16 times main memory: at least 0.95 of
#         qemu-nbd --cache=none
#   stream  reads that follow one another, of the same file: the same aim
#   copy  nbdcopy of a sparse image with little data: at most twice the time of nbdkit's file plugin
#   fua   a write of 4 KiB with FUA behind 128 MiB of dirty data: at most twice qemu-nbd's time
#
# Processes that wake each other fall into a pace that lasts, so each run of fio is cut into parts.
#
# From the environment: NBD_WHAT (hit miss stream copy fua), NBD_FOLDER (/var/tmp: on the storage to
# measure), NBD_MIB (128: of main memory), NBD_SECONDS (2: of each run), NBD_TURNS (5: parts of a run),
# NBD_IMAGE_MIB (8192: the sparse image), NBD_DIRTY_MIB (128), NBD_KEYS (further keys of the plugin).
# usage: bench/pool-nbd.sh TIDE
set -eu
# shellcheck disable=SC2034 # for common.sh
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"

# KIND:BYTES:DEPTH:CONNECTIONS
if [ "${QUICK:-}" = 1 ]; then
	: "${NBD_MIB:=4}" "${NBD_SECONDS:=0.2}" "${NBD_IMAGE_MIB:=64}" "${NBD_DIRTY_MIB:=4}" "${NBD_TURNS:=1}"
	hits='hit:4k:16:1' misses='miss:4k:4:1' streams='stream:64k:4:1'
else
	hits='hit:4k:1:1 hit:4k:4:1 hit:4k:16:1 hit:4k:4:4 hit:64k:1:1 hit:64k:4:1 hit:64k:16:1'
	misses='miss:4k:1:1 miss:4k:4:1 miss:4k:16:1 miss:4k:4:4'
	streams='stream:4k:1:1 stream:4k:16:1 stream:64k:4:1 stream:1m:2:1'
fi
: "${NBD_WHAT:=hit miss stream copy fua}" "${NBD_FOLDER:=/var/tmp}" "${NBD_MIB:=128}" "${NBD_SECONDS:=2}"
: "${NBD_IMAGE_MIB:=8192}" "${NBD_DIRTY_MIB:=128}" "${NBD_KEYS:=}" "${NBD_TURNS:=5}"
plugin=$BUILD/nbdkit-tide-plugin.so
place=$(mktemp -d "$NBD_FOLDER/tide-bench.XXXXXX")
servers=

# shellcheck disable=SC2317 # called by the trap
clean()
{
	stop_servers
	rm -rf "$place"
}
trap clean EXIT

skip()
{
	record bench pool-nbd skipped true
	echo "skipped: $1"
	exit 0
}

# ---- servers ----

uri()
{
	echo "nbd+unix:///?socket=$place/$1"
}

# wait_for NAME: until the server that was started last has written its pid.
wait_for()
{
	servers="$servers $!"
	until [ -s "$place/$1.pid" ]; do
		kill -0 $! || fail "the server $1 does not run"
		sleep 0.1
	done
}

# serve NAME WORD...: by nbdkit.
serve()
{
	_name=$1
	shift
	nbdkit -f -U "$place/$_name" -P "$place/$_name.pid" "$@" &
	wait_for "$_name"
}

# serve_tide FILE KEY...
serve_tide()
{
	# shellcheck disable=SC2086 # one word per key
	serve tide "$plugin" "$@" $NBD_KEYS
}

# serve_qemu CACHE FILE
serve_qemu()
{
	qemu-nbd --persistent --shared=8 --format=raw --cache="$1" --socket="$place/qemu" \
		--pid-file="$place/qemu.pid" "$2" &
	wait_for qemu
}

stop_servers()
{
	# shellcheck disable=SC2086 # one word per process
	[ -z "$servers" ] || kill $servers
	wait
	servers=
	rm -f "$place/memory" "$place/file" "$place/qemu" "$place/tide" "$place"/*.pid
}

# ---- measurements ----

# rate NAME BYTES DEPTH CONNECTIONS [HOW]: requests a second. A stream begins elsewhere at every turn: main
# memory may still have what the last one read.
rate()
{
	_begin=0
	[ "${5:-}" != read ] || _begin=$((_turn * 7 % 15 * NBD_MIB))
	fio --name=job --ioengine=nbd --uri="$(uri "$1")" --rw="${5:-randread}" --bs="$2" --iodepth="$3" \
		--numjobs="$4" --thread --group_reporting --offset="${_begin}M" \
		--size="$((served_mib - _begin))M" --time_based \
		--runtime="$(calc "$NBD_SECONDS * 1000 / $NBD_TURNS" %d)ms" --randrepeat=0 --minimal |
		awk -F ';' '/^3;/ { print $8 }'
}

# copy_rate NAME: copies a second.
copy_rate()
{
	_start=$(date +%s.%N)
	nbdcopy "$(uri "$1")" null:
	calc "per(1, $(date +%s.%N) - $_start)" '%.3f\n'
}

# fua_rate NAME: writes of 4 KiB with FUA a second, each behind much that is dirty.
fua_rate()
{
	qemu-io -t writeback -f raw "$(uri "$1")" -c "write -P 5 0 ${NBD_DIRTY_MIB}M" \
		-c "write -f -P 6 $((NBD_DIRTY_MIB + 1))M 4k" |
		sed -n 's/^4 KiB, 1 ops.* \([0-9.e+]*\) ops\/sec)$/\1/p' | awk '{ printf "%.3f\n", $1 }'
}

# compare WHAT PEER AIM MEASURE WORD...: the rates of PEER and tide, by turns: now the one first, now the
# other. The aim is a ratio.
compare()
{
	_what=$1 _peer=$2 _aim=$3 _measure=$4 _turns=$REPEAT
	shift 4
	[ "$_measure" != rate ] || _turns=$((REPEAT * NBD_TURNS))
	rm -f "$SCRATCH"/nbd.*
	_order="$_peer tide" _next="tide $_peer"
	for _turn in $(seq "$_turns"); do
		for _name in $_order; do
			"$_measure" "$_name" "$@" >>"$SCRATCH/nbd.$_name"
		done
		_other=$_order _order=$_next _next=$_other
	done
	_theirs=$(median "$SCRATCH/nbd.$_peer")
	_ours=$(median "$SCRATCH/nbd.tide")
	_ratio=$(calc "per($_ours, $_theirs)")
	_verdict=$(calc "($_ratio >= $_aim ? \"met\" : \"NOT met\")" %s)
	printf '%-5s %6s %5s %5s  %-7s %10.4g %10.4g %6s %5s %s\n' "$_what" "${1:--}" "${2:--}" \
		"${3:--}" "$_peer" "$_theirs" "$_ours" "$_ratio" "$_aim" "$_verdict"
	record bench pool-nbd what "$_what" bytes "${1:-}" depth "${2:-}" connections "${3:-}" \
		peer "$_peer" peer_per_second "$_theirs" tide_per_second "$_ours" ratio "$_ratio" \
		aim "$_aim" verdict "$_verdict"
}

# each CASES PEER AIM [HOW]
each()
{
	for _case in $1; do
		# shellcheck disable=SC2046 # bytes, depth, connections
		compare "${_case%%:*}" "$2" "$3" rate $(echo "${_case#*:}" | tr : ' ') ${4:+"$4"}
	done
}

bench_hit()
{
	served_mib=$NBD_MIB
	head -c "$((NBD_MIB << 20))" /dev/urandom >"$place/image"
	serve memory memory "${NBD_MIB}M"
	serve_tide "$place/image" main="$((NBD_MIB * 2))M"
	nbdcopy "$place/image" "$(uri memory)"
	qemu-io -r -f raw "$(uri tide)" -c "read 0 ${NBD_MIB}M" >/dev/null
	each "$hits" memory 0.95
}

serve_large()
{
	served_mib=$((NBD_MIB * 16))
	head -c "$((served_mib << 20))" /dev/urandom >"$place/image"
	sync "$place/image"
	serve_qemu none "$place/image"
	serve_tide "$place/image" main="${NBD_MIB}M"
}

bench_miss()
{
	serve_large
	each "$misses" qemu 0.95
}

bench_stream()
{
	serve_large
	each "$streams" qemu 0.95 read
}

bench_copy()
{
	truncate -s "${NBD_IMAGE_MIB}M" "$place/image"
	for _i in $(seq 0 7); do
		dd if=/dev/urandom of="$place/image" bs=1M count="$((NBD_IMAGE_MIB / 2048 + 1))" \
			seek="$((_i * NBD_IMAGE_MIB / 8))" conv=notrunc status=none
	done
	serve file file "$place/image"
	serve_tide "$place/image" main="${NBD_MIB}M"
	compare copy file 0.5 copy_rate
}

bench_fua()
{
	truncate -s "$((NBD_DIRTY_MIB + 16))M" "$place/image" "$place/other"
	serve_qemu writeback "$place/other"
	serve_tide "$place/image" main="$((NBD_DIRTY_MIB * 2))M"
	compare fua qemu 0.5 fua_rate
}

cat <<TEXT

pool-nbd: the pool behind nbdkit, beside nbdkit's own plugins and qemu-nbd
  requests a second, by turns, medians of $REPEAT runs; fio for $NBD_SECONDS s each
  main memory of $NBD_MIB MiB

TEXT
for program in nbdkit fio nbdcopy qemu-nbd qemu-io; do
	command -v "$program" >/dev/null || skip "no $program: make deps gets it"
done
[ -f "$plugin" ] || skip "no plugin of nbdkit: make deps gets what its build needs"
printf '%-5s %6s %5s %5s  %-7s %10s %10s %6s %5s\n' what bytes depth conns peer peer/s tide/s ratio aim
for what in $NBD_WHAT; do
	"bench_$what"
	stop_servers
	rm -f "$place/image" "$place/other"
done
