#!/bin/bash
# What tide run says of memory that is not paged, and why.
# usage: run-unpaged.sh PROGRAM   (run_kinds)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"
program=$1

# says SENTENCE COMMAND...
says()
{
	local sentence=$1
	shift
	# shellcheck disable=SC2086
	tide run --near 16M ${how:-} --stats stats.json -- "$@" 2>said || fail "$*: $(cat said)"
	grep -qE -e "$sentence" said || fail "$*: does not say '$sentence' but: $(cat said)"
}

# Each kind by its name.
says 'run_kinds .*: at least 1[0-9.]* MiB .* reserved without access' "$program" reserve 100
grep -q '"why": "memory that was reserved' stats.json || fail "$(cat stats.json)"
says 'at least [0-9.]* MiB were not paged: allocations below 1M' "$program" many 100
says 'at least [0-9.]* MiB were not paged: shared memory' "$program" shared 100
says 'nothing was paged: no allocation of 1M or more was seen' "$program" reserve 100

# Several processes: each by its own name, those that were paged as well.
says 'run_kinds .*: evict lrm' sh -c "'$program' many 60; '$program' reserve 60; '$program' plain 60"
[ "$(grep -c 'were not paged' said)" -eq 2 ] || fail "$(cat said)"

# One that has written a title over its name.
says 'run_kinds .*: evict lrm' "$program" titled 60

# A forked child has plain memory, where it cannot inherit a pager's.
how='--mapping exact'
says 'the memory of a forked child' sh -c "'$program' forked 60"
how=
says 'run_kinds .*: evict lrm, mapping copy' sh -c "'$program' forked 60"
grep -q 'the memory of a forked child' said && fail "$(cat said)"

# What fits near memory needs no word.
says 'nothing was paged' "$program" many 4
grep -q 'not paged:' said && fail "$(cat said)"
says 'evict lrm' "$program" plain 100
grep -q 'not paged' said && fail "$(cat said)"

# tide was not in it.
says 'a process with .* was not paged, since tide was not in it' sh -c "env -i '$program' plain 100"

# A program that root runs as another user is paged, and reports it.
if [ "$(id -u)" -eq 0 ] && su nobody -s /bin/sh -c "test -x '$program' && test -r '$TIDE'" 2>/dev/null; then
	says 'run_kinds .*: evict lrm' su nobody -s /bin/sh -c "'$program' plain 100"
fi
exit 0
