#!/bin/sh
# Every policy that can live, every tier and shape, with verification: stress.c. Half a second
# each; all groups together ten minutes where TIDE_LONG is set.
# usage: stress.sh STRESS policies|tiers|shapes
set -u

stress=$1
group=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Eviction and prefetch, at every share of near memory from 5% to 90%, in all ways of mapping and
# of service.
policies()
{
	cat <<-'ROWS'
		evict=lrm near=5 mib=40
		evict=lrm prefetch=sequential near=30 mapping=exact service=thread
		evict=fifo prefetch=none near=10 mapping=fast
		evict=fifo prefetch=none near=15 mapping=copy
		evict=clock prefetch=tree near=15
		evict=random prefetch=aggressive near=20 mapping=around service=thread
		evict=mhpe prefetch=pattern near=25
		evict=observ-lru near=30
		evict=observ-lfu prefetch=tree near=40 service=thread
		evict=cp prefetch=tree near=50
		evict=tournament near=60
		evict=tournament:of=lrm+mhpe prefetch=rgp near=25
		evict=lrm prefetch=fdp near=35
		evict=lrm prefetch=rgp near=45
		evict=leu:by=page chunk=1p prefetch=none near=75
		evict=lrm prefetch=locality-stop near=90
	ROWS
}

# Where victims go.
tiers()
{
	cat <<-ROWS
		host=20 storage=$work/far near=10
		host=20 storage=$work/far near=10 mapping=fast service=thread
		host=20 storage=$work/far near=25 mapping=around
		host=15 kind=lz4 storage=$work/far near=20 mapping=exact
		host=15 kind=zstd storage=$work/far near=20 mapping=fast
		host=20 storage=$work/far near=10 mapping=copy
		host=15 kind=lz4 storage=$work/far near=20 mapping=copy service=thread
		host=150 kind=lz4 near=5 mib=40 service=thread
		host=150 kind=plain near=30
		place=bam chunk=1p prefetch=none host=20 storage=$work/far near=20
		place=tier-order chunk=1p prefetch=none host=20 storage=$work/far near=20
		place=random chunk=1p prefetch=none host=20 storage=$work/far near=20 service=thread
		place=reuse evict=clock chunk=1p prefetch=none host=20 storage=$work/far near=20
		host=10 storage=$work/far near=10 inject=delay=200us,short=3
		host=10 storage=$work/far near=25 inject=write=EIO:7
	ROWS
}

# Pages and chunks of all sizes; a few threads and many; without files, without calls.
shapes()
{
	cat <<-ROWS
		page=4K chunk=1p near=5
		page=4K chunk=64p near=20 mib=48
		page=16K chunk=4p near=15 mib=48
		page=16K chunk=64p near=25 mib=128 mapping=fast
		page=64K chunk=1p near=10 mib=64 host=20 storage=$work/far
		page=64K chunk=16p near=30 mib=96 mapping=fast service=thread
		chunk=3p near=12 host=10 storage=$work/far
		threads=1 near=10
		threads=32 near=25 service=thread
		files=0 near=25 mapping=fast
		files=0 near=25 mapping=copy
		page=64K chunk=1p near=25 mib=64 mapping=copy
		files=0 calls=0 near=8 evict=mhpe prefetch=pattern
	ROWS
}

rows=$("$group" | wc -l)
ms=500
[ -z "${TIDE_LONG:-}" ] || ms=$((600000 / 3 / rows))

# A row is words.
"$group" | while read -r row; do
	# shellcheck disable=SC2086
	timeout -k 5 $((ms / 1000 + 300)) "$stress" "$work" ms="$ms" \
		seed="${TIDE_SEED:-1}" $row >"$work/said" 2>&1
	status=$?
	[ $status -ne 77 ] || { cat "$work/said"; exit 77; }
	[ $status -ne 0 ] || { printf '%s: %s\n' "$row" "$(cat "$work/said")"; continue; }
	[ $status -ne 124 ] || echo "hangs:"
	printf 'stress seed=%s %s: status %s\n' "${TIDE_SEED:-1}" "$row" "$status"
	cat "$work/said"
	exit 1
done
