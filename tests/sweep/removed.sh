#!/bin/sh
# A sweep whose results are removed while it runs writes them again, and says so.
# usage: removed.sh   (TIDE from the environment)
# shellcheck source=tests/sweep/help.sh
. "$(dirname "$0")/help.sh"

(sweep -o whole.jsonl) >/dev/null || fail "the sweep failed"

# remove COMMAND: in the middle of a sweep. Where this shell looks away for long the sweep may be
# done, and there is another.
remove()
{
	for _ in $(seq 20); do
		rm -f removed.jsonl
		sweep -o removed.jsonl --jobs 1 >summary 2>said &
		await_results removed.jsonl
		"$@"
		kill -0 $! 2>/dev/null || continue
		wait $!
		status=$?
		return
	done
	fail "the sweep ends before its results are removed: make the runs longer"
}

remove rm removed.jsonl
[ "$status" -eq 0 ] || fail "the sweep ends with status $status: $(cat said)"
grep -q '^removed.jsonl was removed while the sweep ran, and written again$' summary ||
	fail "the sweep says: $(cat summary)"
settled whole.jsonl >a
settled removed.jsonl >b
cmp a b || fail "the results that were written again are others"

replace()
{
	echo mine >other
	mv other removed.jsonl
}
remove replace
[ "$status" -eq 1 ] || fail "a sweep without its file ends with status $status"
grep -q '^tide sweep: removed.jsonl was removed while the sweep ran, and cannot be written again' said ||
	fail "the sweep says: $(cat said)"
[ "$(cat removed.jsonl)" = mine ] || fail "the sweep wrote into another file"
