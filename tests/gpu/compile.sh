#!/bin/sh
# Misuse of tide/device.cuh that does not compile, and what the compiler says of it.
# usage: compile.sh SOURCE-DIR BUILD-DIR   (NVCC from the environment)
set -u

source=$1
build=$2
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$NVCC" ] || { echo "no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

compile()
{
	"$NVCC" -std=c++17 -arch=sm_90 -I"$source/include" -I"$build/include" \
		-I"$source/policies" "$@" -ptx "$source/tests/gpu/compile.cu" -o "$work/out.ptx" \
		>"$work/said" 2>&1
}

# refuses CASE TEXT
refuses()
{
	if compile "-D$1"; then
		echo "$1 compiles"
		bad=1
	elif ! tr '\n' ' ' <"$work/said" | tr -s ' ' | grep -qF -- "$2"; then
		echo "$1: the compiler does not say \"$2\":"
		cat "$work/said"
		bad=1
	fi
}

compile || { echo "right use does not compile:"; cat "$work/said"; exit 1; }
refuses CURSOR_STORE_THROUGH_READ 'expression must be a modifiable lvalue'
refuses CURSOR_OF_TWELVE_BYTES "tide: the size of a cursor's element must be a power of two"
refuses CURSOR_LARGER_THAN_A_PAGE "tide: the size of a cursor's element must be a power of two"
refuses READ_TWELVE_BYTES 'tide: elements must have 1, 2, 4, 8 or 16 bytes'
refuses WRITE_LANE_TWELVE_BYTES 'tide: elements must have 1, 2, 4, 8 or 16 bytes'
refuses BRING_TWELVE_BYTES "tide: the size of a cursor's element must be a power of two"
refuses LAUNCH_OTHER_POINTER 'no instance of function template "tide_launch" matches'
refuses LAUNCH_TOO_FEW 'no instance of function template "tide_launch" matches'
exit $bad
