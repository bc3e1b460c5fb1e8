/* First in, first out: the victim is the chunk whose first page came in longest ago. */
#include "chain.h"

const struct tide_policy td_policy_evict_fifo = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "fifo",
	.role = TIDE_EVICT,
	.summary = "the chunk whose first page came in longest ago",
	.paper = "reference",
	.needs = TIDE_TAKES_SIZES,
	.state_bytes = sizeof(struct chain),
	.chunk_bytes = sizeof(uint32_t),
	.create = chain_create,
	.destroy = chain_destroy,
	.on_migrated = chain_enter,
	.on_evicted = chain_leave,
	.pick_victim = chain_oldest,
};
