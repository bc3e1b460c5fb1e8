#!/bin/sh
# What was synced is in the file, whenever the program is killed.
# usage: pager_kill.sh FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

programs=$1

# killed SERVICE ROUNDS WAIT: after at least so many rounds, and a wait
killed()
{
	: >rounds
	"$programs/pager_kill" write "$1" file >rounds 2>error &
	id=$!
	tries=0
	while [ "$(wc -l <rounds)" -lt "$2" ]; do
		kill -0 $id 2>/dev/null || break
		tries=$((tries + 1))
		[ $tries -lt 2400 ] || fail "hangs: $(cat rounds error)"
		sleep 0.05
	done
	sleep "$3"
	kill -KILL $id 2>/dev/null
	wait $id
	status=$?
	[ $status -ne 77 ] || { cat rounds; exit 77; }
	[ $status -eq 137 ] || fail "it ended by itself with $status: $(cat error)"
	"$programs/pager_kill" check file "$(tail -n 1 rounds)" 2048 || fail "$1: synced data is lost"
}

killed signal 1 0
killed signal 3 0.013
killed thread 2 0.007
killed thread 4 0.031
