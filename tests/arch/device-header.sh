#!/bin/sh
# What GPU code includes must compile as C11, as C++17 and, where there is an nvcc, for the device;
# and it may neither call anybody nor own anything.
# usage: device-header.sh SOURCE-DIR   (CC, CXX and NVCC from the environment)
set -eu
include=$1/include
CC=${CC:-cc}
CXX=${CXX:-$(command -v c++ || echo clang++)}
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The header alone, so that it brings along what it needs; twice, so that it is guarded.
for name in tide/event.h tide/tiering.h tide/placement.h tide/gpu.h; do
	printf '#include "%s"\n#include "%s"\n' $name $name
done >"$work/all.c"
cp "$work/all.c" "$work/all.cc"
check()
{
	"$@" -Wall -Wextra -Wconversion -Wno-unused-function -pedantic -Werror -I"$include" -fsyntax-only
}
check "$CC" -std=c11 "$work/all.c"
check "$CXX" -std=c++17 "$work/all.cc"

# Every function of it as an object: symbols that it wants from others, and data that it owns.
sed -n 's/^TIDE_DEVICE static inline .*[ *]\(tide_[a-z0-9_]*\)(.*/\1/p' \
	"$include/tide/tiering.h" "$include/tide/event.h" >"$work/names"
test "$(wc -l <"$work/names")" -gt 10
{
	cat "$work/all.c"
	echo 'typedef void (*any)(void);'
	echo 'void keep(any *to);'
	echo 'void keep(any *to)'
	echo '{'
	sed 's/.*/	*to++ = (any)&;/' "$work/names"
	echo '}'
} >"$work/kept.c"
"$CC" -std=gnu11 -O1 -fno-stack-protector -fcf-protection=none -Wno-cast-function-type \
	-I"$include" -c "$work/kept.c" -o "$work/kept.o"
others=$(nm "$work/kept.o" | awk '$(NF - 1) ~ /[UBbDdCGgSs]/ && $NF != "_GLOBAL_OFFSET_TABLE_"')
if [ -n "$others" ]; then
	echo "tide/tiering.h: not free of others: $others"
	exit 1
fi

# A kernel that calls each of them.
if ! [ -x "$NVCC" ]; then
	echo "no nvcc: not compiled for the device"
	exit 0
fi
cat >"$work/kernel.cu" <<'END'
#include "tide/tiering.h"

__global__ void serve(struct tide_decisions *d, unsigned long long *weights, struct tide_past *past,
		      bool *used, struct tide_line line, uint64_t time, uint64_t bound, int *out)
{
	uint64_t page = blockIdx.x * blockDim.x + threadIdx.x;
	struct tide_past at = past[page];
	unsigned prev = tide_past_prev(at);
	if (tide_past_evicted(at)) {
		unsigned correct = tide_correct_tier(line, time - tide_past_evicted(at), 100, 200);
		unsigned long long old = *weights, seen;
		while (prev && (seen = atomicCAS(weights, old,
						 tide_weights_learn(old, prev, correct))) != old)
			old = seen;
		tide_past_set_prev(&at, correct);
		out[page] += tide_past_predicted(at) == correct;
	}
	if (tide_sampled(page, bound) && tide_clock_takes(&used[page])) {
		unsigned predicted = tide_weights_predict(*weights, tide_past_prev(at));
		out[page] = (int)tide_place(d, predicted, !tide_past_kept(at), true, false);
		tide_past_set_predicted(&at, predicted);
		if (out[page] == 1)
			tide_past_keep(&at);
		else
			tide_past_evict(&at, time);
	}
	past[page] = at;
}
END
"$NVCC" -std=c++17 -Werror all-warnings -I"$include" -c "$work/kernel.cu" -o "$work/kernel.o"
