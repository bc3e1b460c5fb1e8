#!/bin/sh
# Claim: in the same minute, on the same core and the same file, at least 7 times the accesses a
# second of libCacheSim for lru, fifo, clock, lfu, arc and sieve, 12 times for lirs and s3fifo, 5
# times for opt, at no more than half its peak memory, with 10% of the pages near.
# Baseline: libCacheSim's program cachesim, which PEER names; without PEER this bench is skipped.
#
# Runs take turns: ours on the oraclegeneral file, cachesim on that file, ours on the same
# accesses as a tide file. Seconds are those of whole processes, the median of REPEAT. cachesim maps
# its trace, so its peak holds the file; the peaks without file pages are given beside. Faults stand
# beside each other because some definitions have variants: clock and lirs do not the same work.
# usage: PEER=/path/to/cachesim bench/peer.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"

# peer TRACE ALGORITHM NEAR: "SECONDS PEAK_KIB OWN_KIB MILLION_A_SECOND MISS_RATIO", the last two
# as it says itself. It leaves files where it runs.
peer()
{
	mkdir -p "$SCRATCH/peer"
	_taken=$(cd "$SCRATCH/peer" && measured out "$PEER" "$1" oracleGeneral "$2" "$3" \
		--ignore-obj-size 1 --num-thread 1 2>log) || fail "$PEER failed: see $SCRATCH/peer/log"
	echo "$_taken $(sed -n 's/.*miss ratio \([0-9.]*\), throughput \([0-9.]*\) MQPS.*/\2 \1/p' \
		"$SCRATCH/peer/out")"
}

target()
{
	case $1 in
	lirs | s3fifo) echo 12 ;;
	opt) echo 5 ;;
	*) echo 7 ;;
	esac
}

algorithm()
{
	[ "$1" = opt ] && echo belady || echo "$1"
}

# report TRACE SHARE POLICY SAME_FILE(6) OWN_FORMAT(6) PEER(5)
report()
{
	_trace=$1 _share=$2 _policy=$3
	shift 3
	_same=$(calc "per(${13}, $1)") _own=$(calc "per(${13}, $7)")
	_peak=$(calc "per($2, ${14})" %.3f) _peak_own=$(calc "per($3, ${15})" %.3f)
	_target=$(target "$_policy")
	record bench peer trace "$_trace" policy "$_policy" near_pages "$(near_pages "$_share")" \
		accesses "$ACCESSES" faults "$6" peer_miss_ratio "${17}" seconds_same_file "$1" \
		seconds_own_format "$7" peer_seconds "${13}" peer_million_per_second "${16}" \
		ratio_same_file "$_same" ratio_own_format "$_own" target "$_target" \
		peak_bytes $(($2 * 1024)) peer_peak_bytes $((${14} * 1024)) peak_ratio "$_peak" \
		without_files_bytes $(($3 * 1024)) peer_without_files_bytes $((${15} * 1024)) \
		without_files_ratio "$_peak_own"
	echo "$_policy $_same $_own $_peak $_peak_own $_target" >>"$SCRATCH/ratios"
	printf '%-6s %3s%% %-7s %6s%% %6s%% %6s %6s %6s %7s %6s %7s %5s %5s %6s\n' \
		"$_trace" "$_share" "$_policy" "$(calc "$6 * 100 / $ACCESSES")" \
		"$(calc "${17} * 100")" "$(calc "per($ACCESSES, $1) / 1e6" %.1f)" \
		"$(calc "per($ACCESSES, $7) / 1e6" %.1f)" "$(calc "per($ACCESSES, ${13}) / 1e6" %.1f)" \
		"${16}" "${_same}x" "${_own}x" "$(mib "$2")" "$(mib "${14}")" "$_peak"
}

# one TRACE SHARE POLICY
one()
{
	near=$(near_pages "$2")
	same=$(trace_file "$1" oraclegeneral) own=$(trace_file "$1" tide)
	for who in same own peer; do
		: >"$SCRATCH/samples.$who"
	done
	for _ in $(seq "$REPEAT"); do
		ours "$same" "$3" "$near" >>"$SCRATCH/samples.same"
		peer "$same" "$(algorithm "$3")" "$near" >>"$SCRATCH/samples.peer"
		ours "$own" "$3" "$near" >>"$SCRATCH/samples.own"
	done
	# shellcheck disable=SC2046 # the fields of the samples
	report "$1" "$2" "$3" $(median "$SCRATCH/samples.same") $(median "$SCRATCH/samples.own") \
		$(median "$SCRATCH/samples.peer")
}

# The worst of each policy decides.
verdicts()
{
	awk '
	function said(ok) { return ok ? "met" : "NOT met" }
	!($1 in same) { name[++n] = $1; same[$1] = $2; own[$1] = $3 }
	{
		if ($2 < same[$1]) same[$1] = $2
		if ($3 < own[$1]) own[$1] = $3
		if ($4 > peak[$1]) peak[$1] = $4
		if ($5 > without[$1]) without[$1] = $5
		target[$1] = $6
	}
	END {
		printf "%-7s %6s  %15s  %15s  %15s  %15s\n", "worst", "target", "same file",
			"own format", "peak (0.5)", "without files"
		for (i = 1; i <= n; i++) {
			p = name[i]; t = target[p]
			printf "%-7s %5dx %7.2fx %-7s %7.2fx %-7s %8.3f %-7s %8.3f %-7s\n", p, t,
				same[p], said(same[p] >= t), own[p], said(own[p] >= t),
				peak[p], said(peak[p] <= 0.5), without[p], said(without[p] <= 0.5)
		}
	}' "$SCRATCH/ratios"
}

cat <<TEXT

peer: 7 times libCacheSim's accesses a second for lru fifo clock lfu arc sieve, 12 for lirs s3fifo,
5 for opt, at no more than half its peak memory
  baseline: cachesim on the same oraclegeneral file, in turns${PIN:+, on core $CORE}
  medians of $REPEAT; $ACCESSES accesses over $PAGES pages; whole processes
  says: what cachesim prints itself

                    faults          million a second               ratio          peak, MiB
trace  near policy     ours   peer  same    own   peer    says   same     own  ours  peer  ratio
TEXT
if [ -z "${PEER:-}" ]; then
	echo "skipped: set PEER to libCacheSim's program cachesim"
	exit 0
fi
command -v "$PEER" >/dev/null || fail "cannot run $PEER: set PEER to libCacheSim's program cachesim"
PEER=$(realpath "$(command -v "$PEER")")
: >"$SCRATCH/ratios"
for trace in $TRACES; do
	for share in $SHARES; do
		for policy in ${PEER_POLICIES:-fifo lru clock lfu arc sieve lirs s3fifo opt}; do
			one "$trace" "$share" "$policy"
		done
	done
done
echo
[ "${QUICK:-}" != 1 ] ||
	echo "a short run, in which cachesim's start weighs: the claim is for the full one"
verdicts
