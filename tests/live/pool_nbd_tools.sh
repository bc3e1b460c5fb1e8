#!/bin/sh
# Other people's programs over the plugin: every byte as it should be.
# usage: pool_nbd_tools.sh fio|copy
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"

# ---- fio writes, reads and verifies at random, from two connections, while statistics are asked for ----

# verified KEY...
verified()
{
	truncate -s 16M disk.img
	serve "$plugin" disk.img main=1M device=2M batch=32 stats=stats.json "$@"
	fio --name=verify --ioengine=nbd --uri="$uri" --thread --numjobs=2 --size=8M \
		--offset_increment=8M --rw=randrw --bsrange=512-64k --bs_unaligned --iodepth=8 \
		--verify=crc32c --verify_fatal=1 --fsync=64 --randseed=1 --output=fio.log &
	_fio=$!
	while kill -0 $_fio 2>/dev/null; do
		[ ! -S socket ] || kill -USR1 "$server"
		sleep 0.05
	done
	wait $_fio || fail "fio, $*: $(cat fio.log)"
	ask_stats
	for _figure in tier3_reads flushes; do
		[ "$(figure $_figure)" -gt 0 ] || fail "$*: no $_figure: $(cat stats.json)"
	done
	stop || fail "$*: it ended with $?"
	rm -f disk.img
}

run_fio()
{
	need fio python3
	fio --enghelp | grep -qw nbd || { echo "skipped: this fio has no nbd"; exit 77; }
	verified dedup=off
	verified dedup=on
	verified page=16K dedup=on block=512
	verified dedup=auto
}

# ---- images go in and out ----

# What an image holds: noise, the same again, nothing, text; its end within a page.
make_image()
{
	head -c 3000000 /dev/urandom >part
	{
		cat part part
		head -c 5000000 /dev/zero
		yes 'the same line in every block' | head -c 2000000
	} >image
	truncate -s $((16 * 1048576 + 1536)) image
}

# served_as_image HOW: to a client, and the file itself in the end.
is_image()
{
	qemu-img compare -f raw -F raw image "$uri" >said || fail "$1: $(cat said)"
	nbdcopy "$uri" out || fail "$1: nbdcopy out"
	cmp image out || fail "$1: nbdcopy gives something else"
	qemu-img convert -f raw -O raw "$uri" out || fail "$1: convert out"
	cmp image out || fail "$1: convert gives something else"
	stop || fail "$1: it ended with $?"
	cmp image disk.img || fail "$1: the file is something else"
}

# start_over KEY...: over a file of other bytes.
start_over()
{
	tr '\0' '\377' <image >disk.img
	serve "$plugin" disk.img main=1M device=1M "$@"
}

run_copy()
{
	need qemu-img qemu-io nbdcopy python3
	make_image
	for dedup in off on auto; do
		start_over dedup=$dedup
		qemu-img convert -n -f raw -O raw image "$uri" || fail "convert in"
		is_image "convert, dedup=$dedup"
		start_over dedup=$dedup page=64K block=4K
		nbdcopy image "$uri" || fail "nbdcopy in"
		is_image "nbdcopy, dedup=$dedup"
	done
	notices_change
	zero_and_trim
}

# A comparison that cannot fail says nothing.
notices_change()
{
	serve "$plugin" disk.img main=1M
	io 'write -P 0x55 3000001 100' >said || fail "$(cat said)"
	qemu-img compare -f raw -F raw image "$uri" >said && fail "some bytes are different, and equal"
	stop
}

zero_and_trim()
{
	tr '\0' '\377' </dev/zero | head -c 8M >disk.img
	before=$(du -k disk.img | cut -f 1)
	serve "$plugin" disk.img main=512K dedup=on
	# Whole pages, parts of pages, pages in memory that are dirty.
	io 'write -P 9 1M 64k' 'discard 1000k 3000k' 'read -P 0 1000k 3000k' \
		'read -P 255 0 1000k' 'read -P 255 4000k 96k' \
		'write -z 5000001 100001' 'read -P 0 5000001 100001' 'read -P 255 5000000 1' \
		'read -P 255 5100002 1000' \
		'write -z -u 6M 1M' 'read -P 0 6M 1M' 'write -P 3 6500k 5k' 'read -P 3 6500k 5k' >said ||
		fail "$(cat said)"
	grep -i 'fail' said && fail "$(cat said)"
	stop || fail "it ended with $?"
	after=$(du -k disk.img | cut -f 1)
	# Where holes can be made: three quarters of what was trimmed is free.
	fallocate -p -o 0 -l 4096 disk.img 2>/dev/null && [ $((before - after)) -lt 3000 ] &&
		fail "nothing was freed: $before KiB, then $after"
	[ "$(tail -c +1024001 disk.img | head -c 3072000 | tr -d '\0' | wc -c)" = 0 ] ||
		fail "not trimmed in the file"
}

run_"$1"
