#!/bin/sh
# A program with functions whose names tide's libraries have too: nobody calls the wrong ones.
# usage: run-clash.sh PROGRAM
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

"$1" >plain || fail "$1 fails without tide"
for how in "--service signal" "--service thread --host 4M --host-kind lz4 --storage far" \
	"--service signal --host 4M --host-kind zstd --storage far" \
	"--service signal --record trace.tide --log log"; do
	# shellcheck disable=SC2086
	timeout 60 "$TIDE" run --near 8M $how --stats stats.json -- "$1" >paged 2>said ||
		fail "with $how it ended with $?: $(cat said)"
	cmp plain paged || fail "with $how: not the same output: $(cat said)"
	was_paged 100
done
