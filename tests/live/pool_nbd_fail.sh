#!/bin/sh
# What was flushed is there whatever ends; what fails reaches the client that asked.
# usage: pool_nbd_fail.sh
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"
need qemu-io python3

# is_there BYTE OFFSET COUNT: in the file, whoever serves it; BYTE as tr writes it.
is_there()
{
	_got=$(tail -c +$(($2 + 1)) disk.img | head -c "$3" | tr -d "$1" | wc -c)
	[ "$_got" = 0 ] || fail "$_got bytes of $3 at $2 are not those that were flushed"
}

# ---- kill -9 after a flush, after a write with FUA, after a flush on another connection ----

# Ends without closing, which would flush: sigraise.
killed()
{
	truncate -s 0 disk.img
	truncate -s 8M disk.img
	serve "$plugin" disk.img main=16M stats=stats.json "$@"
	io 'write -P 0xa1 0 1M' flush 'write 4M 64k' 'write -f -P 0xb2 1048577 100000' \
		'sigraise 9' >said 2>&1
	ask_stats
	[ "$(figure dirty_pages)" = 16 ] || fail "FUA wrote less or more: $(cat stats.json)"
	[ "$(figure flushes)" = 1 ] || fail "not flushed: $(cat stats.json)"
	stop KILL
	is_there '\241' 0 1048576
	is_there '\0' 1048576 1
	is_there '\262' 1048577 100000
}

flushed_by_another()
{
	mkfifo commands
	serve "$plugin" disk.img main=16M
	qemu-io -t writeback -f raw "$uri" <commands >writer 2>&1 &
	writer=$!
	exec 3>commands
	echo 'write -P 0xc3 4M 1M' >&3
	await "the writer does not write" grep -q wrote writer
	io flush 'sigraise 9' >said 2>&1
	stop KILL
	exec 3>&-
	wait $writer
	is_there '\303' 4194304 1048576
}

# What nobody flushed is written when nbdkit ends.
ended()
{
	serve "$plugin" disk.img main=16M
	io 'write -P 0xf6 2M 64k' 'sigraise 9' >said 2>&1
	stop || fail "it ended with $?"
	is_there '\366' 2097152 65536
}

killed dedup=off
killed dedup=on
flushed_by_another
ended

# ---- errors have their names, others go on ----

# says TEXT COMMAND...: qemu-io fails so.
says()
{
	_text=$1
	shift
	io "$@" >said 2>&1
	grep -qF "$_text" said || fail "$*: $(cat said)"
}

: >log
serve "$plugin" disk.img main=1M inject=read=EIO:3
says 'read failed: Input/output error' 'read 0 4k' 'read 4k 4k' 'read 8k 4k' 'read 12k 4k'
[ "$(grep -c 'read 4096/4096' said)" = 3 ] || fail "others failed too: $(cat said)"
grep -q 'page [0-9]* of .*disk.img cannot be had: Input/output error' log || fail "it says nothing"
stop || fail "it ended with $?"

# A flush fails, its pages stay, the next one writes them.
serve "$plugin" disk.img main=16M inject=write=ENOSPC:2 stats=stats.json
says 'write failed: No space left on device' 'write -f -P 0xd3 1M 4k' 'write -f -P 0xd4 0 64k' \
	flush flush
ask_stats
[ "$(figure dirty_pages)" = 0 ] || fail "not tried again: $(cat stats.json)"
stop || fail "it ended with $?"
is_there '\324' 0 65536

# All of it fails: what is dirty is lost, and that is said.
: >log
serve "$plugin" disk.img main=16M inject=write=EIO:1
says 'write failed: Input/output error' 'write -f -P 0xe5 0 64k'
io flush && fail "a flush that cannot be"
says 'read 65536/65536' 'read -P 0xe5 0 64k'
stop
grep -q 'disk.img cannot be written: Input/output error' log || fail "it lost data silently"
