/* UVM's prefetcher: see tree.h. */
#include "tree.h"

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

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct tree *s = self;
	plan->own = tree_node(s->view, s->threshold, c, p);
}

static const struct tide_param params[] = {
	{"threshold", TIDE_PARAM_INT, "51", 1, 100,
	 "per cent of a node's pages that must be present to fill it"},
	{0},
};

const struct tide_policy td_policy_prefetch_tree = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "tree",
	.role = TIDE_PREFETCH,
	.summary = "the largest part of the chunk that is mostly present, as NVIDIA's driver does",
	.paper = "reference",
	.params = params,
	.state_bytes = sizeof(struct tree),
	.create = create,
	.plan_prefetch = plan_prefetch,
};
