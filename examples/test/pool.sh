#!/bin/sh
# The example of the pool: a file four times its memory, twice; then one that is not there.
# usage: pool.sh POOL
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "pool: $1" >&2
	exit 1
}

truncate -s 8M "$work/file"
for round in 1 2; do
	said=$("$1" "$work/file") || fail "it failed in round $round"
	[ "$said" = "2048 pages read, 2048 written" ] || fail "round $round: $said"
done
# The first number of a page, and whether the rest of it is something else than zeros.
od -An -v -t u8 -w4096 "$work/file" | awk '$1 != 2 { bad = 1 } { for (i = 2; i <= NF; i++) if ($i) bad = 1 }
	END { exit bad || NR != 2048 }' || fail "the file is not what it should be"

! "$1" "$work/none" 2>"$work/error" || fail "it opened a file that is not there"
grep -q '^pool: cannot open .*none: No such file' "$work/error" || fail "it says: $(cat "$work/error")"
