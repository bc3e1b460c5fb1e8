#!/bin/sh
# usage: pager_basics.sh FOLDER-OF-THE-PROGRAMS MAPPING SERVICE
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

passes "$1/pager_basics" "$work" "$2" "$3"
