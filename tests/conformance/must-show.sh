#!/bin/bash
# must-show.sh TIDE: what the policies are for, on inputs where it can be seen.
set -u
tide=$(realpath "$1")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
wrong=0 document='' number='' opt='' lru='' mru='' all=''

# count NAME KEY SIM-ARGUMENT...: sets NAME to a count of a run.
count() {
	local -n to=$1
	local key=$2
	shift 2
	document=$("$tide" sim "$@" --functional --json) || exit 1
	[[ $document =~ \"$key\":\ ([0-9]+) ]] || exit 1
	# shellcheck disable=SC2034
	to=${BASH_REMATCH[1]}
}

# at_most PERCENT A B WHAT...: A is at most so many percent of B.
at_most() {
	local percent=$1 a=$2 b=$3
	shift 3
	[ $((a * 100)) -le $((b * percent)) ] && return
	echo "$*: $a, which is more than $percent % of $b"
	wrong=$((wrong + 1))
}

single=(--chunk 4K --prefetch none)

# A scan of 1.25 times memory, again and again: lru faults on everything. A round is as long as the
# least reuse interval of a bin of leu: in the middle of one, leu takes a page for dead too soon.
cyclic=(--workload "cyclic:pages=20480,rounds=20,refs=4" --near 16384p "${single[@]}")
count opt faults "${cyclic[@]}" --evict opt
count lru faults "${cyclic[@]}" --evict lru
at_most 100 409600 "$lru" "cyclic, lru"
for policy in mhpe cp leu; do
	count number faults "${cyclic[@]}" --evict $policy
	at_most 115 "$number" "$opt" "cyclic, $policy against opt"
done

# Few pages with most of the accesses: nothing is lost against lru.
for skew in 0.8 1.1; do
	for near in 2048p 8192p; do
		zipf=(--workload "zipf:pages=20000,accesses=300000,refs=4,skew=$skew" --near "$near"
			"${single[@]}")
		count lru faults "${zipf[@]}" --evict lru
		for policy in mhpe cp leu; do
			count number faults "${zipf[@]}" --evict $policy
			at_most 105 "$number" "$lru" "zipf, skew $skew, $near, $policy against lru"
		done
	done
done

# A tournament comes to its best member. What it does before is not counted.
settled() {
	local early late
	count late faults "${@:2}" --workload cyclic:pages=5120,rounds=60 --near 4096p "${single[@]}"
	count early faults "${@:2}" --workload cyclic:pages=5120,rounds=20 --near 4096p "${single[@]}"
	printf -v "$1" %d $((late - early))
}
best=''
for policy in observ-lru observ-lfu cp; do
	settled number --evict $policy
	[ -n "$best" ] && [ "$best" -le "$number" ] || best=$number
done
settled number --evict tournament
at_most 103 "$number" "$best" "cyclic, tournament against its best member"

# leu that knows the distributions finds the better of lru and mru by itself. The mixed trace is
# that of its paper in the large: some pages again and again, between them a scan.
"$tide" trace generate --workload cyclic:pages=5120,rounds=20,refs=1 cyclic.tide > /dev/null &&
	"$tide" trace generate --workload zipf:pages=20000,accesses=200000,refs=4 zipf.tide \
		> /dev/null || exit 1
awk 'BEGIN {
	for (i = 0; i < 60000; i++) {
		random = (random * 1101 + 12345) % 65536
		print int(random / 131), "r 1\n" 501 + i % 5120, "r 2"
	}
}' > mixed.txt
for trace in cyclic.tide zipf.tide mixed.txt; do
	for near in 1024p 4096p; do
		run=(--trace "$trace" --near "$near" "${single[@]}")
		count opt faults "${run[@]}" --evict opt
		count lru faults "${run[@]}" --evict lru
		count mru faults "${run[@]}" --evict mru
		count number faults "${run[@]}" --evict leu:train=$trace
		at_most 100 "$opt" "$number" "$trace, $near, opt against leu"
		at_most 105 "$number" $((lru < mru ? lru : mru)) "$trace, $near, leu against lru, mru"
	done
done

# Chunks of which every second or fourth page is used: the others stay out.
for stride in 2 4; do
	strided=(--workload "cyclic:pages=$((32768 / stride)),stride=$stride,rounds=10"
		--near 16384p --chunk 64K)
	for policy in lrm mhpe; do
		count all migrated_pages "${strided[@]}" --evict $policy --prefetch locality
		count number migrated_pages "${strided[@]}" --evict $policy --prefetch pattern
		at_most 60 "$number" "$all" "every page number $stride, $policy, pages of pattern"
	done
done
echo "$wrong of what must show does not"
[ $wrong -eq 0 ]
