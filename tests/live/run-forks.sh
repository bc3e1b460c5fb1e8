#!/bin/sh
# Programs that fork at random, and what a child has of its own, see run_forks.c.
# usage: run-forks.sh PROGRAM MAPPING SERVICE
# TIDE_LONG set: many more.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

program=$1
how="--mapping $2 --service $3"
seeds='1 2'
[ -z "${TIDE_LONG:-}" ] || seeds=$(seq 50)

# at_random OPTIONS...
at_random()
{
	for seed in $seeds; do
		# shellcheck disable=SC2086
		timeout 300 "$TIDE" run --near 4M $how --stats stats.json "$@" \
			-- "$program" "$seed" 60 2 1024 >said 2>&1 ||
			fail "seed $seed with $how $* ended with $?: $(cat said)"
		was_paged 100
	done
}

# bounded MAPPED_MB OPTIONS...
bounded()
{
	pages=$(($1 * 256))
	shift
	# shellcheck disable=SC2086
	tide run --near 16M $how --stats stats.json "$@" -- "$program" 1 1 1 $pages bounded 16 >said 2>&1 ||
		fail "the memory of a child is not bounded with $how $*: $(cat said)"
	was_paged 100
	grep 'of its own' said
}

# A child that exits leaves the log of its parent alone.
logged()
{
	bounded "$1" --log log.json
	! grep -qv '^{.*}$' log.json || fail "a child wrote to its parent's log: $how"
}

at_random
at_random --host 80M --host-kind lz4
at_random --storage far --host 4M
logged 24
case $2 in
fast | copy)
	bounded 96
	bounded 96 --page 16K
	! grep -q 'the memory of a forked child' said || fail "a child was not paged: $(cat said)" ;;
esac
exit 0
