#!/bin/sh
# A program that has the library of `tide run --gpu-near` linked in, which a sanitizer can look into:
# alone, and then with a budget. Both must say and end the same, and the sanitizer nothing.
# usage: linked.sh FOLDER-OF-THE-FAKE "NAME=VALUE..." PROGRAM [ARGUMENT...]
# The values are settings of src/run/gpu/settings.def. BUDGET + SLACK: bytes of the device that the
# program may use with them.
set -u
fake=$1
settings=$2
shift 2

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# The program ends with memory and threads that tide keeps until then.
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}
export ASAN_OPTIONS TSAN_OPTIONS

fail()
{
	echo "$1 [seed ${FAKE_CUDA_SEED:-1}; $settings; $command]" >&2
	cat "$work/alone.err" "$work/near" "$work/near.err" >&2 2>/dev/null
	exit 1
}

command=$*
status=0
timeout -k 5 "${LIMIT:-300}" "$@" >"$work/alone" 2>"$work/alone.err" || status=$?
[ $status -eq 0 ] || fail "status $status without a budget"
for setting in $settings; do
	export "TIDE_GPU_$setting"
done
timeout -k 5 "${LIMIT:-300}" "$@" >"$work/near" 2>"$work/near.err" || status=$?
[ $status -ne 124 ] || fail "hangs"
[ $status -eq 0 ] || fail "status $status with a budget"
cmp -s "$work/alone" "$work/near" || fail "says something else with a budget"
peak=$(sed -n 's/^peak //p' "$work/near.err")
[ "${peak:-0}" -le $((${BUDGET:?} + ${SLACK:-0})) ] || fail "used $peak bytes of the device, of $BUDGET"
