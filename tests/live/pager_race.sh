#!/bin/sh
# Writes that come while their page leaves, in every way of mapping. Longer where TIDE_LONG is set.
# usage: pager_race.sh FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

ms=1000
[ -z "${TIDE_LONG:-}" ] || ms=20000

for mapping in copy fast exact around; do
	passes "$1/pager_race" "$ms" mapping=$mapping
done
passes "$1/pager_race" "$ms" mapping=copy page=64K chunk=1p near=1600K
passes "$1/pager_race" "$ms" mapping=copy chunk=16K near=1600K host=1M storage=far
passes "$1/pager_race" "$ms" mapping=copy service=thread
