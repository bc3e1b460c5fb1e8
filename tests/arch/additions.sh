#!/bin/sh
# Adds a toy eviction policy, a toy placement for the simulator and the GPU, a toy trace format with
# its test, and a toy verb with its manual page to a clone, by adding files alone, and sees that all
# of them are there. With --whole, the clone's whole suite must pass too.
# usage: additions.sh SOURCE-DIR [--whole]
set -eu
source=$(cd "$1" && pwd)
whole=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The sources as they are, without what is built.
mkdir "$work/clone"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$work/clone"
cd "$work/clone"
for file in $(cd tests/arch/additions && find . -type f); do
	[ ! -e "$file" ] || {
		echo "$file is there already"
		exit 1
	}
	mkdir -p "$(dirname "$file")"
	cp "tests/arch/additions/$file" "$file"
done

fails()
{
	echo "additions: $1"
	[ ! -f "$work/log" ] || tail -n 20 "$work/log"
	exit 1
}

if [ "$whole" = --whole ]; then
	make test
	exit
fi

# Not optimised, and only what is asked below: this is about the build's lists.
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DTIDE_CUDA=OFF \
	-DTIDE_TESTS=ON >"$work/log" 2>&1 || fails "the clone does not configure"
cmake --build build -j 2 --target tide man test_unit_trace_toy test_unit_mech_cuda_replay \
	>"$work/log" 2>&1 || fails "the clone does not build"
rm "$work/log"
tide=build/tide
seq 1 100 | tr ' ' '\n' >pages.txt
$tide policies toy | grep -q 'newest chunk' || fails "no policy toy"
$tide sim --functional --trace pages.txt --near 10p --chunk 4K --prefetch none --evict toy |
	grep -q faults || fails "the policy toy does not run"
$tide sim --functional --trace pages.txt --near 10p --host 10p --page 64K --chunk 64K \
	--prefetch none --evict clock --place toy-place | grep -q faults ||
	fails "the placement toy-place does not run"
grep -q toy_place build/include/tide/device/placements.h || fails "the GPU has no toy-place"
build/tests/test_unit_trace_toy >/dev/null 2>&1 || fails "the test of the format toy fails"
$tide trace convert pages.txt pages.toy >/dev/null || fails "the format toy does not write"
$tide trace info pages.toy | grep -q toy || fails "the format toy does not read"
[ "$($tide toy --word hi)" = hi ] || fails "the verb toy does not run"
$tide help | grep -q '^ *toy ' || fails "the help does not list the verb toy"
[ -s build/man/man1/tide-toy.1 ] || fails "the verb toy has no manual page"
for script in includes policies; do
	"tests/arch/$script.sh" "$PWD" >"$work/log" || fails "arch/$script"
done
