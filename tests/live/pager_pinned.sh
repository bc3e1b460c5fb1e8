#!/bin/sh
# usage: pager_pinned.sh FOLDER-OF-THE-PROGRAMS MAPPING SERVICE
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

# A page, a part of what leaves at a time, most of near memory.
for kib in 4 256 3072; do
	passes "$1/pager_pinned" "$2" "$3" 4K $kib
done
passes "$1/pager_pinned" "$2" "$3" 64K 256
