#!/bin/sh
# The shared library exports what its headers declare: all of it and nothing else.
# usage: symbols.sh LIBTIDE.SO HEADER...
set -eu

exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
library=$1
shift
declared=$(sed 's,/\*.*\*/,,' "$@" |
	grep -Eo '^[a-z][a-z0-9_ ]*[ *]tide_[a-z0-9_]+\(' | grep -v '^typedef' |
	sed 's/.*[ *]\(tide_[a-z0-9_]*\)($/\1/' | sort)

[ -n "$declared" ] || { echo "no declarations found in $*"; exit 1; }
[ "$exported" = "$declared" ] && exit 0
printf '%s exports:\n%s\n\ndeclared in %s:\n%s\n' "$library" "$exported" "$*" "$declared"
exit 1
