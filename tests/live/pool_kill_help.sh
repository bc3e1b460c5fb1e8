# Sourced by pool_kill.sh and pool_power.sh: the program that they kill at several moments.
# shellcheck shell=sh
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

# shellcheck disable=SC2034 # for both
programs=$1
moments=10
[ -z "${TIDE_LONG:-}" ] || moments=100

# start WORD...: until its first flush is over; id is its process.
start()
{
	: >rounds
	env "$@" >rounds 2>error &
	id=$!
	_tries=0
	while ! [ -s rounds ]; do
		kill -0 "$id" 2>/dev/null || fail "it ended by itself: $(cat error)"
		_tries=$((_tries + 1))
		[ $_tries -lt 1200 ] || fail "hangs: $(cat error)"
		sleep 0.05
	done
}

# kill_after SECONDS
kill_after()
{
	sleep "$1"
	kill -KILL "$id" 2>/dev/null
	wait "$id"
	_status=$?
	[ $_status -eq 137 ] || fail "it ended by itself with $_status: $(cat error)"
}

# at_moments COMMAND: COMMAND NUMBER SECONDS for each of them
at_moments()
{
	_i=0
	while [ $_i -lt $moments ]; do
		"$1" $_i "0.$(printf %03d $((_i * 37 % 300)))"
		_i=$((_i + 1))
	done
}
