/* The tree prefetcher at threshold 1, where a single page fills every node: the whole chunk. */
#include "own.h"

const struct tide_policy td_policy_prefetch_aggressive = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "aggressive",
	.role = TIDE_PREFETCH,
	.summary = "the whole chunk, as tree:threshold=1",
	.paper = "CPPE, IPDPS 2020",
	.state_bytes = sizeof(struct own),
	.create = own_create,
	.plan_prefetch = own_whole_chunk,
};
