# What the benches share: settings, traces, measured runs. Sourced by them, after TIDE is set.
# shellcheck shell=sh

# ---- settings; all may come from the environment ----

if [ "${QUICK:-}" = 1 ]; then
	ACCESSES=1000000 PAGES=50000 RESULTS_NAME=bench-quick.jsonl
	: "${REPEAT:=1}" "${SHARES:=10}" "${COUNTED:=lru}"
else
	ACCESSES=20000000 PAGES=1000000 RESULTS_NAME=bench.jsonl
	: "${REPEAT:=3}" "${SHARES:=1 10 50}" "${COUNTED:=}"
fi
: "${POLICIES:=fifo lru clock lfu arc sieve lirs s3fifo 2q opt lrm mru random reserved-lru}"
: "${COUNTED:=$POLICIES}" "${TRACES:=zipf cyclic}" "${CORE:=0}"

TIDE=$(realpath "$TIDE")
BUILD=$(dirname "$TIDE")
SCRATCH=$BUILD/bench/scratch
RESULTS=$BUILD/$RESULTS_NAME

# One core for everything that is compared.
PIN=
if command -v taskset >/dev/null && taskset -c "$CORE" true 2>/dev/null; then
	PIN="taskset -c $CORE"
fi

mkdir -p "$SCRATCH"

fail()
{
	echo "bench: $1" >&2
	exit 1
}

# ---- traces: made once, kept in the build folder ----

# trace_file KIND FORMAT [ACCESSES [PAGES]]: makes it if it is not there, says where it is.
trace_file()
{
	_accesses=${3:-$ACCESSES}
	_pages=${4:-$PAGES}
	_refs=$((_pages < 8 ? _pages : 8))
	_file=$SCRATCH/$1-$_accesses-$_pages.$2
	case $1 in
	zipf) _workload=zipf:skew=0.8,pages=$_pages,accesses=$_accesses ;;
	cyclic) _workload=cyclic:pages=$_pages,accesses=$_accesses ;;
	zipf-refs) _workload=zipf:skew=0.8,refs=$_refs,pages=$_pages,accesses=$_accesses ;;
	cyclic-refs) _workload=cyclic:refs=$_refs,pages=$_pages,accesses=$_accesses ;;
	*) fail "no trace is called $1: there is zipf, cyclic, zipf-refs, cyclic-refs" ;;
	esac
	[ -f "$_file" ] || "$TIDE" trace generate --workload "$_workload" "$_file" >/dev/null ||
		fail "cannot make $_file"
	echo "$_file"
}

# ---- a memory cgroup ----

# Makes one, of version 1 where that has the controller, else of version 2. Sets group, its folder,
# and limit, the file that takes its size; leaves group empty if none can be made.
# shellcheck disable=SC2034 # for those who call it
make_group()
{
	for _root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		_dir=$_root/tide-bench.$$
		mkdir "$_dir" 2>/dev/null || continue
		for _limit in memory.limit_in_bytes memory.max; do
			[ -w "$_dir/$_limit" ] && group=$_dir && limit=$_dir/$_limit && return
		done
		rmdir "$_dir"
	done
	echo "skipped beside the kernel: no memory cgroup can be made here: run it as root"
}

# ---- runs ----

# each_counted COMMAND: runs it for each policy whose instructions are counted, or ends the bench.
each_counted()
{
	if ! command -v valgrind >/dev/null; then
		echo "skipped: valgrind is not installed; make deps gets it"
		exit 0
	fi
	for policy in $COUNTED; do
		"$1" "$policy"
	done
}

near_pages()
{
	echo $((PAGES * $1 / 100))
}

# measured OUT COMMAND...: "SECONDS PEAK_KIB OWN_KIB", see measure.c.
measured()
{
	# shellcheck disable=SC2086 # the words of $PIN
	$PIN "$BUILD/bench/measure" "$@"
}

# policies ROLE: the names of those built in that need no clock, as the runs here have none.
policies()
{
	_clocked=$("$TIDE" policies | awk '$2 ~ /clock/ { print $1 }')
	"$TIDE" policies --json |
		sed -n 's/^      "name": "\(.*\)",$/\1/p; s/^      "role": "\(.*\)",$/\1/p' |
		paste -d ' ' - - | sed -n "s/ $1\$//p" | grep -vxF "${_clocked:-none is called so}"
}

# number KEY FILE: of a JSON document of tide.
number()
{
	sed -n "s/^ *\"$1\": *\([0-9.]*\).*/\1/p" "$2"
}

# ours TRACE POLICY NEAR: one run of single pages without prefetch, as "SECONDS PEAK_KIB OWN_KIB
# RUN_SECONDS HITS FAULTS": of the process, then what the run says of itself.
ours()
{
	_taken=$(measured "$SCRATCH/run.json" "$TIDE" sim --trace "$1" --evict "$2" --near "$3p" \
		--page 4K --chunk 4K --prefetch none --json --progress=never) ||
		fail "tide sim --trace $1 --evict $2 --near $3p failed"
	echo "$_taken $(number seconds "$SCRATCH/run.json")" \
		"$(number hits "$SCRATCH/run.json") $(number faults "$SCRATCH/run.json")"
}

# median FILE: the line in the middle, by its first number.
median()
{
	sort -g "$1" | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'
}

# calc EXPRESSION [FORMAT]: by awk, which gets per(a, b): a / b, or 0 where a clock saw no time in b.
calc()
{
	awk "function per(a, b) { return b > 0 ? a / b : 0 }
		BEGIN { printf \"${2:-%.2f}\", $1 }"
}

# record NAME VALUE...: one JSON line; a value that is no number is written as text.
record()
{
	awk 'BEGIN {
		for (i = 1; i + 1 < ARGC; i += 2) {
			v = ARGV[i + 1]
			if (v !~ /^-?[0-9]+([.][0-9]+)?$/ && v != "true" && v != "false")
				v = "\"" v "\""
			printf "%s\"%s\": %s", i == 1 ? "{" : ", ", ARGV[i], v
		}
		print "}"
	}' "$@" >>"$RESULTS"
}

mib()
{
	calc "$1 / 1024" %.0f
}
