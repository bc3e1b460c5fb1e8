#!/bin/sh
# Memory that grows in many small steps is not copied as a whole at each of them.
# usage: run-grow.sh PROGRAM   (run_kinds)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

# grows FAULTS OPTIONS: at most so many; 12M are 192 chunks.
grows()
{
	most=$1
	shift
	for way in grows remaps; do
		timeout 120 "$TIDE" run --stats stats.json "$@" -- "$program" $way 12 2>said ||
			fail "$way with $* ended with $?: $(cat said)"
		[ "$(figure faults)" -le "$most" ] || fail "$way with $*: $(figure faults) faults"
	done
}

program=$1
grows 2000 --near 32M --service signal --mapping fast
grows 2000 --near 32M --service thread --mapping exact --page 16K
grows 2000 --near 32M --service signal --mapping copy --host 4M --host-kind lz4 --storage far

# Nor does what is far come near for it: 40M grow to 60M or more, of which 8M are near.
stays_far()
{
	for way in grows remaps; do
		tide run --stats stats.json --near 8M "$@" -- "$program" $way 60 2>said ||
			fail "$way with $* ended with $?: $(cat said)"
		[ "$(figure from_tier2_bytes)" -le 100000000 ] ||
			fail "$way with $*: $(figure from_tier2_bytes) bytes came from tier 2"
	done
}
for mapping in exact around fast copy; do
	stays_far --mapping $mapping
done

# Where the size of what is mapped is limited, there is the rest of a chunk.
grows 40000 --near 16M --host 16M
