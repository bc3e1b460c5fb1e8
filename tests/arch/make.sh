#!/bin/sh
# make build, which demo, lint and install begin with, asks for no tests where nothing is built yet,
# and leaves a build that is there as it is: its tests would stay behind, old.
# usage: make.sh SOURCE-DIR
set -eu

command -v make >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1/Makefile" "$work"
cd "$work"
bad=0

# configures TARGET: how it would configure the plain build.
configures()
{
	MAKEFLAGS='' make -n "$1" | sed -n 's/^cmake --preset release *\(.*\) >.*/\1/p'
}

for target in build lint; do
	rm -rf build
	[ "$(configures $target)" = -DTIDE_TESTS=OFF ] || {
		echo "make $target builds the tests of a build that is not there"
		bad=1
	}
	mkdir -p build/release
	touch build/release/build.ninja
	[ -z "$(configures $target)" ] || {
		echo "make $target changes a build that is there: $(configures $target)"
		bad=1
	}
done
exit $bad
