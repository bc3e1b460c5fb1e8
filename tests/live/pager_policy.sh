#!/bin/sh
# Policies out of tree that do wrong: one that loops and one that dies end the program, and what it
# had synced is in the file; one that answers wrongly is ejected, and the program goes on.
# usage: pager_policy.sh loops|crashes|invalid POLICY FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

policy=$2
programs=$3

ends()
{
	attempt 60 "$programs/pager_policy" "$policy" "$service" file
	[ $status -ne 0 ] || fail "$service: the program goes on: $(cat out error)"
	[ "$(cat out)" = synced ] || fail "$service: $(cat out)"
	"$programs/pager_kill" check file 1 256 || fail "$service: synced data is not in the file"
}

loops()
{
	ends
	grep -q '^tide: evict policy loops has not returned from pick_victim for [0-9]* s' error || fail "$service: no message says who loops: $(cat error)"
	[ "$(grep -vcE '^Aborted|dumped core$' error)" -eq 1 ] || fail "$service: more than one line: $(cat error)"
}

crashes()
{
	ends
}

invalid()
{
	passes "$programs/pager_policy" "$policy" "$service" file
	grep -q '^ejected invalid, at work lrm, 16 errors$' out || fail "$service: $(cat out)"
}

for service in signal thread; do
	"$1"
done
