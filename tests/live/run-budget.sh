#!/bin/bash
# A budget that cannot be kept ends the run with a sentence, unless --over-budget asks to go on.
# usage: run-budget.sh PROGRAM   (run_kinds)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"
program=$1

# over SENTENCE OPTIONS -- COMMAND...: fails with it, and goes on if asked.
over()
{
	local sentence=$1 status
	shift
	tide run --near 4M "$@" >out 2>said
	status=$?
	[ $status -eq 1 ] || fail "$*: ended with $status: $(cat said)"
	grep -qF -e "$sentence" said || fail "$*: does not say '$sentence' but: $(cat said)"
	grep -q 'could not keep its budget' said || fail "$*: $(cat said)"
	tide run --near 4M --over-budget "$@" >out 2>said || fail "$*: over budget: $(cat said)"
}

# Tier 2 is too small; if it is compressed, only what does not compress is too much.
over 'give storage, or a larger tier 2' --host 8M -- "$program" plain 64
tide run --near 4M --host 8M --host-kind lz4 --stats stats.json -- "$program" plain 64 2>said ||
	fail "lz4: $(cat said)"
was_paged 100
for service in thread signal; do
	over 'tier 2 is full' --service $service --host 8M --host-kind lz4 -- "$program" random 64
	[ "$(grep -c 'tier 2 is full' said)" -eq 1 ] || fail "said more than once: $(cat said)"
done

# Limits: on addresses, and on the size of the files that the pager needs.
(ulimit -v 1000000 && over 'ulimit -v' -- "$program" plain 500) || exit 1
(ulimit -v 1000000 && tide run --near 4M -- "$program" plain 1000 2>said >out) ||
	fail "a program that the kernel refuses too did not go on"
[ "$(cat out)" = 'no memory' ] || fail "it got memory beyond its limit"
grep -q 'fails, paged or not' said || fail "$(cat said)"
for options in '--storage far' '--storage far --service signal' '--mapping around' \
	'--mapping around --service signal'; do
	# shellcheck disable=SC2086
	(ulimit -f 1000 && over 'ulimit -f' $options -- "$program" plain 64) || exit 1
done
(ulimit -f 100000 && tide run --near 4M --storage far -- "$program" random 64 2>said) ||
	fail "below the limit: $(cat said)"

# So is a decision log at the limit.
for service in thread signal; do
	(
		ulimit -f 200
		tide run --near 4M --service $service --log log -- "$program" phases 128 2>said
		[ $? -eq 1 ]
	) || fail "a log beyond the limit: $(cat said)"
	grep -q 'cannot write the decision log' said || fail "$(cat said)"
	[ ! -e log ] || fail "a part of the log was left behind"
done

# A pager that cannot be opened.
tide run --near 4M --storage nowhere/far -- touch ran 2>/dev/null && fail "no storage, and no error"
[ ! -e ran ] || fail "it ran without its storage"
tide run --near 4M --storage nowhere/far --over-budget -- "$program" plain 64 2>said || fail "$(cat said)"
grep -q 'run_kinds .*: could not be paged' said || fail "$(cat said)"

# A file of the program's own, at the same limit, is its own affair: SIGXFSZ.
(
	ulimit -f 1000
	tide run --near 4M --storage far -- head -c 3000000 /dev/zero >own 2>/dev/null
	[ $? -eq 153 ]
) || fail "the program's own SIGXFSZ was lost"

# One process of several.
tide run --near 4M --host 8M -- sh -c "'$program' plain 64; exit 0" 2>said && fail "$(cat said)"
grep -q 'could not keep its budget' said || fail "$(cat said)"
