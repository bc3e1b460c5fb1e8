#!/bin/sh
# Real programs with a fraction of the memory they use: the same output as without tide.
# usage: run-programs.sh sort|python|sqlite|xz|gcc|matmul [PROGRAM]
# TIDE_LONG set: sort gets a gigabyte.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

# same OPTIONS COMMAND...: plain, then paged by both services; output and status are the same.
same()
{
	options=$1
	shift
	"$@" >plain </dev/null || fail "$* fails without tide"
	for service in auto signal; do
		# shellcheck disable=SC2086
		tide run $options --service $service --stats stats.json -- "$@" >paged 2>said </dev/null ||
			fail "$* ended with $? under tide: $(cat said)"
		cmp plain paged || fail "$*: not the same output with --service $service"
		was_paged 100
	done
}

need()
{
	command -v "$1" >/dev/null || { echo "skipped: no $1"; exit 77; }
}

# lines MEGABYTES: in no order.
lines()
{
	awk -v n=$(($1 * 16384)) 'BEGIN {
		pad = "which is followed by what makes it a line of some length"
		for (x = 1; n > 0; n--) {
			x = (x * 69069 + 1) % 4294967296
			printf "%010d %.52s\n", x, pad
		}
	}'
}

sort_()
{
	size=64
	[ -z "${TIDE_LONG:-}" ] || size=1024
	lines "$size" >in
	LC_ALL=C
	export LC_ALL
	same "--near ${size}M" sort -S $((size * 3))M --parallel=2 in
}

python()
{
	need python3
	cat >dict.py <<'END'
import hashlib
d = {}
for i in range(150000):
    d["key %d" % i] = "value %d" % (i * 7919 % 1000003)
sums = hashlib.sha256()
for key, value in d.items():
    sums.update((key + value).encode())
for i in range(0, 150000, 401):
    sums.update(d["key %d" % (i * 31 % 150000)].encode())
print(len(d), sums.hexdigest())
END
	same "--near 12M" python3 -S -E dict.py
}

sqlite()
{
	need sqlite3
	cat >script.sql <<'END'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
	INSERT INTO t SELECT i, printf('row %d of many, many rows', i), i * 7919 % 1000003 FROM n;
CREATE INDEX u ON t(c);
SELECT count(*), sum(c), min(b), max(b) FROM t WHERE c % 7 = 3;
SELECT a, b FROM t ORDER BY c LIMIT 5;
END
	# Its pages in one block, as programs that embed it often have them.
	same "--near 4M" sqlite3 -init script.sql -pagecache 4400 10000 :memory: .quit
}

xz_()
{
	need xz
	lines 2 >in
	same "--near 8M --chunk 4K" xz -9 -T1 -c in
	cp plain in.xz
	same "--near 1M --chunk 4K" xz -d -c in.xz
	cmp in plain || fail "not what it was"
}

gcc_()
{
	cat >compile.sh <<'END'
"$CC" -std=gnu11 -D_GNU_SOURCE -O2 -g -I"$TIDE_SOURCE/include" -I"$TIDE_SOURCE/src" \
	-c "$TIDE_SOURCE/src/engine/registry.c" -o out.o && cat out.o
END
	same "--near 3M" sh compile.sh
}

matmul()
{
	same "--near 2M" "$program" 512 2
}

program=${2:-}
case $1 in
sort | xz | gcc) "$1"_ ;;
*) "$1" ;;
esac
