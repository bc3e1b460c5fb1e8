/* The whole chunk of the faulting page: CPPE's baseline prefetcher. */
#include "own.h"

const struct tide_policy td_policy_prefetch_locality = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "locality",
	.role = TIDE_PREFETCH,
	.summary = "all pages of the chunk",
	.paper = "CPPE, IPDPS 2020",
	.state_bytes = sizeof(struct own),
	.create = own_create,
	.plan_prefetch = own_whole_chunk,
};
