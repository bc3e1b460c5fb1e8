#!/bin/sh
# The examples of the pager, where the kernel allows it.
# usage: pager.sh PAGER PAGER-FILE   (TIDE_SOURCE from the environment)
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "pager: $1" >&2
	exit 1
}

"$1" >"$work/out" 2>"$work/error" || {
	grep -q userfaultfd "$work/error" || fail "$(cat "$work/out" "$work/error")"
	echo "skipped: $(cat "$work/error")"
	exit 77
}
sed 's/[0-9][0-9]*\( faults\| chunks\| ms\| MiB in tier 2\)/N\1/g; s/[0-9]* of 16 MiB/N of 16 MiB/' \
	"$work/out" >"$work/said"
diff -u - "$work/said" <<'WANTED' || fail "it says something else"
0 of 8388608 words are wrong
64 MiB mapped, N of 16 MiB near, N MiB in tier 2
N faults, N chunks evicted, N ms stalled
WANTED

# More than is near, with an end in the middle of a page.
: >"$work/text"
while [ "$(wc -c <"$work/text")" -lt 5000000 ]; do
	cat "$TIDE_SOURCE"/src/*/*.c "$TIDE_SOURCE"/policies/*/*.c >>"$work/text"
done
LC_ALL=C tr '[:lower:]' '[:upper:]' <"$work/text" >"$work/wanted"
letters=$(LC_ALL=C tr -cd '[:lower:]' <"$work/text" | wc -c)
said=$("$2" "$work/text")
[ "$said" = "$letters letters changed" ] || fail "$letters letters, and it says: $said"
cmp "$work/wanted" "$work/text" || fail "the file is not what it should be"
