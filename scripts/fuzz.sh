#!/bin/sh
# One fuzz target for FUZZ_SECONDS (30) from its seed corpus. What it finds new is kept in the
# build folder and used by the next run; an input that breaks the target is named at the end.
# FUZZ_SEED (1) starts its random numbers: tests try the same inputs each time, 0 tries others, and
# takes one that needs 10 s for broken; a machine that is busy with tests has a minute for it.
# usage: scripts/fuzz.sh TARGET SEEDS
set -eu

target=$1
seeds=$2
found=$(dirname "$target")/found/$(basename "$target")

[ -n "$(ls -A "$seeds" 2>/dev/null)" ] || {
	echo "fuzz: $seeds is empty: give $(basename "$target") a few seeds there" >&2
	exit 1
}
mkdir -p "$found"
seed=${FUZZ_SEED:-1}
patience=60
[ "$seed" != 0 ] || patience=10
exec "$target" -seed="$seed" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=$patience -rss_limit_mb=2048 -max_len=65536 \
	-artifact_prefix="$(dirname "$target")/broken-by-" -print_final_stats=1 -verbosity=1 \
	"$found" "$seeds"
