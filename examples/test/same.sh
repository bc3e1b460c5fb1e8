#!/bin/sh
# A command succeeds and prints exactly what a file holds.
# usage: same.sh FILE COMMAND...
set -eu

wanted=$1
shift
out=$("$@") || {
	echo "$1 failed with $?" >&2
	exit 1
}
printf '%s\n' "$out" | diff -u "$wanted" -
