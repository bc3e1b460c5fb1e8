#!/bin/sh
# Strict aliasing is on in every build, and policies do without the shape that gcc 12 miscompiles under
# it: a list, heap or order chosen by `c ? &x->a : &x->b` (include/tide/list.h says what to write instead).
# usage: aliasing.sh SOURCE_DIR
set -eu
cd "$1"
bad=0

if grep -n -e -fno-strict-aliasing CMakeLists.txt CMakePresets.json Makefile cmake/*.cmake \
	./*/CMakeLists.txt tests/*/CMakeLists.txt debian/rules; then
	echo "aliasing: a build file turns strict aliasing off" >&2
	bad=1
fi

# chosen: the files of standard input, each as one line, that choose between members.
chosen()
{
	while read -r file; do
		tr -s '\n\t ' ' ' <"$file" |
			grep -Eo '\? ?\(?&[A-Za-z_][A-Za-z_0-9.]*->[^?;]* : ?\(?&[^;]*;' | sed "s|^|$file: |"
	done
}

# The search itself: it finds the shape across lines.
shape=$(mktemp)
trap 'rm -f "$shape"' EXIT
printf 'struct tide_list *l = old\n\t? &s->a\n\t: &s->b;\n' >"$shape"
[ -n "$(echo "$shape" | chosen)" ] || {
	echo "aliasing: the search misses the shape" >&2
	bad=1
}
found=$(find policies -name '*.[ch]' | sort | chosen)
[ -z "$found" ] || {
	echo "$found"
	echo "aliasing: a condition chooses between members: make them an array, indexed by it, or branch around the calls" >&2
	bad=1
}
exit $bad
