#!/bin/bash
# harm.sh TIDE: the bound on the harm of `auto`, over a fixed set of inputs. Learning takes some rounds of near
# memory, so the bound is a factor and a part of near memory: against lrm 1.05 and a quarter of its chunks, against
# the best member alone 1.2 and twice its chunks. With `fit`, where what comes with a fault depends on what leaves,
# against lrm alone, and half of near memory.
set -u
tide=$(realpath "$1")
members=(lrm cp:observe=0 mhpe:touched=0 observ-lfu:observe=0)
wrong=0

# faults EVICT ARGUMENT...
faults() {
	local document
	document=$("$tide" sim --evict "$@" --functional --json) || exit 1
	[[ $document =~ \"near_pages\":\ ([0-9]+) ]] && near=${BASH_REMATCH[1]}
	[[ $document =~ \"faults\":\ ([0-9]+) ]] && count=${BASH_REMATCH[1]}
}

# bounded CHUNK PREFETCH WORKLOAD SHARE
bounded() {
	local run=(--workload "$3" --near "$4" --chunk "$1" --prefetch "$2") best=0 lrm=0 part=25 chunks
	for member in "${members[@]}"; do
		faults "$member" "${run[@]}"
		[ "$member" != lrm ] || lrm=$count
		[ $best -gt 0 ] && [ "$count" -ge $best ] || best=$count
	done
	faults auto "${run[@]}"
	chunks=$((near / (${1%K} / 4)))
	[ "$2" != fit ] || best=$count part=50
	if [ $((count * 100)) -gt $((lrm * 105 + chunks * part)) ] ||
		[ $((count * 10)) -gt $((best * 12 + chunks * 20)) ]; then
		echo "$3 in $4, $1, $2: auto $count, lrm $lrm, the best member $best, $chunks chunks"
		wrong=$((wrong + 1))
	fi
}

for share in 75% 50%; do
	for layout in "4K none" "64K locality" "64K fit"; do
		for workload in cyclic:pages=20000,rounds=20 zipf:pages=20000,accesses=300000 \
			uniform:pages=10000,accesses=200000 stride:pages=20000,step=16,accesses=400000 \
			scanhot:accesses=500000,pages=16000,hot=2000 phases:accesses=300000,hot=4000; do
			bounded ${layout% *} ${layout#* } $workload $share
		done
	done
	for application in an b+t backprop blk dwt gmt-bfs hotspot kmn mvt nw srad srd stn; do
		bounded 64K locality $application:scale=0.0625 $share
	done
done
echo "$wrong inputs on which auto does harm"
[ $wrong -eq 0 ]
