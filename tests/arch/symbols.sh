#!/bin/sh
# The headers declare, the symbol map lists and the shared library exports the same names: all of
# them and nothing else, each under the version that the map gives it.
# usage: symbols.sh LIBTIDE.SO LIBTIDE.MAP HEADER...
set -eu

library=$1 map=$2
shift 2
declared=$(sed 's,/\*.*\*/,,' "$@" |
	grep -Eo '^[a-z][a-z0-9_ ]*[ *]tide_[a-z0-9_]+\(' | grep -v '^typedef' |
	sed 's/.*[ *]\(tide_[a-z0-9_]*\)($/\1/' | sort)
listed=$(awk '/^TIDE_/ { node = $1 } /^\ttide_/ { sub(/;.*/, "", $1); print $1 "@@" node }' "$map" |
	sort)
exported=$(nm -D --defined-only --with-symbol-versions "$library" |
	awk '$2 != "A" { print $3 }' | sort)

# same WHAT A WHAT B
same()
{
	[ "$2" = "$4" ] && return 0
	printf '%s:\n%s\n\n%s:\n%s\n' "$1" "$2" "$3" "$4"
	exit 1
}

[ -n "$declared" ] || { echo "no declarations found in $*"; exit 1; }
same "declared in $*" "$declared" "listed in $map" "$(echo "$listed" | sed 's/@@.*//')"
same "listed in $map" "$listed" "exported by $library" "$exported"
