#!/bin/sh
# Builds the packages again, with another umask, language and time zone: the files must be the same,
# and must not tell in which folder they were built. Then lintian must have nothing to say.
# `make deb-check` calls it.
# usage: twice.sh FOLDER-OF-THE-FIRST-BUILD
# The second build is in a folder of the same name, because nvcc puts a hash of the name into symbols.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
first=$(cd "$1" && pwd)
bad=0

# What users install, and the sources; .buildinfo tells builds apart on purpose.
sums()
{
	(cd "$1" && sha256sum -- *.deb *.dsc *.tar.*)
}

# Every file of every package that has the name of the folder in it.
traces()
{
	for package in "$1"/*.deb; do
		mkdir "$1/content"
		dpkg-deb -R "$package" "$1/content"
		grep -rlF "$1" "$1/content" || true
		rm -rf "$1/content"
	done
}

rm -rf "$first.first"
mv "$first" "$first.first"
(umask 027 && LC_ALL=C.UTF-8 TZ=Asia/Kathmandu "$source/scripts/deb.sh" "$first") >/dev/null
sums "$first.first" >"$first/first.sums"
sums "$first" >"$first/again.sums"
if diff "$first/first.sums" "$first/again.sums"; then
	echo "twice: $(wc -l <"$first/again.sums") files are the same"
	rm -rf "$first.first" "$first"/*.sums
else
	echo "twice: these files differ: the first build is in $first.first" >&2
	bad=1
fi

found=$(traces "$first")
[ -z "$found" ] || { echo "twice: the folder's name is in: $found" >&2; bad=1; }
if lintian --fail-on error,warning --tag-display-limit 0 "$first"/*.changes; then
	echo "twice: lintian has nothing to say"
else
	bad=1
fi
exit $bad
