#!/bin/sh
# Claims: from a file, with near memory a quarter of it and direct I/O, the pager reads at random at
# least as fast as mmap with MADV_RANDOM, and in order at 80% of the kernel's speed or more, with
# read-ahead by rgp or sequential; a scan round and round 1.25 times near memory, which writes, runs
# at least 3 times as fast under cp or mhpe as under the kernel's own paging.
# Baseline: the kernel, in a memory cgroup of the size of near memory, on the same file (or, for the
# scan, on a shared file of the size of the scan in the same folder), in turns.
#
# From the environment: TIDE_BENCH_DIR (/var/tmp: a folder on the storage to measure), FILE_MIB
# (2048), NEAR_MIB (512), READS (60000 at random), SCAN_MIB (256: near memory of the scan), PASSES (8
# of the scan, after one that does not count).
# Needs root, or a cgroup that may be made; without, it says so and leaves the comparisons out.
# usage: bench/pager-file.sh TIDE
set -eu
# shellcheck disable=SC2034 # for common.sh
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"

if [ "${QUICK:-}" = 1 ]; then
	: "${FILE_MIB:=128}" "${NEAR_MIB:=32}" "${READS:=2000}" "${SCAN_MIB:=16}" "${PASSES:=1}"
fi
: "${TIDE_BENCH_DIR:=/var/tmp}" "${FILE_MIB:=2048}" "${NEAR_MIB:=512}" "${READS:=60000}"
: "${SCAN_MIB:=256}" "${PASSES:=8}"
program=$BUILD/bench/pager_file
pages=$((FILE_MIB * 256))
file=$TIDE_BENCH_DIR/tide-bench.$$
group=

# ---- the cgroup ----

# shellcheck disable=SC2317 # called by the trap
clean()
{
	rm -f "$file" "$file.far"
	[ -z "$group" ] || rmdir "$group"
}

# bounded MIB COMMAND...: in the cgroup.
bounded()
{
	echo $(($1 << 20)) >"$limit"
	shift
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@"
}

# ---- measurements: "SECONDS FAULTS READ WRITTEN", the quickest of REPEAT, in turns ----

# sample NAME COMMAND...
sample()
{
	_name=$1
	shift
	"$@" >>"$SCRATCH/samples.$_name" || echo "bench: $* failed" >&2
}

seconds()
{
	median "$SCRATCH/samples.$1" | cut -d ' ' -f 1
}

# compare WHAT UNITS LEAST ROW... [-- ROW...]: prints them, the kernel's first. The best must have
# LEAST times its rate; those behind -- are beside the claim.
compare()
{
	_what=$1 _units=$2 _least=$3
	shift 3
	_base='' _judged=true _best=0 _of=
	for _row in "$@"; do
		[ "$_row" != -- ] || _judged=false
		[ -f "$SCRATCH/samples.$_row" ] || continue
		[ -s "$SCRATCH/samples.$_row" ] || {
			printf '%-11s %-38s failed\n' "$_what" "$_row"
			continue
		}
		_time=$(seconds "$_row")
		_ratio=-
		if [ "$_row" = kernel ]; then
			_base=$_time
		elif [ -n "$_base" ]; then
			_ratio=$(calc "per($_base, $_time)")
			[ $_judged = false ] || [ "$(calc "($_ratio > $_best)" %d)" = 0 ] ||
				_best=$_ratio _of=$_row
		fi
		show_row
	done
	[ -z "$_base" ] || echo "$_what: $_of has $_best times the kernel's rate, at least $_least:" \
		"$(calc "($_best >= $_least ? \"met\" : \"NOT met\")" %s)"
}

# Of _row, _time and _ratio, which compare has set.
show_row()
{
	_rate=$(calc "per($_units, $_time)" %.0f)
	# shellcheck disable=SC2046 # the fields of a sample
	set_fields $(median "$SCRATCH/samples.$_row")
	printf '%-11s %-38s %8s %9s %8s %8s %8s %6s\n' "$_what" "$_row" "$(calc "$_time")" \
		"$_rate" "$faults" "$read_mib" "$written_mib" "$_ratio"
	record bench pager-file what "$_what" by "$_row" seconds "$_time" per_second "$_rate" \
		faults "$faults" ratio "$_ratio"
}

set_fields()
{
	faults=$2
	read_mib=$(calc "$3 / 1048576" %.0f)
	written_mib=$(calc "$4 / 1048576" %.0f)
}

# tide_reads HOW ACCESSES PAGE CHUNK PREFETCH MAPPING: named by the last four.
tide_reads()
{
	sample "$3-$4-$5-$6" "$program" tide "$file" "$1" "$2" "${NEAR_MIB}M" "$3" "$4" lrm "$5" "$6"
}

random_reads()
{
	rm -f "$SCRATCH"/samples.*
	for _ in $(seq "$REPEAT"); do
		[ -z "$group" ] || sample kernel bounded "$NEAR_MIB" "$program" kernel "$file" random "$READS"
		tide_reads random "$READS" 4K 4K none exact
		tide_reads random "$READS" 4K 64K none exact
		tide_reads random "$READS" 4K 4K none fast
	done
	compare random "$READS" 1 kernel 4K-4K-none-exact 4K-64K-none-exact 4K-4K-none-fast
}

sequential_reads()
{
	rm -f "$SCRATCH"/samples.*
	for _ in $(seq "$REPEAT"); do
		[ -z "$group" ] ||
			sample kernel bounded "$NEAR_MIB" "$program" kernel "$file" sequential "$pages"
		for _pages in 4K-64K 64K-1M; do
			for _mapping in exact fast; do
				tide_reads sequential "$pages" ${_pages%-*} ${_pages#*-} sequential $_mapping
			done
			tide_reads sequential "$pages" ${_pages%-*} ${_pages#*-} rgp auto
		done
		tide_reads sequential "$pages" 4K 64K sequential:n=512 fast
	done
	compare sequential "$pages" 0.8 kernel 4K-64K-sequential-exact 4K-64K-sequential-fast \
		4K-64K-sequential:n=512-fast 4K-64K-rgp-auto 64K-1M-sequential-exact 64K-1M-sequential-fast 64K-1M-rgp-auto
}

cyclic_scan()
{
	_bytes=$((SCAN_MIB * 5 / 4 << 20))
	_far=$file.far # the kernel pages to a file, or, where there is any, to swap
	[ "$(wc -l </proc/swaps)" -le 1 ] || _far=-
	_rows='4K-64K-cp-sequential 64K-256K-cp-sequential:n=32 64K-512K-cp-sequential:n=64
		64K-256K-cp-locality 4K-64K-mhpe-locality
		64K-256K-mhpe-sequential:n=32 4K-64K-lrm-locality'
	rm -f "$SCRATCH"/samples.*
	for _ in $(seq "$REPEAT"); do
		[ -z "$group" ] ||
			sample kernel bounded "$SCAN_MIB" "$program" dirty "$_far" $_bytes "$PASSES"
		for _row in $_rows; do
			# shellcheck disable=SC2046 # page, chunk, policies
			sample "$_row-tier3" "$program" cyclic "$file.far" $_bytes "$PASSES" \
				"${SCAN_MIB}M" $(echo "$_row" | tr - ' ') auto
			# shellcheck disable=SC2046
			sample "$_row-tier2" "$program" cyclic - $_bytes "$PASSES" \
				"${SCAN_MIB}M" $(echo "$_row" | tr - ' ') auto
		done
	done
	# shellcheck disable=SC2046,SC2086 # lists
	compare scan $((PASSES * _bytes / 4096)) 3 kernel $(printf '%s-tier3 ' ${_rows% *}) -- \
		${_rows##* }-tier3 $(printf '%s-tier2 ' $_rows)
}

trap clean EXIT
cat <<TEXT

pager-file: random reads as fast as mmap with MADV_RANDOM, sequential reads at 80% of the kernel's,
  a scan of 1.25 times near memory under cp or mhpe 3 times as fast as the kernel's paging
  baseline: the kernel in a memory cgroup of the size of near memory, in turns, median of $REPEAT
  $FILE_MIB MiB in $TIDE_BENCH_DIR, $NEAR_MIB near; the scan: $SCAN_MIB near, $PASSES passes of writes
  after one that does not count

TEXT
"$program" cyclic - 1048576 1 1M 4K 4K fifo none auto >/dev/null || {
	record bench pager-file skipped true
	echo "skipped: the pager does not run here"
	exit 0
}
make_group
"$program" make "$file" $((FILE_MIB << 20))
printf '%-11s %-38s %8s %9s %8s %8s %8s %6s\n' what by seconds pages/s faults 'read MiB' written ratio
random_reads
sequential_reads
cyclic_scan
