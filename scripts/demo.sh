#!/bin/sh
# What tide is for, in a minute: a program in half its memory, a curve, a comparison, a page.
# usage: scripts/demo.sh TIDE FOLDER [LINES]   FOLDER keeps the page; LINES: to sort (1000000)
set -eu

tide=$1
folder=$2
lines=${3:-1000000}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

say()
{
	printf '\n%s\n' "$*"
}

# number KEY: of the results of the last run.
number()
{
	sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$work/run.json" | head -n 1
}

sort_it()
{
	LC_ALL=C "$@" sort -S 256M --parallel=1 "$work/text" -o "$work/sorted"
}

# paged NEAR EVICT: sorts under tide run; false: it could not.
paged()
{
	sort_it "$tide" run --near "$1" --evict "$2" --stats "$work/run.json" -- 2>"$work/said" &&
		cmp -s "$work/sorted" "$work/right"
}

# seconds COMMAND...: leaves $took.
seconds()
{
	took=$(date +%s%N)
	"$@" || return
	took=$((($(date +%s%N) - took) / 1000000))
}

row()
{
	printf '  %-22s %6s.%03d s %10s faults\n' "$1" $((took / 1000)) $((took % 1000)) "$2"
}

in_half_its_memory()
{
	say "1. A program in half its memory: sort, unmodified, of $lines lines (tide run)"
	awk -v n="$lines" 'BEGIN { srand(1); while (n--) printf "%08d words to carry along\n", rand() * 1e8 }' \
		>"$work/text"
	seconds sort_it
	mv "$work/sorted" "$work/right"
	row "without tide" no
	if ! seconds paged 1G lrm; then
		echo "  tide cannot page programs here: $(tail -n 1 "$work/said")"
		echo "  \`tide doctor\` says what is missing. On with the simulator:"
		return
	fi
	memory=$(($(number migrated_pages) * 4096))
	row "all of $((memory >> 20)) MiB, lrm" "$(number faults)"
	for evict in lrm clock random; do
		seconds paged $((memory / 2)) $evict || {
			echo "  $evict: $(tail -n 1 "$work/said")"
			continue
		}
		row "half of it, $evict" "$(number faults)"
	done
	echo "  (clock asks the pager for a sample of the accesses, which takes time; lrm and random see faults alone)"
}

in_half_its_memory

set -- --workload scanhot:pages=16384,hot=1024,accesses=500000
say "2. How much memory does a workload need? A hot set beside a long scan:"
echo "   \$ tide mrc $* --evict '{lru,arc,opt}' --near 25 --plot -"
"$tide" mrc "$@" --evict '{lru,arc,opt}' --near 25 --plot - | sed '1,/^$/d; /^$/,$d'

say "3. Which policy suits it? All counts are the same on every machine:"
echo "   \$ tide compare $* --near 25% --preset cache"
"$tide" compare "$@" --near 25% --preset cache | sed '1,/^$/d'

"$tide" compare "$@" --near '{10..90..20}%' --preset cache --json >"$work/runs.json"
"$tide" report "$work/runs.json" -o "$folder/demo.html" >"$work/said" 2>&1
say "4. The same for five sizes, as a page: file://$(cd "$folder" && pwd)/demo.html"
if [ -t 1 ] && [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] && command -v xdg-open >/dev/null; then
	xdg-open "$folder/demo.html" >/dev/null 2>&1 &
fi
