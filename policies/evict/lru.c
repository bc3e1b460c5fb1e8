/* Least recently used. */
#include "chain.h"

const struct tide_policy td_policy_evict_lru = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lru",
	.role = TIDE_EVICT,
	.summary = "least recently used",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_TAKES_SIZES,
	.state_bytes = sizeof(struct chain),
	.chunk_bytes = sizeof(uint32_t),
	.create = chain_create,
	.destroy = chain_destroy,
	.on_migrated = chain_enter,
	.on_access = chain_access,
	.on_evicted = chain_leave,
	.pick_victim = chain_oldest,
};
