/* The choice of tree, and of the policies that tune its threshold. A binary tree lies over the
 * pages of the chunk. Of the nodes around the faulting page, the largest one that is more than
 * threshold per cent present is filled.
 *
 *     size 8   [            5 of 8            ]
 *     size 4   [   2 of 4   ] [    3 of 4     ]
 *     size 2   [ 1 ]  [ 1 ]   [ 2 ]   [ 1 + p ] */
#ifndef TIDE_PREFETCH_TREE_H
#define TIDE_PREFETCH_TREE_H

#include "tide/policy.h"

#define TREE_CAREFUL 51   /* the driver's threshold */
#define TREE_AGGRESSIVE 1 /* a single page fills every node: the whole chunk */

/* The aligned run of size pages around bit, cut to the chunk. */
static inline uint64_t tree_run(const struct tide_view *view, unsigned bit, unsigned size)
{
	uint64_t run = UINT64_MAX >> (64 - size);
	return run << (bit & ~(size - 1)) & tide_whole_chunk(view);
}

/* The node to fill; at least p itself. */
static inline uint64_t tree_node(const struct tide_view *view, uint64_t threshold, tide_chunk c,
				 tide_page p)
{
	unsigned bit = tide_page_bit(view, p);
	uint64_t node = UINT64_C(1) << bit;
	uint64_t present = tide_resident(view, c) | node;
	for (unsigned size = 2; size / 2 < view->near->chunk_pages; size *= 2) {
		uint64_t run = tree_run(view, bit, size);
		uint64_t have = (uint64_t)__builtin_popcountll(present & run);
		if (100 * have > threshold * (uint64_t)__builtin_popcountll(run))
			node = run;
	}
	return node;
}

#endif
