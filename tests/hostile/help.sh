# Sourced by the others, whose first words are OUTCOME FOLDER-OF-THE-POLICIES: an empty folder, and
# which ways are tried.
# shellcheck shell=sh disable=SC2034
set -u

here=$(cd "$(dirname "$0")" && pwd)
outcome=$1
policies=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
tried=0

# number KEY: its value in the result
number()
{
	sed -n "s/^ *\"$1\": \([0-9]*\),*\$/\1/p" "$work/out"
}

# finish: some way must have been tried.
finish()
{
	[ $tried -gt 0 ] || { echo "no way is $outcome" >&2; bad=1; }
	exit $bad
}
