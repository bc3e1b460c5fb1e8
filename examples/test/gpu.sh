#!/bin/sh
# The examples of the GPU runtime, where there is a GPU. Elsewhere they say so in one line.
# usage: gpu.sh GPU-SCALE GPU-BFS GPU-DATA
set -eu

scale=$1 bfs=$2 data=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "gpu: $1" >&2
	exit 1
}

# 96 MiB and 7 numbers, with 32 MiB near.
n=12582919
"$data" numbers "$work/numbers" $n
status=0
"$scale" "$work/numbers" 3 32M >"$work/out" 2>"$work/error" || status=$?
if [ $status -eq 3 ]; then
	[ "$(wc -l <"$work/error")" -eq 1 ] || fail "not one line: $(cat "$work/error")"
	[ -s "$work/out" ] && fail "there is no GPU, and it says: $(cat "$work/out")"
	"$data" scaled "$work/numbers" $n 1 || fail "there is no GPU, and the file has changed"
	echo "skipped: $(cat "$work/error")"
	exit 77
fi
[ $status -eq 0 ] || fail "gpu_scale: $(cat "$work/error")"
"$data" scaled "$work/numbers" $n 3 || fail "the file is not what it should be"

# A file that is not there, and near memory that is too small for the launch: one line each.
for arguments in "$work/none 3 32M" "$work/numbers 3 1M"; do
	# shellcheck disable=SC2086
	"$scale" $arguments 2>"$work/error" && fail "gpu_scale $arguments goes well"
	[ "$(wc -l <"$work/error")" -eq 1 ] || fail "not one line: $(cat "$work/error")"
done

"$data" graph "$work/offsets" "$work/targets" 4000000
"$data" reached "$work/offsets" "$work/targets" >"$work/wanted"
"$bfs" "$work/offsets" "$work/targets" 0 32M 32M >"$work/out" || fail "gpu_bfs fails"
diff -u "$work/wanted" "$work/out" || fail "gpu_bfs says something else"
