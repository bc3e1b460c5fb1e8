#!/bin/sh
# A program on the fake driver, without tide, and how it must end.
# usage: alone.sh FOLDER-OF-THE-FAKE STATUS PROGRAM [ARGUMENT...]
LD_LIBRARY_PATH=$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
wanted=$2
shift 2
# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
status=0
timeout -k 5 300 "$@" || status=$?
[ $status -eq "$wanted" ] || { echo "status $status, not $wanted: $*" >&2; exit 1; }
