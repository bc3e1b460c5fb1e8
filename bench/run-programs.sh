# Programs that others wrote, for run-kernel.sh, which sources this. All are in Debian.
#
# A program NAME has two functions. make_NAME makes its input in $place, once. run_NAME runs the
# program with the words before it ("$@" is `tide run ... --`, or nothing), and writes to standard
# output what must be the same in every run. $scale is 1 in the quick form, and 8 else.
# shellcheck shell=sh disable=SC2154,SC2034 # run-kernel.sh sets place and scale, and reads PROGRAMS

PATH=/usr/bin:$PATH # Debian's programs first

PROGRAMS='sort xz zstd python numpy sqlite redis memcached postgres cc1 java node git octave stress fio'

# The command that a program needs.
command_of()
{
	case $1 in
	loop | python | numpy) echo python3 ;;
	sqlite) echo sqlite3 ;;
	redis) echo redis-server ;;
	postgres) echo pgbench ;;
	cc1) echo gcc ;;
	stress) echo stress-ng ;;
	*) echo "$1" ;;
	esac
}

# words N: N lines of text that compresses a little, the same every time.
words()
{
	awk -v n="$1" 'BEGIN {
		x = 1
		for (i = 0; i < n; i++) {
			x = (x * 16807) % 2147483647
			printf "%d the %d-th line of many, %x %d\n", x % 1000003, i, x, x % 97
		}
	}'
}

make_sort() { words $((scale * 300000)) >"$place/sort.in"; }
run_sort() { "$@" sort -S $((scale * 32))M --parallel=2 "$place/sort.in"; }

make_xz() { words $((scale * 25000)) >"$place/xz.in"; }
run_xz() { "$@" xz -9 -T1 -c "$place/xz.in"; }

make_zstd() { words $((scale * 300000)) >"$place/zstd.in"; }
run_zstd() { "$@" zstd -12 --long=27 -T1 -q -c "$place/zstd.in"; }

# A loop over memory, three times: not by others, so it runs only where PROGRAMS names it.
make_loop()
{
	cat >"$place/loop.py" <<'P'
import sys
block = 1 << 20
memory = [bytes([i % 251 + 1]) * block for i in range(int(sys.argv[1]))]
print(sum(sum(m[::4096]) for _ in range(3) for m in memory))
P
}
run_loop() { "$@" python3 "$place/loop.py" $((scale * 16)); }

make_python()
{
	cat >"$place/python.py" <<'P'
import random, sys
n = int(sys.argv[1])
r = random.Random(1)
items = [(r.random(), str(i)) for i in range(n)]
items.sort()
index = {name: at for at, (_, name) in enumerate(items)}
print(sum(index[str(i)] * i for i in range(n)) % 1000000007)
P
}
run_python() { "$@" python3 "$place/python.py" $((scale * 75000)); }

make_numpy()
{
	cat >"$place/arrays.py" <<'P'
import sys
import numpy
n = int(sys.argv[1])
r = numpy.random.default_rng(1)
a = r.random(n)
print(numpy.sort(a)[:: n // 7])
print(abs(numpy.fft.fft(a))[1 :: n // 5].round(3))
m = a[: 1 << 18].reshape(512, 512)
print((m @ m).sum().round(3))
P
	python3 -c 'import numpy' 2>/dev/null
}
run_numpy() { "$@" python3 "$place/arrays.py" $((scale * 400000)); }

make_sqlite()
{
	words $((scale * 100000)) | tr ' ' ',' | cut -d , -f 1-8 >"$place/sqlite.csv"
	cat >"$place/sqlite.sql" <<Q
create table t (a integer, b, c, d, e, f, g, h);
.mode csv
.import $place/sqlite.csv t
create index i on t (a);
select count(*), sum(a) from t;
select sum(x.a) from t x, t y where x.a = y.a + 1;
Q
}
run_sqlite() { "$@" sqlite3 :memory: <"$place/sqlite.sql"; }

make_redis() { :; }
run_redis()
{
	rm -f "$place/dump.rdb" "$place/redis.sock"
	"$@" redis-server --port 0 --unixsocket "$place/redis.sock" --dir "$place" --save '' \
		--dbfilename dump.rdb >"$place/redis.log" 2>&1 &
	_pid=$!
	until redis-cli -s "$place/redis.sock" ping >/dev/null 2>&1; do
		kill -0 $_pid 2>/dev/null || return 1
		sleep 0.05
	done
	redis-benchmark -s "$place/redis.sock" -t set -n $((scale * 50000)) -r $((scale * 50000)) \
		-d 200 -P 16 -q >/dev/null
	redis-cli -s "$place/redis.sock" bgsave >/dev/null
	while redis-cli -s "$place/redis.sock" info persistence |
		grep -q rdb_bgsave_in_progress:1; do sleep 0.05; done
	redis-cli -s "$place/redis.sock" shutdown nosave >/dev/null 2>&1 || :
	wait $_pid
	redis-check-rdb "$place/dump.rdb" | grep -o 'RDB looks OK'
}

make_memcached()
{
	cat >"$place/memcached.py" <<'P'
import socket, sys, time
path, n = sys.argv[1], int(sys.argv[2])
for _ in range(200):
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        break
    except OSError:
        time.sleep(0.05)
f = s.makefile('rwb')
value = b'x' * 900
for i in range(n):
    f.write(b'set k%d 0 0 %d noreply\r\n%s\r\n' % (i, len(value), value))
f.flush()
found = 0
for i in range(0, n, 3):
    f.write(b'get k%d\r\n' % i)
    f.flush()
    line = f.readline()
    while line != b'END\r\n':
        found += line.startswith(b'VALUE')
        line = f.readline()
print(found)
P
}
run_memcached()
{
	rm -f "$place/memcached.sock"
	"$@" memcached -u root -m $((scale * 64)) -t 2 -s "$place/memcached.sock" &
	_pid=$!
	python3 "$place/memcached.py" "$place/memcached.sock" $((scale * 25000))
	kill $_pid
	wait $_pid || :
}

# PostgreSQL does not run as root.
as_postgres() { if [ "$(id -u)" = 0 ]; then setpriv --reuid nobody --clear-groups "$@"; else "$@"; fi; }
make_postgres()
{
	postgres_bin=$(find /usr/lib/postgresql -name initdb -printf '%h\n' 2>/dev/null | tail -n 1)
	[ -n "$postgres_bin" ] || return 1
	mkdir "$place/postgres"
	[ "$(id -u)" != 0 ] || chown nobody "$place/postgres"
	chmod a+x "$place"
	as_postgres "$postgres_bin/initdb" -D "$place/postgres/data" -A trust -U tide >/dev/null
}
run_postgres()
{
	_psql="-h $place/postgres -U tide"
	as_postgres "$@" "$postgres_bin/postgres" -D "$place/postgres/data" -k "$place/postgres" \
		-c listen_addresses= -c shared_buffers=64MB -c fsync=off >"$place/postgres/log" 2>&1 &
	_pid=$!
	until "$postgres_bin/pg_isready" -q -h "$place/postgres"; do
		kill -0 $_pid 2>/dev/null || return 1
		sleep 0.1
	done
	# shellcheck disable=SC2086 # words
	{
		pgbench $_psql -i -s $scale -q postgres 2>/dev/null
		pgbench $_psql -S -t $((scale * 1000)) -c 2 postgres >/dev/null
		psql $_psql -At -c 'select count(*), sum(abalance) from pgbench_accounts' postgres
	}
	kill $_pid
	wait $_pid || :
}

make_cc1()
{
	awk -v n=$((scale * 250)) 'BEGIN {
		print "#include <string.h>"
		for (i = 0; i < n; i++) {
			printf "int f%d(int *a, int n)\n{\n\tint s = %d;\n", i, i
			for (k = 0; k < 8; k++)
				printf "\tfor (int i = %d; i < n; i++) s += a[i] * %d + (s >> %d);\n", k, i + k, k + 1
			print "\treturn s;\n}"
		}
	}' >"$place/cc1.c"
}
run_cc1() { "$@" gcc -O2 -S -o - "$place/cc1.c"; }

make_java()
{
	cat >"$place/Bench.java" <<'P'
import java.util.*;
public class Bench {
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Random r = new Random(1);
        Map<Integer, int[]> map = new HashMap<>();
        for (int i = 0; i < n; i++) map.put(r.nextInt(), new int[] {i, r.nextInt()});
        long sum = 0;
        for (int round = 0; round < 4; round++)
            for (int[] v : map.values()) sum += v[0] ^ v[1];
        System.out.println(map.size() + " " + sum);
    }
}
P
	[ ! -e "$(command -v javac)" ] || javac -d "$place" "$place/Bench.java"
	[ -f "$place/Bench.class" ]
}
run_java() { "$@" java -Xmx512m -XX:+UseSerialGC -cp "$place" Bench $((scale * 200000)); }

make_node()
{
	cat >"$place/node.js" <<'P'
const n = Number(process.argv[2]), a = [];
let x = 1;
for (let i = 0; i < n; i++) { x = (x * 16807) % 2147483647; a.push({key: x, text: 'k' + i}); }
a.sort((p, q) => p.key - q.key);
const m = new Map(a.map((o, i) => [o.text, i]));
let s = 0;
for (let i = 0; i < n; i++) s = (s + m.get('k' + i) * (i % 7)) % 1000000007;
console.log(s);
P
}
run_node() { "$@" node "$place/node.js" $((scale * 75000)); }

make_git()
{
	git init -q "$place/git"
	for _i in $(seq $((scale * 8))); do
		words $((5000 + _i * 50)) >"$place/git/file$((_i % 12))"
		git -C "$place/git" add -A
		git -C "$place/git" -c user.name=a -c user.email=a@b commit -qm "$_i"
	done
}
run_git()
{
	"$@" git -C "$place/git" -c pack.threads=1 repack -adfq --window=250 --depth=50
	git -C "$place/git" fsck --full 2>&1
	git -C "$place/git" rev-parse 'HEAD^{tree}'
}

make_octave() { :; }
run_octave()
{
	"$@" octave-cli --norc --eval \
		"rand('seed', 1); n = $((scale * 140)); a = rand(n); b = a' * a + eye(n); printf('%.6g\n', sum((b \\ a)(:)));"
}

make_stress() { :; }
run_stress()
{
	"$@" stress-ng --vm 1 --vm-bytes $((scale * 24))M --vm-keep --vm-method inc-nybble --vm-ops 20 \
		--verify --quiet && echo verified
}

make_fio() { :; }
run_fio()
{
	"$@" fio --name=job --filename="$place/fio.file" --size=$((scale * 8))M --rw=randrw --bs=64k \
		--ioengine=io_uring --iodepth=32 --direct=1 --verify=crc32c --do_verify=1 --verify_state_save=0 --thread \
		--iomem=malloc --minimal >/dev/null && echo verified
}
