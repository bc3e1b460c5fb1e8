#!/bin/sh
# Reads and writes that fail, pages that cannot be mapped, a file that is cut short, a file system
# that is full.
# usage: pager_fail.sh reads|writes|maps|gone|truncate|full FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

programs=$2

reads()
{
	passes "$programs/pager_reads" file
	passes "$programs/pager_reads" file callback=1 mapping=fast
	passes "$programs/pager_reads" file callback=1 mapping=exact prefetch=none
	passes "$programs/pager_reads" file mapping=fast prefetch=none
	passes "$programs/pager_reads" file service=thread
	passes "$programs/pager_reads" file service=thread mapping=fast prefetch=none
}

writes()
{
	passes "$programs/pager_writes" some far
	passes "$programs/pager_writes" none far
	passes "$programs/pager_writes" sync file
}

# One map of many fails, in the middle of a chunk too: of pages in memory, compressed, and in files.
maps()
{
	for service in signal thread; do
		for mapping in exact around fast copy; do
			with="inject=map=ENOMEM:9 service=$service mapping=$mapping"
			for tier in host=64M "kind=lz4 host=64M" "storage=far host=1M" \
				"page=16K near=6M"; do
				# shellcheck disable=SC2086
				passes "$programs/pager_maps" $with $tier
			done
		done
	done
	# A chunk that is evicted while a part of it comes is rare, so this is tried more often.
	for _ in 1 2 3 4 5 6; do
		passes "$programs/pager_maps" inject=map=ENOMEM:5 service=signal mapping=exact \
			storage=far host=1M
	done
}

# Nobody waits for what has been dropped past the pager: the program ends with a sentence.
gone()
{
	for service in signal thread; do
		for mapping in fast copy; do
			attempt 20 "$programs/pager_maps" gone service=$service mapping=$mapping
			[ $status -ne 0 ] || fail "$mapping $service: $(cat out)"
			grep -q "dropped by a call that tide does not see" error || fail "$(cat error)"
		done
	done
}

truncate()
{
	passes "$programs/pager_truncate" file
	passes "$programs/pager_truncate" file shared
}

# A file system of 64 KiB, in a name space of its own: nothing is left mounted.
full()
{
	unshare -m true 2>/dev/null || { echo "skipped: not allowed to mount"; exit 77; }
	mkdir small
	# shellcheck disable=SC2016
	passes unshare -m sh -c 'mount -t tmpfs -o size=64k small "$1" || exit 77
		exec "$2" full "$1/far"' sh "$work/small" "$programs/pager_writes"
}

"$1"
