#!/bin/sh
# The shared library exports what tide.h declares: all of it and nothing else.
# usage: symbols.sh LIBTIDE.SO TIDE.H
set -eu

exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(sed 's,/\*.*\*/,,' "$2" |
	grep -Eo '^[a-z][a-z0-9_ ]*[ *]tide_[a-z0-9_]+\(' | grep -v '^typedef' |
	sed 's/.*[ *]\(tide_[a-z0-9_]*\)($/\1/' | sort)

[ -n "$declared" ] || { echo "no declarations found in $2"; exit 1; }
[ "$exported" = "$declared" ] && exit 0
printf 'exported:\n%s\n\ndeclared in %s:\n%s\n' "$exported" "$2" "$declared"
exit 1
