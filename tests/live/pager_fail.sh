#!/bin/sh
# Reads and writes that fail, a file that is cut short, a file system that is full.
# usage: pager_fail.sh reads|writes|truncate|full FOLDER-OF-THE-PROGRAMS
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
