/* Works as HMM does, or any host that pages for a GPU: tier 2 is the host's page cache. Every page
 * passes through it on its way up and leaves a copy there. The least recently used copy makes room.
 * A victim of near memory goes back to tier 2 only if it is dirty, because storage has the content
 * of a clean page. */
#include "tide/policy.h"

struct cache {
	const struct tide_view *view;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct cache *s = self;
	(void)values, (void)err;
	s->view = view;
	return 0;
}

static enum tide_placement place_victim(void *self, tide_chunk c)
{
	const struct cache *s = self;
	bool dirty = tide_bits(s->view, c, TIDE_DIRTY) != 0;
	return dirty && s->view->near->host_pages ? TIDE_TO_TIER2 : TIDE_TO_TIER3;
}

const struct tide_policy td_policy_place_hmm = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "hmm",
	.role = TIDE_PLACE,
	.summary = "the host's page cache; every page passes through it and stays",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_PAGES | TIDE_NEEDS_CLOCK,
	.state_bytes = sizeof(struct cache),
	.create = create,
	.place_victim = place_victim,
	.inclusive = true,
};
