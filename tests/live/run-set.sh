#!/bin/bash
# tide run --save-set and --load-set: a program that is started again has fewer faults and the same
# output; files that are no set are refused before the program starts.
# usage: run-set.sh
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/run-help.sh
. "$here/run-help.sh"

# Uses every third page of the second of two arrays, in a random order, a few times, and sums it up.
cat >hot.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	size_t pages = 4096 * (size_t)atoi(argv[argc - 1]), sum = 0, random = 1;
	unsigned char *cold = malloc(pages * 4096), *hot = malloc(pages * 4096);
	cold[0] = 1;
	for (size_t i = 0; i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		sum += hot[(random >> 33) % (pages / 3) * 3 * 4096]++;
	}
	printf("%zu\n", sum + cold[0]);
	return 0;
}
END
"$CC" -O1 -o hot hot.c || exit 1

# run OPTIONS... ARGUMENT
run()
{
	tide run --near 32M --prefetch none --stats stats.json "${@:1:$#-1}" -- ./hot "${!#}" >out 2>said ||
		fail "$*: $(cat said)"
}

run --save-set set 1
first=$(figure faults)
cp out out.first
[ -s set ] || fail "no set was saved"
for mapping in fast copy; do
	tide run --near 32M --mapping $mapping -- true 2>/dev/null || continue
	run --mapping $mapping --load-set set 1
	cmp out out.first || fail "$mapping: another output"
	[ "$(figure faults)" -lt $((first / 10)) ] || fail "$mapping: $(figure faults) faults, $first without a set"
	grep -q '^  set     .* came before they were touched$' said || fail "no line about the set: $(cat said)"
done
run --load-set set --save-set set 1
run --load-set set 1
[ "$(figure faults)" -lt $((first / 10)) ] || fail "saved again: $(figure faults) faults, $first without a set"
# Another program, whose mappings have other sizes.
run --load-set set 2
grep -q "^  set     no mapping of this process is one of the set's$" said || fail "not said: $(cat said)"

# refused TEXT OPTIONS...
refused()
{
	tide run --near 4M "${@:2}" -- echo ran >out 2>said && fail "${*:2}: taken"
	[ ! -s out ] || fail "${*:2}: the program ran"
	grep -qF -e "$1" said || fail "${*:2}: $(cat said)"
}
sed 's/^pages 0/pages 1/' set >damaged
refused 'is damaged' --load-set damaged
head -c 100 set >short
refused 'is damaged' --load-set short
refused 'is no set of pages' --load-set hot.c
refused 'cannot read the set' --load-set nothing
refused 'cannot write' --save-set nowhere/set
if [ -w /dev/full ]; then
	tide run --near 32M --save-set /dev/full/set -- ./hot 1 2>said && fail "a set in no folder"
fi
refused 'does not go with --mapping kernel' --save-set set --mapping kernel
