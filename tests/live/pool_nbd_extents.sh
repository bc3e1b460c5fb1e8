#!/bin/sh
# Holes, zeros and hints through the plugin, with other people's programs as clients: what they see of a
# sparse image, what it costs to make zeros, and that a copy made meanwhile has all that was written.
# usage: pool_nbd_extents.sh
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"
need nbdinfo nbdcopy qemu-io qemu-img python3

# A file system that has holes; tmpfs and ext4 do.
truncate -s 1G disk.img
[ "$(du -k disk.img | cut -f 1)" = 0 ] || { echo "skipped: no holes here"; exit 77; }

# holes_of URI: the bytes that are called holes.
holes_of()
{
	nbdinfo --map --json "$1" | python3 -c '
import json, sys
print(sum(e["length"] for e in json.load(sys.stdin) if e["type"] == 3))'
}

# has_holes BYTES
has_holes()
{
	_holes=$(holes_of "$uri")
	[ "$_holes" = "$1" ] || fail "$_holes bytes of holes, not $1: $(nbdinfo --map "$uri")"
}

# ---- before and after a flush, trimmed, read ----

maps()
{
	serve "$plugin" disk.img main=4M device=4M stats=stats.json "$@"
	has_holes 1073741824
	io 'write -P 7 100M 64k' 'write -P 8 900M 64k' 'sigraise 9' >said 2>&1
	has_holes $((1073741824 - 131072))
	io flush 'read -P 7 100M 64k' 'read 0 1M' 'sigraise 9' >said 2>&1
	has_holes $((1073741824 - 131072))
	nbdcopy "$uri" out || fail "cannot be copied"
	[ "$(du -k out | cut -f 1)" -lt 4096 ] || fail "a copy is not sparse"
	qemu-img compare -f raw -F raw "$uri" out >said || fail "$(cat said)"
	qemu-img map -f raw --output=json "$uri" | python3 -c '
import json, sys
data = [(e["start"], e["length"]) for e in json.load(sys.stdin) if e["data"]]
sys.exit(data != [(100 << 20, 65536), (900 << 20, 65536)])' || fail "qemu-img sees another map"
	# Of 1 GiB, the data was read, and little more.
	ask_stats
	[ "$(figure tier3_reads)" -lt 1000 ] || fail "holes were read: $(cat stats.json)"
	io 'discard 100M 1M' 'read -P 0 100M 64k' >said || fail "$(cat said)"
	has_holes $((1073741824 - 65536))
	ask_stats
	_was=$(figure accesses)
	io 'write -z -u 0 800M' 'discard 0 800M' >said || fail "$(cat said)"
	ask_stats
	[ "$(figure accesses)" = "$_was" ] || fail "zeros over a hole were written"
	stop || fail "it ended with $?"
	has_the_same_data
}

has_the_same_data()
{
	# shellcheck disable=SC2016 # $uri is nbdkit's
	nbdkit -U - file disk.img --run 'nbdinfo --map --totals "$uri"' >said
	grep -qE '^ *65536 .* data' said || fail "the file has other data: $(cat said)"
	rm disk.img && truncate -s 1G disk.img
}

maps dedup=off
maps dedup=auto block=1K

# ---- fast zeros ----

yes fill | head -c 8M >disk.img
serve "$plugin" disk.img main=1M
if fallocate -p -o 0 -l 4096 disk.img 2>/dev/null; then
	io 'write -z -u -n 1M 2M' 'read -P 0 1M 2M' >said || fail "$(cat said)"
fi
io 'write -z -u -n 1000001 100' >said 2>&1
grep -q 'Operation not supported' said || fail "a slow zero is called fast: $(cat said)"
io 'write -z -u 1000001 100' 'read -P 0 1000001 100' >said || fail "$(cat said)"
stop || fail "it ended with $?"
rm disk.img

# ---- hints: NBD_CMD_CACHE, which no program here sends ----

head -c 4M /dev/urandom >disk.img
serve "$plugin" disk.img main=8M stats=stats.json
python3 - "$work/socket" <<'PYTHON' || fail "no answer to NBD_CMD_CACHE"
import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(30)
s.connect(sys.argv[1])
def take(n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        assert more
        data += more
    return data
take(18)
s.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
take(10)
for at, n in (0, 1 << 20), (1 << 20, 65536), ((4 << 20) - 4096, 4096):
    s.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 5, 1, at, n))
    assert struct.unpack(">IIQ", take(16)) == (0x67446698, 0, 1)
PYTHON
ask_stats
[ "$(figure tier3_reads)" = 273 ] || fail "not brought in: $(cat stats.json)"
io 'read 0 1M' >said || fail "$(cat said)"
ask_stats
[ "$(figure tier3_reads)" = 273 ] || fail "read again: $(cat stats.json)"
stop || fail "it ended with $?"
rm disk.img

# ---- copies while a client writes and flushes: what was answered before the copy began is in it ----

truncate -s 128M disk.img
serve "$plugin" disk.img main=1M device=1M
mkfifo commands
: >writer
qemu-io -t writeback -f raw "$uri" <commands >writer 2>&1 &
writer=$!
exec 3>commands
{
	for i in $(seq 0 127); do
		echo "write -P 0x5a ${i}M 64k"
		[ $((i % 7)) != 0 ] || echo flush
		sleep 0.02
	done
} >&3 &
feeder=$!
copies=0
while kill -0 $feeder 2>/dev/null; do
	written=$(grep -c 'wrote ' writer)
	nbdcopy "$uri" out || fail "cannot be copied meanwhile"
	python3 - "$written" <<'PYTHON' || fail "a copy lacks what was written before"
import sys
with open("out", "rb") as f:
    for i in range(int(sys.argv[1])):
        f.seek(i << 20)
        assert f.read(65536) == b"\x5a" * 65536, i
PYTHON
	copies=$((copies + 1))
done
exec 3>&-
wait $writer
[ "$(grep -c 'wrote ' writer)" = 128 ] || fail "$(cat writer)"
[ $copies -gt 2 ] || fail "only $copies copies"
nbdcopy "$uri" out || fail "cannot be copied in the end"
stop || fail "it ended with $?"
cmp out disk.img || fail "the file is something else in the end"
