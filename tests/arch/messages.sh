#!/bin/sh
# No message of the library names an option of the command line: a program that links it has none.
# Settings are named as members of structs, `near_size`, which the command line shows as --near.
# usage: messages.sh SOURCE-FOLDER
set -eu

cd "$1"
found=$(find src policies -name '*.[ch]' -o -name '*.def' |
	grep -v -e '^src/cli/' -e '^src/run/' -e '^src/gpu/' |
	xargs grep -nE '"(--|[^"]*[ (]--)[a-z%]' || true)
[ -z "$found" ] && exit 0
printf 'messages that name options:\n%s\n' "$found"
exit 1
