/* Least recently migrated: what NVIDIA's driver does. Faults and migrations move a chunk to the
 * tail; hits move nothing, because the driver does not see them. */
#include "chain.h"

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct chain *s = self;
	(void)p;
	if (tide_resident(s->view, c))
		chain_to_newest(s, c);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	(void)pages;
	chain_to_newest(self, c);
}

const struct tide_policy td_policy_evict_lrm = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lrm",
	.role = TIDE_EVICT,
	.summary = "least recently migrated or faulted on, as NVIDIA's driver does",
	.paper = "reference",
	.state_bytes = sizeof(struct chain),
	.chunk_bytes = sizeof(uint32_t),
	.create = chain_create,
	.destroy = chain_destroy,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_evicted = chain_leave,
	.pick_victim = chain_oldest,
};
