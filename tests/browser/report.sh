#!/bin/sh
# A report of real runs, and one of results that want to be more than text, in a real browser.
# usage: report.sh CHECK_REPORT   (TIDE and TIDE_SOURCE from the environment, BROWSER if not chromium)
set -eu

browser=$(command -v "${BROWSER:-chromium}") || {
	echo "no ${BROWSER:-chromium} here: make test-browser gets one"
	exit 77
}
work=$(mktemp -d)
# Its helpers may still be writing for a moment.
trap 'rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }' EXIT

for near in 25% 50% 75%; do
	"$TIDE" compare --workload zipf:pages=2000,accesses=40000 --near $near --functional --json
	"$TIDE" compare --workload cyclic:pages=2000,accesses=40000 --near $near --model h200 --json
done >"$work/runs.json"
"$TIDE" mrc --workload zipf:pages=2000,accesses=40000 --policy lru --policy arc --json >"$work/curves.json"
"$TIDE" reproduce leu --scale 0.01 --json >"$work/paper.json"
"$TIDE" report "$work/runs.json" "$work/curves.json" "$work/paper.json" -o "$work/page.html"
"$TIDE" report "$TIDE_SOURCE/tests/browser/hostile.jsonl" -o "$work/hostile.html"
awk 'BEGIN { for (i = 0; i < 100000; i++)
	printf "{\"input\":{\"workload\":\"w%d\",\"footprint_pages\":1000},\"config\":{\"near_pages\":%d,\"evict\":\"p%d\",\"prefetch\":\"none\"},\"counts\":{\"accesses\":200000,\"hits\":%d,\"faults\":%d}}\n",
		i % 25, int(i / 500) + 1, i / 25 % 20, 200000 - i * 7919 % 100000 - 1, i * 7919 % 100000 + 1 }' >"$work/long.jsonl"
"$TIDE" report "$work/long.jsonl" -o "$work/long.html"

# A page may name no address at all, not even in what it draws.
if grep -Eo '(https?:)?//[a-z0-9.-]+\.[a-z]+' "$work/page.html"; then
	echo "the page names an address"
	exit 1
fi
HOME=$work "$1" "$browser" "$work/profile" "$work/page.html" "$work/hostile.html" \
	"$work/long.html" || {
	grep -v dbus "$work/profile.log" | tail -n 20
	exit 1
}
