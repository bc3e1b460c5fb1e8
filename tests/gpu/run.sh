#!/bin/bash
# tide run --gpu-near with a driver and a preloaded library that are made up: the environment, the
# report, the JSON and the view.
# usage: run.sh FAKES   (TIDE and TIDE_BUILD from the environment)
set -u

LD_LIBRARY_PATH=$1/driver
export LD_LIBRARY_PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$TIDE" "$1/run/libtide_preload_gpu.so" "$TIDE_BUILD/libtide_preload.so" "$work/"
cd "$work" || exit 1
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR

fail()
{
	echo "$*"
	exit 1
}

# says TEXT: on standard error, of the last run.
says()
{
	grep -qF -e "$1" said || fail "does not say '$1' but: $(cat said)"
}

run()
{
	./tide run "$@" >out 2>said
}

# What the program gets: sizes in bytes, whole paths, and only what it did not set itself.
run --gpu-near 8G --gpu-log log --seed 3 env || fail "$(cat said)"
sort out | grep -E '^(TIDE_GPU_|TIDE_RUN_|XLA_|LD_PRELOAD)' | sed "s|$work|HERE|; s|run-......|run-X|" >got
diff -u - got <<'END' || fail 'the environment'
LD_PRELOAD=HERE/libtide_preload_gpu.so
TIDE_GPU_chunk=33554432
TIDE_GPU_evict=recur
TIDE_GPU_log=HERE/log
TIDE_GPU_near_size=8589934592
TIDE_GPU_prefetch=follow
TIDE_GPU_seed=3
TIDE_GPU_slots=HERE/tmp/tide-run-X/gpu-slots
TIDE_GPU_threshold=1048576
TIDE_GPU_trust=none
XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async
XLA_PYTHON_CLIENT_PREALLOCATE=false
END
says 'no GPU memory was managed'
echo check >file
XLA_PYTHON_CLIENT_ALLOCATOR=bfc run --gpu-near 1.5G --gpu-host 4G --gpu-chunk 2M --gpu-threshold 0 \
	--gpu-evict lirs --gpu-prefetch none --gpu-trust file env
for line in XLA_PYTHON_CLIENT_ALLOCATOR=bfc TIDE_GPU_near_size=1610612736 TIDE_GPU_host=4294967296 \
	TIDE_GPU_chunk=2097152 TIDE_GPU_threshold=0 TIDE_GPU_evict=lirs TIDE_GPU_prefetch=none \
	"TIDE_GPU_trust=$work/file"; do
	grep -qxF "$line" out || fail "no $line: $(cat out)"
done
# A run inside a run: each memory has the settings of the innermost run that is about it.
run --gpu-near 8G --gpu-evict cp ./tide run --gpu-near 2G env
[ "$(grep -cx -e TIDE_GPU_near_size=2147483648 -e TIDE_GPU_evict=recur out)" -eq 2 ] || fail "inside: $(cat out)"

# The report, and the status of the program.
export FAKE_SAYS=all
run --gpu-near 8G --stats stats.json false
[ $? -eq 1 ] || fail 'not the status of the program'
says ': GPU memory, trust none'
says '  gpu      at most 6 GiB of 8 GiB, for 13 GiB allocated'
says 'ampere_bf16'
grep -q '"pager"' stats.json && fail 'figures of a pager that there was not'
for key in '"gpu": {' '"kernels": \[' '"processes": \[' '"complete": true' '"trust": "none"' \
	'"near_size": "8589934592"' '"waited_ns": 3100000000' '"evicted_chunks": 2500' '"name": "gather"'; do
	grep -q "$key" stats.json || fail "no $key: $(cat stats.json)"
done
FAKE_SAYS="cut" run --gpu-near 8G true
says 'cut short, as it last was'
FAKE_SAYS=nothing run --gpu-near 8G true
says 'nothing was managed: it allocated no GPU memory'
FAKE_SAYS=small run --gpu-near 8G true
says 'nothing was managed: all 7 allocations are below 1 MiB'

# The view, and what stays when it has gone.
FAKE_SAYS="wait" run --gpu-near 8G --live --progress=always true
says '  gpu    [######################........] 6 GiB of 8 GiB'
says 'policies recur and follow: 2,500 chunks evicted'
says 'kernels that waited longest'

# With host memory too, where the machine can page it.
if run --near 4M true; then
	FAKE_SAYS=all run --near 4M --gpu-near 8G --stats stats.json env
	grep -qx "LD_PRELOAD=$work/libtide_preload.so:$work/libtide_preload_gpu.so" out ||
		fail "the order of the libraries: $(cat out)"
	says 'nothing was paged'
	says ': GPU memory, trust none'
	[ "$(grep -cE '^  "(pager|gpu)": \{' stats.json)" -eq 2 ] || fail "one is missing: $(cat stats.json)"
fi
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
