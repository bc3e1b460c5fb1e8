#!/bin/sh
# The host pager: its faults, hits and scale. The programs in bench/pager say what they claim and
# beside what; pager-file.sh is about files.
# usage: bench/pager.sh TIDE
set -eu
# shellcheck disable=SC2034 # for common.sh
TIDE=$1
# shellcheck source=SCRIPTDIR/common.sh disable=SC1091
. "$(dirname "$0")/common.sh"
quick=
[ "${QUICK:-}" != 1 ] || quick=-q

"$BUILD/bench/pager_faults" $quick -r "$REPEAT" -o "$RESULTS"
"$BUILD/bench/pager_hits" $quick -r "$REPEAT" -o "$RESULTS"
"$BUILD/bench/pager_scale" $quick -o "$RESULTS"
