#!/bin/sh
# Asks the linker's result which rooms a library contains, and compares with rooms.txt. Nothing but
# the program and the tests contains the laboratory.
# usage: rooms.sh SOURCE-DIR LIBRARY...
set -eu
source=$1
shift
bad=0

# sources LIBRARY: its source files, from our folders on. The files that the build makes are none,
# also if a folder above ours is called src.
sources()
{
	readelf --debug-dump=info --dwarf-depth=1 "$1" 2>/dev/null |
		awk -v top="$(realpath "$source")/" '
		/DW_AT_name/ && (at = index($0, top)) {
			name = substr($0, at + length(top))
			if (name ~ /^(src|policies|lab)\//)
				print name
		}'
}

for library; do
	name=$(basename "$library")
	allowed=$(sed -n "s/^$name: *//p" "$source/tests/arch/rooms.txt")
	[ -n "$allowed" ] || {
		echo "$name: tests/arch/rooms.txt does not name it"
		bad=1
		continue
	}
	# It goes into every program that tide run starts: at most 60% of what it was with generators.
	if [ "$name" = libtide_preload.so ] && [ "$(stat -Lc %s "$library")" -gt 2760000 ] &&
		grep -q '^CMAKE_BUILD_TYPE:.*=RelWithDebInfo' "$(dirname "$library")/CMakeCache.txt"; then
		echo "$name: larger than 2,760,000 bytes: what does it contain that it does not use?"
		bad=1
	fi
	found=$(sources "$library")
	[ -n "$found" ] || {
		echo "$name: has no debug information, so nothing is known of it"
		bad=1
		continue
	}
	for file in $found; do
		room=$(dirname "${file#src/}")
		inside=no
		for may in $allowed; do
			case $room/ in "$may"/*) inside=yes ;; esac
			[ "${file#src/}" = "$may" ] && inside=yes
		done
		[ $inside = yes ] || {
			echo "$name: contains $file, which tests/arch/rooms.txt does not allow"
			bad=1
		}
	done
done
exit $bad
