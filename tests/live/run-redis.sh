#!/bin/sh
# redis, whose allocator is jemalloc, with 40% of its memory: a benchmark, a dump by a forked child,
# and the dump is that of the data.
# usage: run-redis.sh [KEYS [SERVICE]]
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"
keys=${1:-20000}
service=${2:-auto}

# One program under several names: the package redis-tools has it.
program=$(command -v redis-check-rdb) || { echo "skipped: no redis-tools"; exit 77; }
ln -s "$program" redis-server
# A program that the test leaves behind would keep its socket.
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

ask()
{
	timeout 100 redis-cli -s "$work/socket" "$@" 2>&1
}

# figure_of NAME: of INFO
figure_of()
{
	ask info | tr -d '\r' | sed -n "s/^$1://p"
}

# serve DUMP [COMMAND...]: a server in the background that has begun to answer.
serve()
{
	dump=$1
	shift
	rm -f socket
	"$@" ./redis-server --port 0 --unixsocket "$work/socket" --save '' --dir "$work" \
		--dbfilename "$dump" --enable-debug-command yes >server.log 2>said &
	server=$!
	for _ in $(seq 600); do
		[ "$(ask ping)" != PONG ] || return 0
		kill -0 "$server" 2>/dev/null || break
		sleep 0.1
	done
	fail "redis does not answer: $(cat said server.log)"
}

stop()
{
	ask shutdown nosave
	wait "$server" || fail "redis ended with $?: $(cat said)"
	server=
}

work_it()
{
	timeout 300 redis-benchmark -s "$work/socket" -t set,get,lpush,sadd,hset,zadd -n "$keys" \
		-r "$keys" -d 1000 -P 8 -q >bench.log 2>&1 || fail "redis-benchmark: $(cat bench.log)"
}

serve plain.rdb
work_it
near=$(($(figure_of used_memory_rss) * 2 / 5))
stop

serve paged.rdb "$TIDE" run --near $near --service "$service" --stats "$work/stats.json" --
work_it
before=$(ask debug digest)
ask bgsave >/dev/null
for _ in $(seq 600); do
	[ "$(figure_of rdb_bgsave_in_progress)" != 0 ] || break
	sleep 0.1
done
[ "$(figure_of rdb_last_bgsave_status)" = ok ] || fail "BGSAVE failed: $(cat said server.log)"
work_it # the server goes on
stop
was_paged 100
redis-check-rdb paged.rdb >check.log || fail "redis-check-rdb: $(cat check.log)"

serve paged.rdb
[ "$(ask debug digest)" = "$before" ] || fail "the dump is not what was in memory"
stop
echo "near $near bytes, service $service: $(figure evicted_chunks) chunks evicted, the dump is right"
