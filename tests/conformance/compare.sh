#!/bin/bash
# compare.sh TIDE ORACLE GEN [ROUNDS [SEED [POLICY]]]: runs tide and the oracle on small random
# traces and stops at the first difference of any count, with the command lines that show it
# again. POLICY: that eviction policy alone, or `place` or `acbm`.
set -u

if [ $# -lt 3 ]; then
	echo "compare.sh: bad usage: compare.sh TIDE ORACLE GEN [ROUNDS [SEED [POLICY]]]" >&2
	exit 2
fi
tide=$1 oracle=$2 gen=$3 rounds=${4:-840} seed=${5:-1}

study=(arc 2q lirs s3fifo sieve)
all=(fifo lrm lru mru lfu clock random reserved-lru opt "${study[@]}" mhpe hpe observ-lru
	observ-lfu cp tournament leu place mhpe acbm tournament leu place)
[ $# -lt 6 ] || all=("$6")

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trace=$folder/trace.txt
RANDOM=$seed
shape='' spread='' pages='' accesses='' prefetch='' page_kib='' number='' value=''

# pick NAME WORD...: sets NAME to one of the words. No subshells: they would not move RANDOM on.
pick() {
	local -n chosen=$1
	shift
	local at=$((RANDOM % $# + 1))
	# shellcheck disable=SC2034
	chosen=${!at}
}

# maybe KEY WORD...: adds KEY=WORD to the policy in `spec`, one time in two.
maybe() {
	local key=$1
	shift
	pick value "$@"
	[ $((RANDOM % 2)) -eq 0 ] || spec+=,$key=$value
}

# The comma before the first parameter is a colon.
finish_spec() {
	spec=${spec/,/:}
}

draw_trace() {
	pick shape uniform zipf scan loop loop strided chunks phases mixed mixed
	pick spread dense dense dense offset clusters sparse top
	pick pages 1 7 20 40 60 100 250
	pages=$((pages * (1 + per_chunk / 4)))
	pick accesses 20 300 700 1200 2000 2000 5000
	[ -z "$place" ] || pick accesses 300 2000 6000 12000 24000
	trace_args="$shape $((RANDOM * 32768 + RANDOM)) $accesses $pages $spread"
}

draw_prefetch() {
	local spec
	pick spec none locality locality-stop sequential sequential sequential tree tree aggressive \
		pattern pattern early-adaptor fdp rgp
	case $spec in
	sequential) maybe n 1 2 5 9 24 300 ;;
	tree) maybe threshold 1 20 33 50 51 66 75 99 100 ;;
	pattern) maybe scheme 1 2 ;;
	esac
	finish_spec
	prefetch=$spec
}

draw_observe() {
	maybe observe 0 1 2 5 100
	maybe samples 1 2 8
	maybe adapt 0 1
}

# Two to four of them, some perhaps twice.
draw_members() {
	local members=(fifo lrm lru mru lfu clock random reserved-lru opt mhpe hpe observ-lru
		observ-lfu cp cp)
	local of='' name i
	case $per_chunk-$prefetch in
	1-sequential* | 1-rgp) ;; # leu takes demand paging alone
	1-*) members+=(leu) ;;
	esac
	for ((i = 0; i < 2 + RANDOM % 3; i++)); do
		pick name "${members[@]}"
		of+=+$name
	done
	[ $((RANDOM % 2)) -eq 0 ] || spec+=,of=${of#+}
	maybe window 1 5 12 64
	maybe margin 1 1.2 0.5 2
}

draw_evict() {
	local spec=$evict
	case $evict in
	reserved-lru) maybe pct 0 5 12.5 20 33.3 50 99.9 100 ;;
	mhpe)
		maybe t1 1 8 32 100
		maybe t2 1 10 40 100
		maybe t3 0 1 5 32
		maybe interval 1 4 16 64 100
		;;
	hpe) maybe interval 1 4 16 64 100 ;;
	observ-lru | observ-lfu | cp) draw_observe ;;
	tournament)
		draw_members
		draw_observe
		;;
	leu)
		maybe by page ref
		maybe refs 2 3 5 20 1024
		maybe sample 0.1 0.5 0.9 1
		maybe train "$trace"
		maybe edge next bin
		;;
	esac
	finish_spec
	evict=$spec
}

draw_place() {
	local spec
	pick spec bam tier-order random reuse reuse reuse reuse
	case $spec in
	random) maybe p 0 0.25 0.9 1 ;;
	reuse)
		maybe window 1 5 100
		maybe replace 0 1
		;;
	esac
	finish_spec
	pick value 0 1 5 20 50 100
	place="--place $spec --host ${value}p" evict=clock prefetch=none per_chunk=1
	[ $((RANDOM % 2)) -eq 0 ] || place+=" --flush"
}

# The policies of cache studies take one page per chunk, and no prefetch across chunks.
draw_policies() {
	evict=${all[round % ${#all[@]}]} place=''
	pick per_chunk 1 1 2 3 4 6 8 16 16 32 64
	draw_prefetch
	case " ${study[*]} leu " in
	*" $evict "*)
		per_chunk=1
		pick prefetch none none locality locality-stop tree aggressive
		;;
	esac
	case $evict in
	acbm)
		pick evict fifo lrm lrm clock random
		local spec=acbm
		maybe threshold 1 2 5 20
		maybe counters 1 2 4 16
		maybe first 0 1
		finish_spec
		prefetch=$spec
		;;
	leu) prefetch=none ;;
	place) draw_place ;;
	esac
	draw_evict
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
	echo "  $tide sim ${args//$trace/trace.txt} --functional --json"
	echo "  $oracle ${args//$trace/trace.txt}"
	[[ ${tide_out//[[:space:]]/} =~ \"counts\":\{[^}]*\},\"policy\":\{[^}]*\} ]] &&
		tide_out=${BASH_REMATCH[0]}
	echo "tide:   exit $tide_status, $tide_out"
	echo "oracle: exit $oracle_status, $oracle_out"
	exit 1
}

# Every count of the oracle, and all that its policy reports, must stand in tide's document, in
# whatever order.
compare_counts() {
	local document=${tide_out//[[:space:]]/} pair

	[[ $document =~ \"counts\":\{([^}]*)\} ]] || fail "tide printed no counts"
	document=${document//[\{\}]/,},
	for pair in ${oracle_out//[,\{\}]/ }; do
		case $document in
		*",$pair,"*) ;;
		*) fail "the oracle has $pair" ;;
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
	args+=" --evict $evict --prefetch $prefetch --seed $number $place"
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
