#!/bin/sh
# `make dist` gives the same bytes twice, with a version in the name and everything that a build
# needs; a folder that was unpacked from it gives a tarball of the same content again.
# usage: dist.sh SOURCE-DIR
set -eu

cd "$1"
if ! git rev-parse HEAD >/dev/null 2>&1 || [ ! -e .git ]; then
	echo "skipped: no clone, or no git"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=tide-$(scripts/version.sh)

scripts/dist.sh "$work/one" >/dev/null 2>&1
scripts/dist.sh "$work/two" >/dev/null 2>&1
cmp "$work/one/$name.tar.gz" "$work/two/$name.tar.gz"

mkdir "$work/unpacked"
tar -xzf "$work/one/$name.tar.gz" -C "$work/unpacked"
cd "$work/unpacked/$name"
for file in CMakeLists.txt CHANGELOG.md LICENSE README.md debian/rules scripts/deb.sh; do
	[ -f "$file" ] || { echo "$name.tar.gz lacks $file"; exit 1; }
done
[ ! -e build ] || { echo "$name.tar.gz has a build"; exit 1; }

mkdir build && touch build/left-over
"./scripts/dist.sh" "$work/three" >/dev/null
"./scripts/dist.sh" "$work/four" >/dev/null
cmp "$work/three/$name.tar.gz" "$work/four/$name.tar.gz"
for folder in one three; do
	tar -tzf "$work/$folder/$name.tar.gz" | grep -v '/$' | sort >"$work/$folder/list"
done
diff "$work/one/list" "$work/three/list"
