#!/bin/sh
# cut keeps the accesses of a range, with everything they carry, and leaves no half a trace.
# usage: cut.sh CUT   (TIDE from the environment)
set -eu

cut=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
	echo "cut: $1" >&2
	exit 1
}

"$TIDE" trace generate --workload zipf:pages=1000,accesses=20000,writes=0.5,refs=7 all.tide >log
"$TIDE" trace convert all.tide all.txt >>log
awk '$1 ~ /^[0-9]+$/ && $1 >= 100 && $1 <= 299' all.txt >wanted
[ -s wanted ] || fail "the trace has no page of 100 to 299"

said=$("$cut" all.tide part.tide 100 299)
[ "$said" = "$(wc -l <wanted) accesses kept" ] || fail "it says: $said"
"$TIDE" trace convert part.tide part.txt >>log
awk '$1 ~ /^[0-9]+$/' part.txt | diff -u wanted - || fail "other accesses than the range has"

# A trace that breaks off: one line, exit status 1, and nothing written.
head -n 9000 all.txt >broken.txt
echo 'no number' >>broken.txt
if "$cut" broken.txt left.tide 0 999 2>error; then
	fail "a broken trace was taken for a whole one"
fi
[ "$(wc -l <error)" -eq 1 ] || fail "not one line of error: $(cat error)"
[ ! -e left.tide ] || fail "a part of the output was left behind"
