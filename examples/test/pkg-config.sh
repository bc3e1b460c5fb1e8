#!/bin/sh
# A program builds against what was installed, with pkg-config alone, and prints what it should.
# usage: pkg-config.sh PREFIX SOURCE EXPECTED-OUTPUT   (CC from the environment)
set -eu

here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lib=$(dirname "$(find "$1" -name libtide.so)")
export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
# The words of pkg-config are meant to be split.
# shellcheck disable=SC2046
"${CC:-cc}" -Wall -Wextra -Werror -o "$work/program" "$2" $(pkg-config --cflags --libs tide)
"$here/same.sh" "$3" "$work/program"
