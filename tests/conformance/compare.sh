#!/bin/bash
# compare.sh TIDE ORACLE GEN [ROUNDS [SEED]]: runs tide and the oracle on small random traces and
# stops at the first difference of any count, with the command lines that show it again.
set -u

if [ $# -lt 3 ]; then
	echo "compare.sh: bad usage: compare.sh TIDE ORACLE GEN [ROUNDS [SEED]]" >&2
	exit 2
fi
tide=$1 oracle=$2 gen=$3 rounds=${4:-840} seed=${5:-1}

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trace=$folder/trace.txt
RANDOM=$seed
shape='' spread='' pages='' accesses='' prefetch='' page_kib='' number=''

# pick NAME WORD...: sets NAME to one of the words. No subshells: they would not move RANDOM on.
pick() {
	local -n chosen=$1
	shift
	local at=$((RANDOM % $# + 1))
	# shellcheck disable=SC2034
	chosen=${!at}
}

draw_trace() {
	pick shape uniform zipf scan loop strided phases mixed
	pick spread dense dense dense offset clusters sparse top
	pick pages 1 7 20 40 60 100 250
	pages=$((pages * (1 + per_chunk / 4)))
	pick accesses 20 300 700 1200 2000 2000
	trace_args="$shape $((RANDOM * 32768 + RANDOM)) $accesses $pages $spread"
}

draw_prefetch() {
	pick prefetch none locality locality-stop sequential sequential sequential tree tree aggressive
	case $prefetch in
	sequential) pick prefetch sequential sequential:n={1,2,5,9,24,300} ;;
	tree) pick prefetch tree tree:threshold={1,20,33,50,51,66,75,99,100} ;;
	esac
}

# The policies of cache studies take one page per chunk, and no prefetch across chunks.
draw_policies() {
	local study=(arc 2q lirs s3fifo sieve)
	local all=(fifo lrm lru mru lfu clock random reserved-lru opt "${study[@]}")

	evict=${all[round % ${#all[@]}]}
	case " ${study[*]} " in
	*" $evict "*)
		per_chunk=1
		pick prefetch none none locality locality-stop tree aggressive
		;;
	*)
		pick per_chunk 1 2 3 4 6 8 16 32 64
		draw_prefetch
		;;
	esac
	[ "$evict" = reserved-lru ] &&
		pick evict reserved-lru reserved-lru:pct={0,5,12.5,20,33.3,50,99.9,100}
}

# Mostly sizes that hold a chunk but not the footprint; shares may come out below one chunk, which
# both must refuse.
draw_near() {
	pick page_kib 4 4 16 64
	near_pages=$((per_chunk + RANDOM % (1 + RANDOM % (pages + 3))))
	case $((RANDOM % 6)) in
	0) near=$((1 + RANDOM % 110))% ;;
	1) near=$((1 + RANDOM % 90)).$((1 + RANDOM % 9))% ;;
	2) near=$((near_pages * page_kib * 1024 - RANDOM % 4096)) ;;
	*) near=${near_pages}p ;;
	esac
}

fail() {
	echo "round $round (seed $seed): $1"
	echo "  $gen $trace_args > trace.txt"
	echo "  $tide sim ${args/$trace/trace.txt} --functional --json"
	echo "  $oracle ${args/$trace/trace.txt}"
	echo "tide:   exit $tide_status, $tide_out"
	echo "oracle: exit $oracle_status, $oracle_out"
	exit 1
}

# Every count of the oracle must stand in tide's "counts", in whatever order.
compare_counts() {
	local counts=${tide_out//[[:space:]]/} pair

	[[ $counts =~ \"counts\":\{([^}]*)\} ]] || fail "tide printed no counts"
	counts=,${BASH_REMATCH[1]},
	pair=${oracle_out#\{}
	pair=${pair%\}}
	for pair in ${pair//,/ }; do
		case $counts in
		*",$pair,"*) ;;
		*) fail "the oracle counts $pair" ;;
		esac
	done
}

evicting=0 refused=0
for ((round = 0; round < rounds; round++)); do
	draw_policies
	draw_trace
	draw_near
	pick number 0 1 2 77 18446744073709551615
	args="--trace $trace --page ${page_kib}K --chunk $((page_kib * per_chunk))K --near $near"
	args+=" --evict $evict --prefetch $prefetch --seed $number"
	# shellcheck disable=SC2086
	"$gen" $trace_args > "$trace" || exit 1
	# shellcheck disable=SC2086
	oracle_out=$("$oracle" $args 2>&1)
	oracle_status=$?
	# shellcheck disable=SC2086
	tide_out=$("$tide" sim $args --functional --json 2>&1)
	tide_status=$?
	[ $oracle_status -eq 0 ] || [ $oracle_status -eq 2 ] || fail "the oracle broke"
	[ $tide_status -eq $oracle_status ] || fail "different exit status"
	if [ $oracle_status -eq 2 ]; then
		refused=$((refused + 1))
		continue
	fi
	compare_counts
	case $oracle_out in
	*'"evicted_chunks":0,'*) ;;
	*) evicting=$((evicting + 1)) ;;
	esac
done
echo "$rounds rounds agree: $evicting with evictions, $refused refused by both"
[ $evicting -gt 0 ]
