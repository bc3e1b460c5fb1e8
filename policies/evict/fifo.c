/* First in, first out: the chunk whose first page came in longest ago. The file to copy. */
#include "chain.h"

const struct tide_policy td_policy_evict_fifo = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "fifo",
	.role = TIDE_EVICT,
	.summary = "the chunk whose first page came in longest ago",
	.paper = "reference",
	.state_bytes = sizeof(struct chain),
	.chunk_bytes = sizeof(struct tide_link),
	.create = chain_create,
	.on_migrated = chain_enter,
	.on_evicted = chain_leave,
	.pick_victim = chain_oldest,
};
