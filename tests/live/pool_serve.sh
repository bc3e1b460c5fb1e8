#!/bin/sh
# tide pool serve and tide pool status: from the start to the end, and whatever goes wrong between.
# usage: pool_serve.sh use|refuse|kill|hostile
# shellcheck source=SCRIPTDIR/pool_nbd_help.sh disable=SC1091
. "$(dirname "$0")/pool_nbd_help.sh"
need nbdinfo nbdcopy qemu-io python3

export XDG_RUNTIME_DIR="$work"

tide()
{
	LD_PRELOAD=$preload "$TIDE" "$@"
}

# Both are files then; or it has ended.
is_announced()
{
	[ -s out ] || [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$server/stat" 2>/dev/null || echo Z)" = Z ]
}

# begin WORD...: tide pool serve in the background, until it says how to use it.
begin()
{
	: >out
	: >log
	LD_PRELOAD=$preload "$TIDE" pool serve "$@" >out 2>log &
	server=$!
	await "tide pool serve $* says nothing" is_announced
	[ -s out ] || fail "tide pool serve $* did not start"
}

# nothing_but FILE...: in the folder.
nothing_but()
{
	for _file in *; do
		case " $* " in
		*" $_file "*) ;;
		*) fail "$_file is left behind" ;;
		esac
	done
}

# value JSON-PATH FILE: such as counts.hits.
value()
{
	python3 -c '
import json, sys
at = json.load(open(sys.argv[2]))
for key in sys.argv[1].split("."):
    at = at[key]
print(at)' "$1" "$2" || fail "no $1 in: $(cat "$2")"
}

metrics_are_well_formed()
{
	python3 - "$1" <<'PYTHON'
import json, re, sys
document = json.load(open("status.json"))
types, seen = {}, {}
for line in open(sys.argv[1]):
    line = line.rstrip("\n")
    if line.startswith("# HELP "):
        assert len(line.split(" ", 3)) == 4, line
    elif line.startswith("# TYPE "):
        _, _, name, kind = line.split(" ")
        assert kind in ("counter", "gauge") and name not in types, line
        types[name] = kind
    else:
        m = re.fullmatch(r'([a-z0-9_]+)\{(([a-z]+="(\\.|[^"\\])*",?)+)\} ([-+0-9.e]+)', line)
        assert m and m[1] in types, line
        assert m[1].endswith("_total") == (types[m[1]] == "counter"), line
        assert 'file="' in m[2], line
        seen[m[1]] = float(m[5])
for name, value in document["counts"].items():
    assert not value or f"tide_pool_{name}_total" in seen, f"{name} is {value}, and no metric"
for name in document["pool"]:
    base = "tide_pool_" + re.sub("_ns$", "_seconds", name)
    assert base in seen or base + "_total" in seen, name
assert seen["tide_pool_connections_total"] == document["server"]["connections_total"]
PYTHON
}

# ---- as it should be ----

used()
{
	truncate -s 64M disk.img
	begin disk.img --socket sock --main 4M --device 4M --dedup auto
	grep -q "tide pool status 'sock'" out || fail "$(cat out)"
	uri=$(sed -n '2s/^ *//p' out)
	head -c 8M /dev/urandom >content
	nbdcopy --flush content "$uri" || fail "cannot be written"
	nbdcopy "$uri" back || fail "cannot be read"
	cmp -n 8388608 content back || fail "it is something else"
	io 'write -P 5 20M 64k' 'read -P 5 20M 64k' >said || fail "$(cat said)"
	tide pool status sock >said || fail "no status"
	grep -qE '^tier3_writes +[1-9]' said || fail "$(cat said)"
	grep -qE '/disk.img, 64 MiB$' said || fail "$(cat said)"
	tide pool status "$work/sock.control" --interval 0.1 --json >status.json || fail "no status"
	[ "$(value server.connections_total status.json)" -ge 3 ] || fail "$(cat status.json)"
	[ "$(value pool.file_bytes status.json)" = 67108864 ] || fail "$(cat status.json)"
	[ "$(value rates.accesses_per_second status.json)" = 0.0 ] || fail "$(cat status.json)"
	tide pool status sock --prometheus >metrics || fail "no metrics"
	metrics_are_well_formed metrics || fail "$(cat metrics)"
	io 'write -P 6 30M 64k' 'sigraise 9' >said 2>&1
	tide pool status sock --json >status.json
	[ "$(value pool.dirty_pages status.json)" -gt 0 ] || fail "$(cat status.json)"
	stop "$1" || fail "it ended with $?: $(cat log)"
	nothing_but disk.img out log content back said status.json metrics pid
	[ "$(tail -c +31457281 disk.img | head -c 65536 | tr -d '\6' | wc -c)" = 0 ] ||
		fail "not everything was written"
}

strange_name()
{
	_name='a "b\c
d=e'
	truncate -s 1M "$_name"
	mkdir 'f%o lder'
	begin "$_name" --socket 'f%o lder/sock' --json
	uri=$(value uri out)
	[ "$(value read_only out)" = False ] || fail "$(cat out)"
	io 'write 0 4k' >said || fail "$(cat said)"
	tide pool status 'f%o lder/sock' --json >status.json || fail "no status"
	tide pool status 'f%o lder/sock' --prometheus >metrics || fail "no metrics"
	metrics_are_well_formed metrics || fail "$(cat metrics)"
	grep -qF 'a \"b\\c\nd=e"' metrics || fail "$(cat metrics)"
	stop || fail "it ended with $?"
	rm -r "$_name" 'f%o lder'
}

by_port()
{
	_port=$(python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	begin disk.img --port "$_port" --read-only
	uri=$(sed -n '2s/^ *//p' out)
	nbdinfo --is read-only "$uri" || fail "not read-only"
	tide pool status "$_port" >said || fail "no status"
	grep -q 'read-only$' said || fail "$(cat said)"
	stop INT || fail "it ended with $?"
	begin disk.img --port "$_port" --control ctl --quiet --json
	tide pool status ctl >said || fail "no status"
	stop || fail "it ended with $?"
	nothing_but disk.img out log content back said status.json metrics pid
}

run_use()
{
	used TERM
	used INT
	by_port
	strange_name
}

# ---- what is refused leaves nothing, and leaves others alone ----

# refused TEXT WORD...
refused()
{
	_text=$1
	shift
	_before=$(ls -A)
	timeout 60 env LD_PRELOAD="$preload" "$TIDE" pool serve "$@" >said 2>&1 && fail "taken: $*"
	grep -qF -- "$_text" said || fail "$*: $(cat said)"
	[ "$(wc -l <said)" = 1 ] || fail "$*: more than one line: $(cat said)"
	rm said
	[ "$(ls -A)" = "$_before" ] || fail "$*: left: $(ls -A)"
}

run_refuse()
{
	truncate -s 1M disk.img other.img
	: >empty
	: >file
	mkdir bin none
	ln -s "$(command -v env)" "$(command -v timeout)" bin
	refused 'cannot read none.img' none.img --socket sock
	refused 'empty is empty' empty --socket sock
	refused 'file exists and is no socket' disk.img --socket file
	refused 'unknown dedup' disk.img --socket sock --dedup maybe
	refused 'the name of a socket' disk.img --socket "$(printf '%0120d' 0)"
	refused 'No such file' disk.img --socket no/sock
	_path=$PATH
	PATH=$work/bin
	_said=$(timeout 60 env LD_PRELOAD="$preload" "$TIDE" pool serve disk.img --socket sock 2>&1)
	PATH=$_path
	[ "${_said#*install the package nbdkit}" != "$_said" ] || fail "without nbdkit: $_said"
	begin disk.img --socket sock
	refused 'disk.img is in use by another pool' disk.img --socket sock2
	refused 'a server is listening' other.img --socket sock
	refused 'a server is listening' other.img --socket sock2 --control sock.control
	tide pool status sock >said || fail "the first one is gone"
	uri="nbd+unix:///?socket=$work/sock"
	io 'write 0 64k' >said || fail "the first one does not serve: $(cat said)"
	stop || fail "it ended with $?"
	tide pool status sock 2>said && fail "status of nothing"
	grep -q 'cannot connect to .*: does the server run?' said || fail "$(cat said)"
	for _i in 1 2 3 4 5; do # the same socket, at the same time
		LD_PRELOAD=$preload "$TIDE" pool serve disk.img --socket sock >out1 2>log1 &
		_one=$!
		LD_PRELOAD=$preload "$TIDE" pool serve other.img --socket sock >out2 2>log2 &
		_two=$!
		await "none of two starts" test -s out1 -o -s out2
		await "none of two is refused" test -s log1 -o -s log2
		tide pool status sock >said || fail "no status: $(cat log1 log2)"
		kill $_one $_two 2>/dev/null
		wait $_one $_two
		cat log1 log2 >said
		grep -q 'a server is listening' said || fail "$(cat said)"
		rm out1 out2
	done
}

# ---- ends that nobody wants ----

child_of()
{
	sed -n 's/ .*//p' "/proc/$1/task/$1/children"
}

is_gone()
{
	[ ! -d "/proc/$1" ]
}

# Of a signal that comes while it ends, at whatever moment, it does not die.
ended_while_it_ends()
{
	LD_PRELOAD=$preload python3 - "$TIDE" <<'PYTHON'
import os, random, subprocess, sys, time
command = [sys.argv[1], "pool", "serve", "disk.img", "--socket", "sock"]
for _ in range(100):
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.readline()
    os.kill(int(open(f"/proc/{p.pid}/task/{p.pid}/children").read()), 9)
    end = time.time() + random.random() * 0.003
    while time.time() < end:
        pass
    p.terminate()
    said = p.communicate()[1]
    assert p.returncode == 1 and b"ended by signal 9" in said, (p.returncode, said)
    assert not os.path.exists("sock")
PYTHON
}

run_kill()
{
	truncate -s 16M disk.img
	begin disk.img --socket sock
	uri="nbd+unix:///?socket=$work/sock"
	io 'write -P 1 0 64k' flush 'sigraise 9' >said 2>&1
	kill -KILL "$(child_of $server)"
	stop && fail "its nbdkit was killed, and it ends with success"
	grep -q 'ended by signal 9' log || fail "nothing is said of signal 9: $(cat log)"
	nothing_but disk.img out log said
	ended_while_it_ends || fail "a signal while it ends"
	nothing_but disk.img out log said
	# Killed itself: nbdkit writes everything and ends; the next one replaces the socket.
	begin disk.img --socket sock
	_nbdkit=$(child_of $server)
	io 'write -P 2 1M 64k' 'sigraise 9' >said 2>&1
	stop KILL
	await "nbdkit lives on" is_gone "$_nbdkit"
	[ -S sock ] || fail "the test needs a stale socket"
	begin disk.img --socket sock
	io 'read -P 1 0 64k' 'read -P 2 1M 64k' >said || fail "$(cat said)"
	stop || fail "it ended with $?"
	nothing_but disk.img out log said
	# What cannot be written is said in the end.
	begin disk.img --socket sock --inject write=EIO:1
	io 'write -P 3 2M 64k' 'sigraise 9' >said 2>&1
	stop && fail "it lost data, and ends with success"
	grep -q 'disk.img cannot be written' log || fail "$(cat log)"
	grep -q 'not everything is written' log || fail "$(cat log)"
	nothing_but disk.img out log said
}

# ---- clients of the control socket that do wrong ----

run_hostile()
{
	truncate -s 16M disk.img
	begin disk.img --socket sock
	uri="nbd+unix:///?socket=$work/sock"
	python3 - <<'PYTHON' &
import socket, time
end, kept = time.time() + 4, []
while time.time() < end:
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(0.2)
    try:
        s.connect("sock.control")
        s.send(b"GET / HTTP/1.1\r\n\r\n" * 1000)
    except OSError:
        time.sleep(0.001)
    kept.append(s) # never reads
    kept = kept[-500:]
PYTHON
	_flood=$!
	_rounds=0
	while kill -0 $_flood 2>/dev/null; do
		timeout 20 qemu-io -t writeback -f raw "$uri" -c 'write -P 9 0 1M' -c flush \
			-c 'read -P 9 0 1M' >said || fail "not served meanwhile: $(cat said)"
		_rounds=$((_rounds + 1))
	done
	[ $_rounds -gt 3 ] || fail "only $_rounds rounds"
	wait $_flood
	tide pool status sock >said || fail "no status afterwards"
	[ "$(find "/proc/$(child_of $server)/fd" | wc -l)" -lt 60 ] || fail "connections are left open"
	stop || fail "it ended with $?"
	# And a server of the control socket that does wrong.
	for _what in b'x' b'{}' b'NBDMAGIC' b'"x"*2000000'; do
		python3 - "$_what" <<'PYTHON' &
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind("fake")
s.listen()
c, _ = s.accept()
try:
    c.sendall(eval(sys.argv[1]))
except OSError:
    pass
PYTHON
		_fake=$!
		await "no fake server" [ -S fake ]
		sleep 0.1
		tide pool status fake 2>said && fail "$_what is taken for a status"
		grep -q 'does not answer' said || fail "$_what: $(cat said)"
		wait $_fake
		rm fake
	done
}

run_"$1"
