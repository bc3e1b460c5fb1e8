# Sourced by the others: nbdkit with our plugin, in an empty folder, on a socket of its own.
# shellcheck shell=sh
set -u

plugin=$TIDE_BUILD/nbdkit-tide-plugin.so
work=$(mktemp -d) || exit 1
cd "$work" || exit 1
uri="nbd+unix:///?socket=$work/socket"
server=

# A sanitizer's library must come first, and nbdkit does not know it. nbdkit itself leaks a
# little when it ends in the middle of something.
preload=$(ldd "$plugin" | awk '/lib[at]san/ { print $3 }')
[ -z "$preload" ] || preload="$preload $TIDE_BUILD/tests/live/pool_nbd_early.so"
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"

fail()
{
	echo "$*"
	[ ! -f log ] || sed 's/^/nbdkit said: /' log
	exit 1
}

# need PROGRAM...
need()
{
	for _program in nbdkit "$@"; do
		command -v "$_program" >/dev/null || {
			echo "skipped: no $_program: see scripts/packages.txt"
			exit 77
		}
	done
}

# await WHAT COMMAND...: until it succeeds, for at most 30 s.
await()
{
	_what=$1 _tries=0
	shift
	until "$@"; do
		[ $((_tries += 1)) -lt 600 ] || fail "$_what"
		sleep 0.05
	done
}

kit()
{
	LD_PRELOAD=$preload nbdkit "$@"
}

has_started()
{
	[ -s pid ] || ! kill -0 "$server" 2>/dev/null
}

# serve WORD...: in the background of this shell, until it takes connections.
serve()
{
	rm -f socket pid
	LD_PRELOAD=$preload nbdkit -f --exit-with-parent -U "$work/socket" -P pid "$@" 2>>log &
	server=$!
	await "nbdkit $* did not start" has_started
	[ -s pid ] || fail "nbdkit $* did not start"
}

# A zombie has ended, too.
has_ended()
{
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/$server/stat" 2>/dev/null || echo Z)" = Z ]
}

# stop [SIGNAL]: and its exit status.
stop()
{
	kill -"${1:-TERM}" "$server" 2>/dev/null
	await "nbdkit does not end" has_ended
	_id=$server
	server=
	wait "$_id" 2>/dev/null
}

# shellcheck disable=SC2317 # called by the trap
leave()
{
	[ -z "$server" ] || stop KILL
	cd / && rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM

# io COMMAND...: of qemu-io, one connection for all; by default it would flush after every write.
io()
{
	for _command; do
		set -- "$@" -c "$_command"
		shift
	done
	qemu-io -t writeback -f raw "$@" "$uri"
}

# figure NAME: of the statistics, which must be a JSON document.
figure()
{
	python3 -c 'import json, sys; s = json.load(open("stats.json")); s.update(s.pop("pool"))
s.update(s.pop("counts")); print(s[sys.argv[1]])' "$1" || fail "no $1 in stats.json: $(cat stats.json)"
}

# ask_stats: by the signal; waits for the file.
ask_stats()
{
	rm -f stats.json
	kill -USR1 "$server" || fail "nbdkit is gone"
	await "no statistics after SIGUSR1" [ -f stats.json ]
}
