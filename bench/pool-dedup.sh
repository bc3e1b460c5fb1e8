#!/bin/sh
# Claim: where no block is equal to another, DEDU takes at most 5% more time than GRAM, also with the
# file in memory. Baseline: GRAM, in turns in the same process.
# usage: pool-dedup.sh TIDE
set -eu
TIDE=$1
here=$(dirname "$0")
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$here/common.sh"

[ -w /dev/shm ] || : "${DEDUP_FOLDER:=${TMPDIR:-/var/tmp}}"
: "${DEDUP_FOLDER:=/dev/shm}"
slices=300
[ "${QUICK:-}" != 1 ] || slices=20

echo
echo "pool-dedup: each block once, the file in $DEDUP_FOLDER (claim: on at most 1.05 times off)"
echo
echo "| dedup | ns an access | over off |"
echo "| --- | --- | --- |"
# As many processes as REPEAT, since where its memory lies is a matter of luck for each.
i=0
while [ $i -lt "$REPEAT" ]; do
	# shellcheck disable=SC2086 # the words of $PIN
	$PIN "$BUILD/bench/pool_dedup" "$DEDUP_FOLDER" $slices
	i=$((i + 1))
done >"$SCRATCH/pool-dedup" || fail "pool_dedup failed"
for dedup in off on auto; do
	grep "^$dedup " "$SCRATCH/pool-dedup" | sort -k 3 -g >"$SCRATCH/pool-dedup.one"
	middle=$(sed -n "$(((REPEAT + 1) / 2))p" "$SCRATCH/pool-dedup.one")
	ns=$(echo "$middle" | cut -d ' ' -f 2)
	ratio=$(echo "$middle" | cut -d ' ' -f 3)
	echo "| $dedup | $ns | $ratio |"
	record bench pool-dedup dedup "$dedup" access_ns "$ns" over_off "$ratio"
done
