#!/bin/sh
# Runs one case and compares what it printed and how it ended.
# usage: golden.sh CASE TOOLS-DIR   (TIDE and CC from the environment)
#        golden.sh --write CASE TOOLS-DIR   writes what came out into the case instead
#
# A case is a shell script, run in an empty folder with `tide` in its PATH and $GOLDEN as the
# folder of this script, then what it is to give:
#
#     tide sim --near 0
#     === stdout
#     === stderr
#     tide sim: ...
#     === status 2
#
# What differs from run to run is masked: times, speeds, the version. So are digests of settings, which a
# new parameter of a policy changes, and the lists of known
# policies, workloads, trace formats and verbs, which grow by a file and no edit elsewhere. A count that
# no case knows is left out: it is a new row of a list.
set -u

write=
if [ "$1" = --write ]; then
	write=1
	shift
fi
case=$1
tools=$2
GOLDEN=$(cd "$(dirname "$0")" && pwd)
export GOLDEN

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$TIDE" "$work/bin/tide"
PATH=$work/bin:$tools:$PATH

mask()
{
	sed -e 's/^speed   .*/speed   (masked)/' \
		-e 's/"seconds": *[-+0-9.e]*/"seconds": 0.0/' \
		-e 's/"accesses_per_second": *[-+0-9.e]*/"accesses_per_second": 0/' \
		-e 's/known ones are .*/known ones are (masked)/' \
		-e 's/known here are .*/known here are (masked)/' \
		-e 's/\(format of [a-zA-Z ]*: \)[a-z0-9, -]* (/\1(masked) (/' \
		-e 's/ --format [a-z0-9-]*|.*/ --format (masked)/' \
		-e 's/: name it \..*, or say the format/: name it (masked), or say the format/' \
		-e 's/\(unknown verb [^:]*: there is \)sim, .*/\1(masked)/' \
		-e 's/\(unknown workload .*\): known are .*/\1: known are (masked)/' \
		-e 's/"settings": *"[0-9a-f]*"/"settings": "(masked)"/' \
		-e 's/"tide": *"[0-9.]*"/"tide": "VERSION"/' -e 's/^tide [0-9][0-9.]*$/tide VERSION/' "$1"
}

# The counts and figures of the lists that no case speaks of, as a pattern; empty: there are none.
new_counts()
{
	sed -n 's/^TIDE_[A-Z]*(\([a-z0-9_]*\),.*/\1/p' "$GOLDEN"/../../include/tide/*.def | sort -u >"$work/rows"
	cat "$GOLDEN"/cases/*.case | tr -cs 'a-z0-9_' '\n' | sort -u | comm -13 - "$work/rows" | paste -sd '|' -
}

# Without the lines of these, and without the comma before them where one was the last.
leave_out()
{
	awk -v new="$1" '
		new != "" && $0 ~ "(^|[^a-z0-9_])(" new ")([^a-z0-9_]|$)" { if (!/,$/) sub(/,$/, "", held); next }
		NR > 1 && any { print held }
		{ held = $0; any = 1 }
		END { if (any) print held }'
}

awk '/^=== / { exit } { print }' "$case" >"$work/script"
(cd "$work/run" && LC_ALL=C sh "$work/script" >"$work/stdout" 2>"$work/stderr" </dev/null)
status=$?
new=$(new_counts)
{
	cat "$work/script"
	echo "=== stdout"
	mask "$work/stdout" | leave_out "$new"
	echo "=== stderr"
	mask "$work/stderr"
	echo "=== status $status"
} >"$work/result"

if [ -n "$write" ]; then
	cp "$work/result" "$case"
	exit 0
fi
diff -u "$case" "$work/result"
