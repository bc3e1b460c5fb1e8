#!/bin/sh
# An ext4 file system made inside the image, through the plugin. nbdfuse makes a file of the device
# where there is /dev/fuse, and the kernel mounts that where it lets us; where it does not, debugfs
# works on it; without nbdfuse the file system is copied in and out.
# usage: pool_nbd_ext4.sh
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"
PATH=$PATH:/usr/sbin:/sbin
need nbdcopy nbdfuse mkfs.ext4 e2fsck debugfs

fuse=
# shellcheck disable=SC2317 # called by the trap
unmount()
{
	! mountpoint -q mnt || umount mnt || umount -l mnt
	[ -z "$fuse" ] || umount device || kill "$fuse"
	leave
}
trap unmount EXIT

# ---- the files to come ----

mkdir -p tree/d/e mnt
for i in $(seq 40); do
	head -c $((i * 1117)) /dev/urandom >"tree/d/$i"
	cp "tree/d/$i" "tree/d/e/copy-$i"
done
head -c 700000 /dev/urandom >tree/large
ln tree/large tree/d/linked

# is_whole FILE: a file system with that tree and nothing wrong.
is_whole()
{
	e2fsck -fn "$1" >said 2>&1 || fail "e2fsck: $(cat said)"
	rm -rf got && mkdir got
	debugfs -R 'rdump / got' "$1" 2>said || fail "debugfs: $(cat said)"
	rmdir got/lost+found
	diff -r tree got || fail "the files in it are others"
}

# ---- three ways to make it ----

mount_device()
{
	: >device
	nbdfuse device "$uri" 2>said &
	fuse=$!
	await "nbdfuse does nothing" is_mounted
	[ -s device ]
}

is_mounted()
{
	[ -s device ] || ! kill -0 "$fuse" 2>/dev/null
}

unmount_device()
{
	umount device || fail "the device cannot be unmounted"
	wait $fuse
	fuse=
}

# Twice, so that files are deleted and their blocks are trimmed and used again.
by_kernel()
{
	if ! { cp -r tree mnt/old && sync -f mnt && rm -r mnt/old && cp -a tree/. mnt/; }; then
		fail "cannot write"
	fi
	diff -r -x lost+found tree mnt || fail "the files are others, mounted"
	umount mnt || fail "cannot unmount"
}

by_debugfs()
{
	(
		cd tree && find . -mindepth 1 -type d | sed 's/^/mkdir /'
		find . -type f | sed 's,.*,write & &,'
	) >commands
	(cd tree && debugfs -w -f ../commands ../device) >said 2>&1 || fail "debugfs: $(cat said)"
}

truncate -s 32M disk.img
serve "$plugin" disk.img main=2M device=4M dedup=auto
if mount_device; then
	mkfs.ext4 -q -F device || fail "no file system can be made"
	if mount -o loop,discard device mnt 2>/dev/null; then
		echo "made through nbdfuse, written by the kernel"
		by_kernel
	else
		echo "made through nbdfuse, written by debugfs: nothing may be mounted here"
		by_debugfs
	fi
	is_whole device
	unmount_device
else
	echo "made beside, copied: no nbdfuse here: $(cat said)"
	fuse=
	truncate -s 32M image
	mkfs.ext4 -q -F -d tree image || fail "no file system can be made"
	nbdcopy image "$uri" || fail "cannot copy in"
fi
nbdcopy "$uri" out || fail "cannot copy out"
is_whole out
stop || fail "it ended with $?"
is_whole disk.img
