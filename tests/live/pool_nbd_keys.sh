#!/bin/sh
# What the plugin says of itself, takes and refuses, on nbdkit's command line and to clients.
# usage: pool_nbd_keys.sh
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"
need nbdinfo nbdcopy qemu-io python3

truncate -s 1M disk.img
echo mine >notes

# ---- help, and the manual page of the same keys ----

kit "$plugin" --help >help || fail "no help"
keys=$(sed -n 's/^\([a-z-]*\)=.*/\1/p' help)
[ "$(echo "$keys" | wc -l)" -ge 13 ] || fail "too few keys: $keys"
for key in $keys; do
	grep -q "^\*$key=\*" "$TIDE_SOURCE/docs/man/nbdkit-tide-plugin.1.scd" ||
		fail "the manual page has no $key"
done
kit "$plugin" --dump-plugin >dump || fail "no dump"
for line in name=tide thread_model=parallel "version=$("$TIDE" --version | sed 's/.* //')"; do
	grep -qx "$line" dump || fail "no $line in: $(cat dump)"
done

# ---- what is wrong is said in one line before nbdkit goes to the background ----

# refused TEXT WORD...
refused()
{
	_text=$1
	shift
	if kit -U "$work/socket" -P "$work/pid" "$plugin" "$@" 2>said; then
		await "no pid of the one in the background" [ -s pid ]
		server=$(cat pid) # so that it is ended
		fail "taken: $*"
	fi
	grep -qF -- "$_text" said || fail "$*: $(cat said)"
	[ "$(wc -l <said)" = 1 ] || fail "$*: more than one line: $(cat said)"
}

refused 'no file' main=1M
refused 'No such file' file=none main=1M
refused 'no size of main memory' disk.img
refused "main memory of 'much'" disk.img main=much
refused "device memory of '1Q'" disk.img main=1M device=1Q
refused "unknown device 'tape': known ones are file:PATH, lz4, numa:NODE, ram, zstd, cuda" disk.img main=1M device-kind=tape
refused "file:PATH" disk.img main=1M device-kind=file:
refused "it has data" disk.img main=1M device=1M device-kind=file:notes
refused "no memory node '999'" disk.img main=1M device=1M device-kind=numa:999
refused "compressed device memory of 8192 bytes: give" disk.img main=1M device=8K device-kind=lz4
refused "page of '1000'" disk.img main=1M page=1000
refused "unknown dedup 'maybe'" disk.img main=1M dedup=maybe
refused "block of '100'" disk.img main=1M dedup=on block=100
refused "unknown hash 'crc'" disk.img main=1M hash=crc
refused "no evict policy best" disk.img main=1M evict=best
refused "policies choose among pages" disk.img main=1M evict=arc dedup=on
refused 'there is none: give `device`' disk.img main=1M place=reuse
refused "none/it" disk.img main=1M record=none/it
refused "batch of '0'" disk.img main=1M batch=0
refused "epoch of 'long'" disk.img main=1M epoch=long
refused "backlog of '-1'" disk.img main=1M max-backlog=-1
refused "unknown key 'mian': give file, main," disk.img mian=1M
refused "two values for 'main'" disk.img main=1M main=2M
refused "two values for 'file'" disk.img main=1M file=disk.img
refused 'statistics cannot be written' disk.img main=1M stats=none/stats.json
refused 'Is a directory' disk.img main=1M stats=.
refused "open of 'late': give first, write or read" disk.img main=1M open=late
refused 'is no socket' disk.img main=1M control=disk.img
refused 'cannot listen' disk.img main=1M control=none/control
refused 'the name of a socket' disk.img main=1M control="$(printf '%0120d' 0)"
refused 'neither a file nor a block device' / main=1M
: >empty
refused 'empty is empty' empty main=1M
refused 'inject' disk.img main=1M inject=nonsense

# ---- what clients are told ----

# told can|is WORD... : or, before a word, "!"
told()
{
	_what=$1
	shift
	for _word; do
		case $_word in
		!*) nbdinfo "--$_what" "${_word#!}" "$uri" && fail "wrongly: $_what ${_word#!}" ;;
		*) nbdinfo "--$_what" "$_word" "$uri" || fail "not: $_what $_word" ;;
		esac
	done
}

# flags_of: how the server has opened the file, as fcntl.h counts.
flags_of()
{
	for _fd in "/proc/$server/fd"/*; do
		[ "$(readlink "$_fd")" != "$work/disk.img" ] ||
			sed -n 's/^flags:.*\(.\)$/\1/p' "/proc/$server/fdinfo/${_fd##*/}"
	done | sort -u
}

serve "$plugin" file=disk.img main=256M device=1G dedup=auto
told can write flush fua trim zero fast-zero multi-conn cache
told is '!read-only' '!rotational'
nbdinfo "$uri" | grep -qE 'block_size_preferred: 4096$' || fail "$(nbdinfo "$uri")"
[ "$(flags_of)" = 2 ] || fail "not open for writing: $(flags_of)"
# A second one over the same file would lose what the first has in memory.
kit -U "$work/second" "$plugin" disk.img main=1M 2>said && fail "two serve the same file"
grep -q 'disk.img is in use by another pool' said || fail "$(cat said)"
stop || fail "it ended with $?"

serve -r "$plugin" disk.img main=1M
told is read-only
told can '!trim' '!zero' '!fua'
nbdcopy "$uri" out || fail "cannot be read"
cmp disk.img out || fail "it is something else"
[ "$(flags_of)" = 0 ] || fail "-r, but open for writing: $(flags_of)"
stop || fail "it ended with $?"

# ---- every kind of device memory; a cache of this folder, from the background ----

for kind in lz4 zstd numa:0 file:cache; do
	rm -f socket pid
	kit -U "$work/socket" -P "$work/pid" "$plugin" disk.img main=64K device=1M device-kind="$kind" \
		stats=stats.json || fail "$kind: not started"
	await "no pid of the one in the background" [ -s pid ]
	server=$(cat pid)
	io 'write -P 9 0 700000' 'read -P 9 0 700000' 'write -z 0 700000' flush >said 2>&1
	grep -q 'read 700000/700000' said || fail "$kind: $(cat said)"
	grep -qx mine notes || fail "$kind has changed another file"
	kill "$server"
	await "it does not end" has_ended
	server=
	grep -q "\"device\": \"${kind%%:*}" stats.json || fail "$kind: $(cat stats.json)"
	[ "$(figure scatters)" -gt 0 ] || fail "$kind has moved nothing: $(cat stats.json)"
done
[ -e cache ] || fail "the cache was not made"
[ ! -s cache ] || fail "the cache is not empty in the end"

# ---- all keys at once, from the background and another folder; stats= and file= are of this one ----

rm -f socket pid
kit -U "$work/socket" -P "$work/pid" "$plugin" file=disk.img main=512K device=512K device-kind=ram \
	page=16K dedup=on block=2K hash=xxh3 batch=64 epoch=20us max-backlog=100 inject=short=50 \
	stats=stats.json || fail "all keys: not started"
await "no pid of the one in the background" [ -s pid ]
server=$(cat pid)
io 'write -P 7 5000 100000' 'read -P 7 5000 100000' 'sigraise 9' >said 2>&1 # it never flushes
grep -q 'read 100000/100000' said || fail "$(cat said)"
nbdinfo "$uri" | grep -qE 'block_size_preferred: 16384$' || fail "$(nbdinfo "$uri")"
ask_stats
[ "$(figure dirty_pages)" = 7 ] || fail "on SIGUSR1: $(cat stats.json)"
kill "$server"
await "it does not end" has_ended
server=
# The last ones came when what was dirty had been written.
[ "$(figure dirty_pages)" = 0 ] || fail "in the end: $(cat stats.json)"
[ "$(figure tier3_writes)" -ge 7 ] || fail "in the end: $(cat stats.json)"
set -- stats.json*
[ $# = 1 ] || fail "left: $*"

# ---- SIGUSR1 before it serves: at its pid nbdkit waits until somebody reads it ----

rm -f socket pid
mkfifo pid
LD_PRELOAD=$preload nbdkit -f --exit-with-parent -U "$work/socket" -P pid "$plugin" disk.img main=1M &
server=$!
await "nbdkit makes no socket" [ -S socket ]
kill -USR1 "$server"
timeout 30 cat pid >said || fail "SIGUSR1 ends it before it serves"
[ "$(cat said)" = "$server" ] || fail "another pid: $(cat said)"
told can write
stop || fail "it ended with $?"

# ---- without a file, to standard error; and before there is a client, nothing ----

: >log
serve "$plugin" disk.img main=1M
sleep 0.2
kill -USR1 "$server"
sleep 0.2
[ ! -s log ] || fail "statistics of nothing"
io 'read 0 64k' >said || fail "$(cat said)"
kill -USR1 "$server"
await "no statistics on standard error" grep -q '^}' log
cp log stats.json
[ "$(figure faults)" = 16 ] || fail "$(cat stats.json)"
stop || fail "it ended with $?"

# ---- the control socket, before there is a client and after; open= does not wait for one ----

"$TIDE" pool status ctl 2>said && fail "status of nothing"
serve "$plugin" disk.img main=1M control=ctl
"$TIDE" pool status ctl >said || fail "no status without a client"
grep -q 'not open: no client has come' said || fail "$(cat said)"
"$TIDE" pool status ctl --json >stats.json || fail "no status without a client"
grep -q '"counts": null' stats.json || fail "$(cat stats.json)"
"$TIDE" pool status ctl --prometheus >said || fail "no metrics without a client"
io 'read 0 64k' >said || fail "$(cat said)"
"$TIDE" pool status ctl --json >stats.json || fail "no status"
[ "$(figure faults)" = 16 ] || fail "$(cat stats.json)"
stop || fail "it ended with $?"
[ ! -e ctl ] || fail "the control socket is left"
serve -r "$plugin" disk.img main=1M control=ctl open=read
"$TIDE" pool status ctl >said || fail "no status"
grep -q 'read-only$' said || fail "$(cat said)"
[ "$(flags_of)" = 0 ] || fail "open=read, but open for writing: $(flags_of)"
stop || fail "it ended with $?"
