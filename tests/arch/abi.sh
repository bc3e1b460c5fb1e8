#!/bin/sh
# The binary interface of libtide.so is that of tests/arch/libtide.abi, or more: functions may come,
# and structs may grow as abi.suppr allows. Anything else breaks programs that are compiled already.
# A release records its interface.
# usage: abi.sh check|record LIBTIDE.SO FOLDER-OF-THE-HEADERS
set -eu

arch=$(dirname "$0")
[ "$(uname -m)" = x86_64 ] || { echo "the baseline is one of x86_64"; exit 77; }
command -v abidiff >/dev/null || { echo "no abidiff here: install abigail-tools"; exit 77; }

# Public types alone, and nothing that depends on where it was built.
describe()
{
	abidw --headers-dir "$2" --drop-private-types --exported-interfaces-only --no-corpus-path \
		--no-comp-dir-path --no-show-locs --no-elf-needed --drop-undefined-syms "$1"
}

case $1 in
record)
	describe "$2" "$3" >"$arch/libtide.abi"
	;;
check)
	now=$(mktemp)
	trap 'rm -f "$now"' EXIT
	describe "$2" "$3" >"$now"
	abidiff --no-added-syms --suppressions "$arch/abi.suppr" "$arch/libtide.abi" "$now"
	;;
*)
	echo "usage: abi.sh check|record LIBTIDE.SO FOLDER-OF-THE-HEADERS" >&2
	exit 2
	;;
esac
