# Sourced by the others: an empty folder, and how to end.
# shellcheck shell=sh
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail()
{
	echo "$1" >&2
	exit 1
}

# attempt SECONDS COMMAND...: out and error hold what it says, status how it ends; a hang is 124
attempt()
{
	seconds=$1
	shift
	status=0
	timeout -k 5 "$seconds" "$@" >out 2>error || status=$?
	[ $status -ne 77 ] || { cat out; exit 77; }
	[ $status -ne 124 ] || fail "hangs: $* ($(cat out error))"
}

# passes COMMAND...
passes()
{
	attempt 60 "$@"
	[ $status -eq 0 ] || fail "$*: status $status: $(cat out error)"
	cat out
}
