#!/bin/sh
# Claim: the exact lru curve at least 5 times as fast as libCacheSim's exact tool, within 200 MB, and
# the curve of 1% of the pages at least 3 times as fast as its SHARDS, with its error shown. The exact
# curves of s3fifo, arc and lfu, 50 sizes on one thread, take at most 12 s of processor time each, and
# their sampled curves at most 3, with a mean error below 0.005.
# Baseline: libCacheSim's programs distUtil (exact stack distances), which PEER_MRC names, and
# mrcProfiler (SHARDS), which PEER_SHARDS names; without them only ours are run.
#
# Seconds are those of whole processes, the median of REPEAT, reading the same oraclegeneral file;
# "own" is ours on the same accesses as a tide file. 50 sizes. The other curves that come from one
# pass stand beside. The error is the mean distance between the sampled and the exact miss ratio.
# usage: [PEER_MRC=/path/to/distUtil] [PEER_SHARDS=/path/to/mrcProfiler] bench/mrc.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
most_mb=200 exact_most=12 sampled_most=3 error_most=0.005

# curve TRACE OPTIONS...: "SECONDS PEAK_KIB OWN_KIB"
curve()
{
	measured "$SCRATCH/curve.json" "$TIDE" mrc --json --progress=never --trace "$@" ||
		fail "tide mrc --trace $* failed"
}

# peer PROGRAM ARGUMENTS...: the same of another program, which leaves files where it runs.
peer()
{
	mkdir -p "$SCRATCH/peer"
	(cd "$SCRATCH/peer" && measured out "$@" 2>log) || fail "$1 failed: see $SCRATCH/peer/log"
}

exact_peer()
{
	peer "$PEER_MRC" "$1" oracleGeneral stack_dist "$SCRATCH/peer/dist" cntTxt
}

sampled_peer()
{
	peer "$PEER_SHARDS" "$1" oracleGeneral --algo=LRU --profiler=SHARDS \
		--profiler-params=FIX_RATE,0.01,42 --size=0.02,1,50 --ignore-obj-size
}

# one NAME PEER-FUNCTION|- TIMES OPTIONS...: in turns on both files and with the peer, then a line.
one()
{
	name=$1 other=$2 times=$3
	shift 3
	for who in same own peer; do
		: >"$SCRATCH/samples.$who"
	done
	for _ in $(seq "$REPEAT"); do
		curve "$(trace_file zipf oraclegeneral)" "$@" >>"$SCRATCH/samples.same"
		[ "$other" = - ] ||
			"$other" "$(trace_file zipf oraclegeneral)" >>"$SCRATCH/samples.peer"
		curve "$(trace_file zipf tide)" "$@" >>"$SCRATCH/samples.own"
	done
	# shellcheck disable=SC2046 # the fields of the samples
	report "$name" "$times" $(median "$SCRATCH/samples.same") $(median "$SCRATCH/samples.own") \
		$(median "$SCRATCH/samples.peer")
}

# report NAME TIMES SAME(3) OWN(3) [PEER(3)]
report()
{
	_ratio=$(calc "per(${9:-0}, $3)") _mb=$(calc "$4 * 1024 / 1e6" %.0f)
	_met=-
	if [ "$2" != 0 ] && [ $# -lt 9 ]; then
		_met="not compared"
	elif [ "$2" != 0 ]; then
		_met=$(calc "$2 <= $_ratio ? \"met\" : \"NOT met\"" %s)
	fi
	record bench mrc curve "$1" accesses "$ACCESSES" pages "$PAGES" seconds_same_file "$3" \
		seconds_own_format "$6" peak_bytes $(($4 * 1024)) peer_seconds "${9:-0}" \
		ratio "$_ratio" target "$2" met "$_met"
	printf '%-12s %9s %9s %9s %7s %7s %9s  %s\n' "$1" "$3" "$6" "${9:--}" \
		"${_ratio}x" "${2}x" "$_mb" "$_met"
	if [ "$1" = lru ]; then
		memory=$_mb
	fi
}

# lanes POLICY: its exact curve, and the sampled one that is the default, beside the exact one.
lanes()
{
	_file=$(trace_file zipf oraclegeneral)
	for _kind in exact auto; do
		: >"$SCRATCH/samples.$_kind"
	done
	for _ in $(seq "$REPEAT"); do
		for _kind in exact auto; do
			_exact=--exact
			[ $_kind = exact ] || _exact=
			# shellcheck disable=SC2086 # the words of $PIN
			$PIN "$BUILD/bench/measure" -p "$SCRATCH/$_kind.json" "$TIDE" mrc --json \
				--progress=never --evict "$1" --near 50 --jobs 1 --trace "$_file" \
				$_exact >>"$SCRATCH/samples.$_kind" ||
				fail "tide mrc --evict $1 failed"
		done
	done
	for _kind in exact auto; do
		number miss_ratio "$SCRATCH/$_kind.json" >"$SCRATCH/$_kind.ratios"
	done
	_error=$(paste -d ' ' "$SCRATCH/exact.ratios" "$SCRATCH/auto.ratios" |
		awk '{ d = $1 - $2; sum += d < 0 ? -d : d } END { printf "%.5f", NR ? sum / NR : 1 }')
	# shellcheck disable=SC2046 # the fields of the samples
	set -- "$1" $(median "$SCRATCH/samples.exact") $(median "$SCRATCH/samples.auto")
	_met=$(calc "$2 <= $exact_most && $5 <= $sampled_most && $_error < $error_most ? \"met\" : \"NOT met\"" %s)
	record bench mrc curve "$1" accesses "$ACCESSES" pages "$PAGES" processor_seconds "$2" \
		peak_bytes $(($3 * 1024)) sampled_processor_seconds "$5" \
		sampled_peak_bytes $(($6 * 1024)) sampled_error "$_error" \
		target "$exact_most" sampled_target "$sampled_most" met "$_met"
	printf '%-8s %9s %9s %9s %9s %9s  %s\n' "$1" "$2" "$(calc "$3 * 1024 / 1e6" %.0f)" "$5" \
		"$(calc "$6 * 1024 / 1e6" %.0f)" "$_error" "$_met"
}

cat <<TEXT

mrc: the exact lru curve 5 times as fast as libCacheSim's exact tool, within $most_mb MB; the curve of
1% of the pages 3 times as fast as its SHARDS
  baseline: distUtil and mrcProfiler, where PEER_MRC and PEER_SHARDS name them${PIN:+; on core $CORE}
  medians of $REPEAT; zipf, $ACCESSES accesses over $PAGES pages; whole processes, 50 sizes

              seconds                                       peak
curve         same file       own      peer   ratio  target        MB
TEXT
one lru "$([ -n "${PEER_MRC:-}" ] && echo exact_peer || echo -)" 5
one "lru, 1%" "$([ -n "${PEER_SHARDS:-}" ] && echo sampled_peer || echo -)" 3 --sample 0.01
for policy in opt vmin osl; do
	one $policy - 0 --evict $policy
done
curve "$(trace_file zipf tide)" --sample 0.01 --verify >/dev/null
echo
echo "memory of the exact lru curve: $memory MB, at most $most_mb:" \
	"$(calc "$memory <= $most_mb ? \"met\" : \"NOT met\"" %s)"
echo "mean error of the sampled curve: estimated $(number estimated_error "$SCRATCH/curve.json" |
	head -n 1), in truth $(number true_error "$SCRATCH/curve.json" | head -n 1)"
cat <<TEXT

exact curves of many sizes in one pass, at most $exact_most s of processor time; the sampled ones at most
$sampled_most, with a mean error below $error_most

curve        exact        MB   sampled        MB     error
TEXT
for policy in s3fifo arc lfu; do
	lanes $policy
done
