#!/bin/sh
# `tide run` beside what the kernel offers: programs that others wrote, in 60% and 40% of the memory
# that each of them takes at its peak. tide runs them twice: with its pager, and by --mapping kernel.
# Claims, for each of the two: the geometric mean of tide's times over the kernel's is at most 1.1, and the worst at most
# 1.5; at least three programs take half of the kernel's time or less; every output is that of the
# program alone.
# Baseline: the kernel, in a memory cgroup of that size, with a zram disk (lz4) as swap; in turns,
# medians.
#
# From the environment: PROGRAMS (all), SHARES ("60 40"), TIDE_BENCH_DIR (/var/tmp), RUN_OPTIONS
# (further options of tide run), KERNEL_OPTIONS (the same by --mapping kernel), WAYS ("kernel tide
# mapped", in turns), RUN_LIMIT (120: seconds after which a run counts as one that hangs),
# RUN_KERNEL (yes; no: tide alone).
# The kernel needs root, a memory cgroup and zram; without them tide's pager runs alone. A program that is
# not installed is left out.
# usage: bench/run-kernel.sh TIDE
set -eu
# shellcheck disable=SC2034 # for common.sh
TIDE=$1
asked=${PROGRAMS:-} shares=${SHARES:-60 40}
here=$(dirname "$0")
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$here/common.sh"
# shellcheck source=SCRIPTDIR/run-programs.sh disable=SC1091
. "$here/run-programs.sh"
scale=8
if [ "${QUICK:-}" = 1 ]; then
	scale=1 shares=60
	: "${asked:=sort python}"
fi
: "${asked:=$PROGRAMS}" "${TIDE_BENCH_DIR:=/var/tmp}" "${RUN_OPTIONS:=}" "${RUN_LIMIT:=120}" \
	"${KERNEL_OPTIONS:=}" "${WAYS:=kernel tide mapped}" \
	"${RUN_KERNEL:=yes}"
place=$(mktemp -d "$TIDE_BENCH_DIR/tide-bench.XXXXXX")
swap='' group=''

# shellcheck disable=SC2317 # called by the trap
clean()
{
	drop_swap
	[ -z "$group" ] || rmdir "$group"
	rm -rf "$place"
}

# ---- what the kernel needs ----

# A zram disk of our own. It has to be added, because others may use those that are there.
make_swap()
{
	_number=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || return 1
	swap=/dev/zram$_number
	echo lz4 >"/sys/block/zram$_number/comp_algorithm" &&
		echo 4G >"/sys/block/zram$_number/disksize" &&
		mkswap "$swap" >/dev/null && swapon "$swap"
}

# shellcheck disable=SC2317 # called by the trap
drop_swap()
{
	[ -n "$swap" ] || return 0
	swapoff "$swap" 2>/dev/null || :
	echo "${swap#/dev/zram}" >/sys/class/zram-control/hot_remove
}

# ---- runs ----

# run NAME OUT WORD...: the program behind these words. "SECONDS PEAK_KIB" on standard output.
run()
{
	_name=$1 _out=$2
	shift 2
	# A shell of its own, whose children are counted.
	# shellcheck disable=SC2016 # that shell expands them
	place=$place scale=$scale postgres_bin=${postgres_bin:-} timeout "$RUN_LIMIT" \
		"$BUILD/bench/measure" "$_out" sh -c '. "$0"; "run_$@"' \
		"$here/run-programs.sh" "$_name" "$@" 2>"$place/messages"
}

# one HOW NAME KIB: a run in so much memory, added to its samples.
one()
{
	# shellcheck disable=SC2086 # one word per option
	case $1 in
	tide) set -- "$@" "$TIDE" run --near "$3K" --host "${peak_kib}K" --host-kind lz4 $RUN_OPTIONS -- ;;
	mapped) set -- "$@" "$TIDE" run --mapping kernel --near "$3K" $KERNEL_OPTIONS -- ;;
	kernel) set -- "$@" sh "$place/bounded" ;;
	esac
	_how=$1 _program=$2
	[ -z "$group" ] || echo $(($3 << 10)) >"$limit"
	shift 3
	_sample=$(run "$_program" "$place/out" "$@") || {
		echo "$_program: $_how failed: $(head -n 1 "$place/messages")" >&2
		return 0
	}
	echo "$_sample" >>"$SCRATCH/run.$_how"
	cmp -s "$place/out" "$place/$_program.out" || echo "$_program" >>"$SCRATCH/run.wrong"
}

# middle HOW: the median of its seconds; nothing if no run ended well.
middle()
{
	[ ! -s "$SCRATCH/run.$1" ] ||
		sort -g "$SCRATCH/run.$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# over A B: A / B; "-" if one is missing.
over()
{
	if [ -z "$1" ] || [ -z "$2" ]; then echo -; else calc "per($1, $2)"; fi
}

# failed HOW SECONDS: what stands for the seconds of a way that was not asked for, or failed.
failed()
{
	case " $WAYS " in
	*" $1 "*) echo "${2:-failed}" ;;
	*) echo - ;;
	esac
}

# compare NAME SHARE: all ways, in turns.
compare()
{
	_kib=$((peak_kib * $2 / 100))
	rm -f "$SCRATCH"/run.kernel "$SCRATCH"/run.tide "$SCRATCH"/run.mapped "$SCRATCH"/run.wrong
	for _ in $(seq "$REPEAT"); do
		for _way in $WAYS; do
			one "$_way" "$1" $_kib
		done
	done
	_kernel=$(middle kernel)
	_tide=$(middle tide)
	_mapped=$(middle mapped)
	_ratio=$(over "$_tide" "$_kernel")
	_mapped_ratio=$(over "$_mapped" "$_kernel")
	_wrong=equal
	[ ! -e "$SCRATCH/run.wrong" ] || _wrong=WRONG
	printf '%-10s %7s %4s%% %8s %9s %9s %7s %9s %7s  %s\n' "$1" "$(mib "$peak_kib")" "$2" "$alone" \
		"$(failed kernel "$_kernel")" "$(failed tide "$_tide")" "$_ratio" \
		"$(failed mapped "$_mapped")" "$_mapped_ratio" "$_wrong"
	record bench run-kernel program "$1" peak_kib "$peak_kib" share "$2" alone_seconds "$alone" \
		kernel_seconds "$(failed kernel "$_kernel")" tide_seconds "$(failed tide "$_tide")" \
		ratio "$_ratio" mapped_seconds "$(failed mapped "$_mapped")" \
		mapped_ratio "$_mapped_ratio" output "$_wrong"
}

bench_program()
{
	command -v "$(command_of "$1")" >/dev/null || {
		echo "$1 is left out: no $(command_of "$1")"
		return 0
	}
	"make_$1" || {
		echo "$1 is left out: its input cannot be made"
		return 0
	}
	_taken=$(run "$1" "$place/$1.out") || {
		echo "$1 is left out: it fails alone: $(head -n 1 "$place/messages")"
		return 0
	}
	alone=$(calc "${_taken%% *}")
	_taken=${_taken#* }
	peak_kib=${_taken%% *}
	for _share in $shares; do
		compare "$1" "$_share"
	done
}

# judge HOW KEY: the claims, for one of tide's ways.
judge()
{
	awk -v how="$1" -v key="\"$2\": " 'function said(met) { return met ? "met" : "NOT met" }
	/"bench": "run-kernel"/ && (at = index($0, key)) {
		r = substr($0, at + length(key)) + 0
		if (r > 0) { n++; sum += log(r); few += (r <= 0.5); if (r > worst) worst = r }
	}
	/"bench": "run-kernel"/ && (/WRONG/ || index($0, "\"" how "_seconds\": \"failed\"")) { bad++ }
	END {
		if (!n) exit
		mean = exp(sum / n)
		printf "%s: ", how
		printf "geometric mean %.2f (at most 1.1: %s), worst %.2f (at most 1.5: %s), ", mean,
			said(mean <= 1.1), worst, said(worst <= 1.5)
		printf "%d at half or less (at least 3: %s), wrong or failed: %d\n", few, said(few >= 3), bad
	}' "$RESULTS"
}

trap clean EXIT
cat <<TEXT

run-kernel: programs in less memory than they take, under tide run and under the kernel
  baseline: a memory cgroup of the same size with lz4 zram as swap, in turns, medians of $REPEAT
  tide: tide run --host-kind lz4 $RUN_OPTIONS
  mapped: tide run --mapping kernel $KERNEL_OPTIONS

TEXT
[ "$RUN_KERNEL" = no ] || make_group
[ -n "$group" ] && make_swap || RUN_KERNEL=no
[ "$RUN_KERNEL" = yes ] || {
	WAYS=tide
	echo "tide's pager alone: no memory cgroup and zram disk"
}
printf '%s\n' 'echo $$ >'"'$group/cgroup.procs'" 'exec "$@"' >"$place/bounded"
printf '%-10s %7s %5s %8s %9s %9s %7s %9s %7s\n' program MiB share alone kernel tide ratio mapped ratio
for program in $asked; do
	bench_program "$program"
done
judge tide ratio
judge mapped mapped_ratio
