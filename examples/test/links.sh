#!/bin/sh
# Every relative link of the documents leads to a file that is there.
# usage: links.sh SOURCE-DIR
set -eu
cd "$1"

links()
{
	for doc in ./*.md docs/*.md; do
		grep -o ']([^)#:]*[)#]' "$doc" | sed "s,^](\(.*\)[)#]\$,$doc \1,"
	done | sort -u
}

found=$(links)
[ -n "$found" ] || { echo "no links found"; exit 1; }
echo "$found" | {
	bad=0
	while read -r doc target; do
		[ -e "$(dirname "$doc")/$target" ] && continue
		echo "$doc: $target is not there"
		bad=1
	done
	exit $bad
}
