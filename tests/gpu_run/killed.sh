#!/bin/sh
# A program under `tide run --gpu-near` that is killed at any moment leaves nothing behind: no
# process, and no file, FIFO or folder in $TMPDIR or /dev/shm; and tide says how it ended.
# usage: killed.sh TIDE FOLDER-OF-THE-FAKE FOLDER-OF-THE-PROGRAMS
# TIMES: how often, 12 by default.
set -u
tide=$1
LD_LIBRARY_PATH=$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
programs=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR

fail()
{
	echo "$1 (trust $trust, after $ms ms)" >&2
	cat "$work/err" >&2
	exit 1
}

# Processes of this test have its folder in their environment.
processes()
{
	grep -lsF "TMPDIR=$TMPDIR" /proc/[0-9]*/environ | sed 's/[^0-9]//g' |
		while read -r id; do
			if grep -qsa "$programs/random" "/proc/$id/cmdline" &&
				! grep -q '^State:.*Z' "/proc/$id/status" 2>/dev/null; then
				echo "$id"
			fi
		done
}

# Its own process: the one that tide started, or tide itself.
find_program()
{
	for id in $(processes); do
		case $(tr '\0' ' ' <"/proc/$id/cmdline" 2>/dev/null) in
		"$programs/random"*) echo "$id" ;;
		esac
	done
}

shm()
{
	find /dev/shm -maxdepth 1 -name '*tide*' 2>/dev/null | sort
}

i=0
shm_before=$(shm)
while [ $i -lt "${TIMES:-12}" ]; do
	trust=none
	[ $((i % 2)) -eq 0 ] || trust=args
	ms=$((20 + i * 37 % 400))
	"$tide" run --gpu-near 16M --gpu-chunk 2M --gpu-threshold 4K --gpu-trust $trust -- \
		"$programs/random" $((i + 1)) 100000 >"$work/out" 2>"$work/err" &
	run=$!
	victim=
	until [ -n "$victim" ] || ! kill -0 $run 2>/dev/null; do
		victim=$(find_program)
	done
	sleep "$(printf '0.%03d' $ms)"
	[ -n "$(ls -A "$TMPDIR")" ] || fail "tide shares nothing with the program: what could be left?"
	kill -KILL "$victim" || fail "the program is not there"
	status=0
	wait $run || status=$?
	[ $status -eq 137 ] || fail "status $status, not 137"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"
	[ "$(shm)" = "$shm_before" ] || fail "left in /dev/shm"
	[ -z "$(processes)" ] || fail "left processes: $(processes)"
	i=$((i + 1))
done
