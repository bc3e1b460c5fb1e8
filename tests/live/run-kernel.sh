#!/bin/bash
# tide run --mapping kernel: any program in less memory than it takes, compared with a shadow; what is
# refused, what is reported, and that nothing is left behind. As root it makes a zram disk to swap to,
# and takes it away again.
# usage: run-kernel.sh PROGRAM [STATIC]   (run_kernel, and the same linked statically)
set -u
program=$1 static=${2:-}
work=$(mktemp -d) || exit 1
number=''

# shellcheck disable=SC2317 # called by the trap
clean()
{
	if [ -n "$number" ]; then
		for _ in 1 2 3 4 5; do
			swapoff "/dev/zram$number" 2>/dev/null
			echo "$number" >/sys/class/zram-control/hot_remove 2>/dev/null && break
			sleep 0.2
		done
	fi
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1

tide() { "$TIDE" "$@"; }
fail() { echo "$*"; exit 1; }

# says TEXT STATUS COMMAND...: on standard error, and ends so.
says()
{
	local wanted=$1 status=$2
	shift 2
	"$@" >out 2>said
	local got=$?
	grep -qF -e "$wanted" said || fail "$*: does not say '$wanted' but: $(cat said)"
	[ $got -eq "$status" ] || fail "$*: ended with $got instead of $status: $(cat said)"
}

kernel=(tide run --mapping kernel)

# ---- options that do not apply; no rights are needed for that ----

for option in --place=tier-order --host=64M --host-kind=lz4 --storage=far --service=thread --threshold=4K \
	--fork=copy --over-budget --watchdog=1s --record=trace --whatif --gpu-near=1G; do
	says "${option%%=*} does not go with --mapping kernel" 2 "${kernel[@]}" --near 8M "$option" true
done
says 'a page has 4K' 2 "${kernel[@]}" --near 8M --page 8K true
says 'power of two' 2 "${kernel[@]}" --near 8M --chunk 12K true
says 'fewer than 24 chunks' 2 "${kernel[@]}" --near 256K true

# ---- swap ----

make_swap()
{
	[ "$(id -u)" -eq 0 ] || return 1
	number=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || return 1
	echo lz4 >"/sys/block/zram$number/comp_algorithm" 2>/dev/null
	echo 512M >"/sys/block/zram$number/disksize" || return 1
	mkswap "/dev/zram$number" >/dev/null 2>&1 && swapon "/dev/zram$number"
}

if ! grep -q /dev /proc/swaps; then
	says 'needs swap' 3 "${kernel[@]}" --near 8M true
	tide doctor | grep -A2 kernel-paging | grep -q 'needs swap' || fail "tide doctor sees swap"
	make_swap || { echo "skipped: no swap, and none can be made"; exit 77; }
fi
if ! "${kernel[@]}" --near 8M true 2>said; then
	case $(cat said) in
	*CAP_SYS_NICE* | *PAGEMAP_SCAN*) echo "skipped: $(cat said)"; exit 77 ;;
	*) fail "$(cat said)" ;;
	esac
fi
tide doctor | grep -A2 kernel-paging | grep -q 'swap: ' || fail "tide doctor sees no swap"

# figure NAME: of stats.json
figure() { sed -n "s/^ *\"$1\": *\([0-9]*\).*/\1/p" stats.json | head -n 1; }

# nothing_left: no cgroup that a run made, and no guard of one
nothing_left()
{
	for _ in $(seq 100); do
		left=$(find /sys/fs/cgroup -maxdepth 6 -type d -name "tide-run.$1" 2>/dev/null)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	fail "left behind: $left"
}

# ---- data: where the kernel chooses, and under policies that can live on what is seen ----

# runs WORD...: the program ends well. The kernel may kill a program in a memory cgroup although swap is
# free, see docs/limits.md; the report says so, and then it runs again.
runs()
{
	for _ in 1 2 3 4 5; do
		"${kernel[@]}" --stats stats.json "$@" >out 2>said && return
		grep -q '^  killed ' said || break
	done
	fail "$*: $(cat out said)"
}

# right_at_all NEAR_MIB WORD...: the program's data is right, and it kept to near memory.
right_at_all()
{
	local near=$1
	shift
	runs --near "${near}M" "$@"
	[ "$(cat out)" = right ] || fail "$*: $(cat out said)"
	[ "$(figure bounded)" -eq 0 ] || [ "$(figure near_most_bytes)" -le $((near << 20)) ] ||
		fail "$*: more than near: $(cat said)"
}

# right NEAR_MIB WORD...: the same under policies; the data is right, and the figures say that it was paged.
right()
{
	right_at_all "$@"
	[ "$(figure out_bytes)" -gt 1000000 ] || fail "$*: nothing left: $(cat said)"
	[ "$(figure bounded)" -eq 1 ] || return 0 # how much ticks see alone is a matter of luck
	[ "$(figure back_bytes)" -gt 1000000 ] || fail "$*: nothing came back: $(cat said)"
	[ "$(figure faults)" -gt 50 ] || fail "$*: no faults: $(cat said)"
}

right_at_all 16 -- "$program" 32
if [ "$(figure bounded)" -eq 1 ]; then
	grep -q 'evict by the kernel' said || fail "does not say who chose: $(cat said)"
	[ "$(figure reclaimed_bytes)" -gt 1000000 ] || fail "nothing was taken back: $(cat said)"
	[ "$(figure major_faults)" -gt 1000 ] || fail "no faults: $(cat said)"
fi
right_at_all 24 -- "$program" 16 3

for evict in lrm fifo mhpe cp random; do
	right 16 --evict $evict -- "$program" 32
done
right 16 --chunk 4K --prefetch locality -- "$program" 32
right 16 --evict cp --chunk 256K --prefetch sequential --log log -- "$program" 32
grep -q evict log || fail "no decisions in the log"
right 24 --evict lrm -- "$program" 16 3
[ "$(figure processes)" -ge 4 ] || fail "a forking program had $(figure processes) processes"
[ -z "$static" ] || right 16 --evict lrm -- "$static" 32
printf '#!/bin/sh\nexec "%s" 32\n' "$program" >script && chmod +x script
right 16 --evict lrm -- ./script

# ---- without a memory cgroup the ticks hold the bound ----

if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m sh -c 'umount -l /sys/fs/cgroup/memory 2>/dev/null; umount -l /sys/fs/cgroup 2>/dev/null
		exec "$@"' sh "$TIDE" run --mapping kernel --near 16M --stats stats.json -- "$program" 32 \
		>out 2>said || fail "without a cgroup: $(cat said)"
	[ "$(cat out)" = right ] || fail "without a cgroup: $(cat out)"
	[ "$(figure bounded)" -eq 0 ] || fail "a cgroup though none is mounted"
	[ "$(figure out_bytes)" -gt 1000000 ] || fail "without a cgroup nothing left: $(cat said)"
	grep -q 'no memory cgroup' said || fail "does not say so: $(cat said)"
fi

# ---- refusals of policies ----

says 'needs every access' 2 "${kernel[@]}" --near 8M --evict lru true
says 'needs the future' 2 "${kernel[@]}" --near 8M --evict opt true

# ---- statuses and signals ----

says 'mapping kernel, evict by' 5 "${kernel[@]}" --near 8M -- sh -c 'exit 5'
says 'mapping kernel, evict by' 139 "${kernel[@]}" --near 8M -- sh -c 'kill -SEGV $$'
[ "$(echo in | "${kernel[@]}" --near 8M cat 2>/dev/null)" = in ] || fail "no standard input or output"
"${kernel[@]}" --near 8M -- sleep 30 2>/dev/null &
sleep 0.3
kill $!
wait $!
[ $? -eq 143 ] || fail "a request to end was lost"
nothing_left $!

# ---- tide is killed: the program goes on without a bound ----

"${kernel[@]}" --near 16M -- "$program" 32 0 3 >killed 2>/dev/null &
run=$!
sleep 0.5
kill -KILL $run
wait $run 2>/dev/null
nothing_left $run
for _ in $(seq 300); do
	[ ! -s killed ] || break
	sleep 0.1
done
[ "$(cat killed)" = right ] || fail "after its tide was killed the program said: $(cat killed)"

# ---- a process that outlives the program ----

"${kernel[@]}" --near 8M -- sh -c '(sleep 2; echo over >late) & exit 0' 2>/dev/null &
run=$!
wait $run || fail "a program with a child that stays ended with $?"
nothing_left $run
for _ in $(seq 100); do
	[ ! -s late ] || break
	sleep 0.1
done
[ "$(cat late)" = over ] || fail "a child that stayed was lost"
exit 0
