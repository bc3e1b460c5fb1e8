#!/bin/sh
# Sums while pages leave and come back.
# usage: pager_sums.sh FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

passes "$1/pager_sums" "$work/far"
