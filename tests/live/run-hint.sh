#!/bin/bash
# The hint at smaller chunks: for a program that uses few pages of each chunk, and for no other.
# usage: run-hint.sh
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

# Goes through 48 MiB by steps of so many bytes, again and again.
cat >steps.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
	size_t bytes = 48 << 20, step = (size_t)atoi(argv[argc - 1]);
	volatile char *all = malloc(bytes);
	for (int round = 0; round < 12; round++)
		for (size_t i = 0; i < bytes; i += step)
			all[i]++;
	return 0;
}
END
"$CC" -o steps steps.c || exit 1

# hint WANTED STEP OPTIONS...
hint()
{
	local wanted=$1 step=$2
	shift 2
	tide run --near 16M --prefetch locality "$@" -- ./steps "$step" 2>said || fail "$(cat said)"
	grep -q '^  time    ' said || fail "no time: $(cat said)"
	grep -q -e "$wanted" said || fail "step $step, $*: no '$wanted': $(cat said)"
}

# none STEP OPTIONS...
none()
{
	hint '^  near    ' "$@"
	! grep -q '^  hint    ' said || fail "step $1: $(cat said)"
}

hint '^  hint    9[0-9.]*% of the evicted pages had not been touched: try --chunk 4K$' 65536 --mapping exact
hint '^  hint    .* try --chunk 16K$' 65536 --mapping exact --page 16K
none 4096 --mapping exact
none 65536 --mapping exact --chunk 4K
if tide run --near 16M --mapping fast -- true 2>/dev/null; then
	hint '--mapping exact counts them$' 65536 --mapping fast
fi
