#!/bin/sh
# Programs that bring an allocator: the same output as without tide, and an end.
# usage: run-heap.sh MAPPING SERVICE PROGRAM...
# run-heap.sh allocators PROGRAM: with those of Debian that are installed, in front of the program.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

front= # a library in front of the program
# same NAME VERB-AND-OPTIONS COMMAND...
same()
{
	name=$1 how=$2
	shift 2
	env LD_PRELOAD="$front" timeout 60 "$@" >plain 2>&1 || fail "$name fails without tide: $(cat plain)"
	# shellcheck disable=SC2086
	env LD_PRELOAD="$front" timeout 120 "$TIDE" $how --stats stats.json -- "$@" >paged 2>said
	status=$?
	[ $status -ne 124 ] || fail "$name with $how never ended: $(cat said)"
	[ $status -eq 0 ] || fail "$name with $how ended with $status: $(cat said)"
	cmp plain paged || fail "$name with $how: not the same output: $(cat said)"
	was_paged 100
}

# An allocator that is installed in a folder of libraries, by the name of its library.
find_library()
{
	for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
		[ ! -e "$folder/$1" ] || { echo "$folder/$1"; return; }
	done
}

allocators()
{
	export TCMALLOC_SKIP_SBRK=1 # the heap of brk() is not paged
	tried=0
	for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		front=$(find_library $library)
		[ -n "$front" ] || { echo "not installed: $library"; continue; }
		for service in thread signal; do
			same $library "run --near 24M --service $service" "$1" 16
		done
		tried=$((tried + 1))
	done
	[ $tried -gt 0 ] || exit 77
}

if [ "$1" = allocators ]; then
	allocators "$2"
	exit
fi
options="--near 16M --mapping $1 --service $2"
shift 2
for program; do
	same "$program" "run $options" "$program" 8
done
same "$1" "record --out trace.tide $options" "$1" 4
