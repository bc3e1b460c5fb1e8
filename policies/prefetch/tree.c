/* UVM's prefetcher: a binary tree over the pages of the chunk. The largest node around the
 * faulting page of which more than threshold per cent is present is filled.
 *
 *     size 8   [            5 of 8            ]
 *     size 4   [   2 of 4   ] [    3 of 4     ]
 *     size 2   [ 1 ]  [ 1 ]   [ 2 ]   [ 1 + p ] */
#include "tide/policy.h"

struct tree {
	const struct tide_view *view;
	uint64_t threshold;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct tree *s = self;
	(void)err;
	s->view = view;
	s->threshold = (uint64_t)values[0].i;
	return 0;
}

/* The aligned run of size pages around bit, cut to the chunk. */
static uint64_t node(const struct tree *s, unsigned bit, unsigned size)
{
	uint64_t run = UINT64_MAX >> (64 - size);
	return run << (bit & ~(size - 1)) & tide_whole_chunk(s->view);
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct tree *s = self;
	unsigned bit = tide_page_bit(s->view, p);
	uint64_t present = tide_resident(s->view, c) | UINT64_C(1) << bit;
	for (unsigned size = 2; size / 2 < s->view->near->chunk_pages; size *= 2) {
		uint64_t run = node(s, bit, size);
		uint64_t have = (uint64_t)__builtin_popcountll(present & run);
		if (100 * have > s->threshold * (uint64_t)__builtin_popcountll(run))
			plan->own = run;
	}
}

static const struct tide_param params[] = {
	{"threshold", TIDE_PARAM_INT, "51", 1, 100, "per cent of a node present that fills it"},
	{0},
};

const struct tide_policy td_policy_prefetch_tree = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "tree",
	.role = TIDE_PREFETCH,
	.summary = "the largest part of the chunk that is mostly present, as NVIDIA's driver",
	.paper = "reference",
	.params = params,
	.state_bytes = sizeof(struct tree),
	.create = create,
	.plan_prefetch = plan_prefetch,
};
