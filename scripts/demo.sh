#!/bin/sh
# Two workloads, eight eviction policies, one sentence.
# usage: scripts/demo.sh TIDE
set -eu

tide=$1

# compare WORKLOAD NEAR: pages by themselves, no prefetch, as in studies of caches.
compare()
{
	set -- compare --workload "$1" --near "$2" --chunk 4K --prefetch none \
		--evict fifo --evict lru --evict mru --evict lfu \
		--evict arc --evict lirs --evict s3fifo --evict opt
	printf '\n$ %s %s\n' "$tide" "$*"
	"$tide" "$@"
}

compare zipf:pages=100000,accesses=2000000 10%
compare cyclic:pages=20000,rounds=20 75%

cat <<'TEXT'

What it means: where few pages get most of the accesses (above, zipf) s3fifo, lfu and arc do best
and mru does worst, but in a loop that does not fit (cyclic) fifo, lru, lfu and arc miss every time
and mru is as good as the optimum: no policy wins everywhere, so compare them on your own trace.
TEXT
