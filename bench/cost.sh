#!/bin/sh
# Claim: no policy's cost per fault grows faster than log n with the number n of resident pages, and
# with 10^6 of them leu takes at most 6 times fifo's time per access.
# Baseline: fifo, on the same trace and core in the same run; for the prefetchers, none.
#
# Every eviction policy runs on single pages without prefetch, every prefetcher under fifo on chunks
# of 16 pages, every placement policy under clock with a tier 2 half as large as near memory. Traces
# have refs and touch twice as many pages as are near. What fills memory and lets policies settle is
# not measured: 4n accesses of zipf, 2.5n of the cyclic scan, and 400,000, within which reuse stops
# sampling. After that every run is timed for the same accesses, 2 million or more, reading included
# (cost.c); 2n more are left, so that opt has a future. Processor time, the best of REPEAT, once
# above 10^6.
#
# Everything slows down when its state outgrows the caches, fifo too, so what decides is
# instructions, counted by callgrind at two sizes: per hit on the cyclic trace with all its pages
# near (where that makes notices, the baseline's), and per fault or notice what that many for each
# other access leave of the whole. Where these are less than one access in 50, nothing can be said
# of one of them, and instructions per access decide; where valgrind is missing, the growth of time
# per access beside the baseline's.
# usage: bench/cost.sh TIDE
set -eu
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
if [ "${QUICK:-}" = 1 ]; then
	: "${COST_SIZES:=1000 4000}" "${COST_COUNTED_SIZES:=1000 4000}" "${COST_COUNTED:=fifo}"
	least_timed=20000 least_counted=8192 settle=0
else
	: "${COST_SIZES:=10000 100000 1000000 10000000}" "${COST_COUNTED_SIZES:=10000 1000000}"
	least_timed=2000000 least_counted=20000 settle=400000
fi
: "${COST_LIMIT:=30}" # seconds of processor time for one run
leu_most=6
leu_near=1000000

# ---- what runs ----

greater()
{
	[ "$1" -gt "$2" ] && echo "$1" || echo "$2"
}

# fill WORKLOAD NEAR: the accesses before those that are measured.
fill()
{
	case $1 in
	zipf) echo $((4 * $2 + settle)) ;;
	cyclic) echo $((5 * $2 / 2 + settle)) ;;
	hits) echo $((2 * $2 + settle)) ;;
	esac
}

# stretch WORKLOAD NEAR LEAST: how many are measured. A scan is seen through all of near memory.
stretch()
{
	case $1 in
	zipf) greater "$3" $(($2 / 5)) ;;
	cyclic) greater "$3" "$2" ;;
	hits) echo "$3" ;;
	esac
}

# trace WORKLOAD NEAR LEAST: its file.
trace()
{
	_kind=$1
	[ "$1" != hits ] || _kind=cyclic
	_length=$(($(fill "$_kind" "$2") + $(stretch "$_kind" "$2" "$3") + 2 * $2))
	trace_file "$_kind-refs" tide $_length $((2 * $2))
}

# combination ROLE NAME NEAR: the last words of a command line of cost.
combination()
{
	case $1 in
	evict) echo "4K $2 none" ;;
	prefetch) echo "64K fifo $2" ;;
	place) echo "4K clock none $2 $(($3 / 2))p" ;;
	esac
}

# command_line ROLE NAME WORKLOAD NEAR LEAST: what cost is called with. For hits alone, all is near.
command_line()
{
	_near=$4
	[ "$3" != hits ] || _near=$((2 * $4))
	echo "$(trace "$3" "$4" "$5") $(fill "$3" "$4") $(stretch "$3" "$4" "$5") ${_near}p" \
		"$(combination "$1" "$2" "$4")"
}

# all COMMAND WORDS...: for every policy, with its role and name before the words.
all()
{
	_command=$1
	shift
	for role in evict prefetch place; do
		for name in $(policies $role); do
			"$_command" $role "$name" "$@"
		done
	done
}

# ---- measuring ----

# bounded "ROLE NAME WORKLOAD NEAR" COMMAND...: its output. Who takes too long is not asked again.
bounded()
{
	_status=0
	_what=$1
	shift
	! grep -q "^${_what% *} " "$SCRATCH/cost.slow" || return 0
	prlimit --cpu="$COST_LIMIT:$((COST_LIMIT + 10))" "$@" 2>"$SCRATCH/cost.log" || _status=$?
	case $_status in
	0) ;;
	152) echo "$_what $*" >>"$SCRATCH/cost.slow" ;; # by SIGXCPU
	*) fail "$*: $(tail -n 1 "$SCRATCH/cost.log")" ;;
	esac
}

# timed ROLE NAME WORKLOAD NEAR: appends these and "ACCESSES HITS FAULTS NOTICES SECONDS FULL".
timed()
{
	# shellcheck disable=SC2046,SC2086 # words
	_line=$(bounded "$*" $PIN "$BUILD/bench/cost" $(command_line "$@" $least_timed))
	[ -z "$_line" ] || echo "$* $_line" >>"$SCRATCH/cost.timed"
}

# counted ROLE NAME WORKLOAD NEAR: appends these and "INSTRUCTIONS ACCESSES HITS FAULTS NOTICES".
counted()
{
	[ -z "${COST_COUNTED:-}" ] || echo " $COST_COUNTED " | grep -q " $2 " || return 0
	# shellcheck disable=SC2046 # words
	_line=$(bounded "$*" valgrind --tool=callgrind --instr-atstart=no \
		--callgrind-out-file="$SCRATCH/callgrind.out" "$BUILD/bench/cost" \
		$(command_line "$@" $least_counted))
	[ -z "$_line" ] || echo "$* $(sed -n 's/^totals: *//p' "$SCRATCH/callgrind.out")" \
		"${_line% * *}" >>"$SCRATCH/cost.counted"
}

measure()
{
	for near in $COST_SIZES; do
		for _ in $(seq "$([ "$near" -gt 1000000 ] && echo 1 || echo "$REPEAT")"); do
			all timed zipf "$near"
			all timed cyclic "$near"
		done
	done
	command -v valgrind >/dev/null || return 0
	for near in $COST_COUNTED_SIZES; do
		for workload in zipf cyclic hits; do
			all counted $workload "$near"
		done
	done
}

# ---- telling ----

cat <<TEXT

cost: no policy's cost per fault grows faster than log n with n resident pages; leu at 10^6 at most
${leu_most}x fifo's time per access
  baseline: fifo on the same trace${PIN:+, on core $CORE}; for the prefetchers, which run under fifo
  on chunks of 16 pages, none; placement policies run under clock
  processor time after memory is full, best of $REPEAT, once above 10^6 pages
  ns: per access; x: times the baseline's; fault: ns by faults, hits included; ~: memory was not full
TEXT
: >"$SCRATCH/cost.timed"
: >"$SCRATCH/cost.counted"
: >"$SCRATCH/cost.slow"
measure
cat "$SCRATCH/cost.timed" "$SCRATCH/cost.counted" |
	awk -v sizes="$COST_SIZES" -v counted_sizes="$COST_COUNTED_SIZES" -v leu_most=$leu_most \
		-v leu_near=$leu_near -v results="$RESULTS" -f "$(dirname "$0")/cost.awk"
while read -r slow; do
	echo "not measured, more than $COST_LIMIT seconds: $slow"
done <"$SCRATCH/cost.slow"
