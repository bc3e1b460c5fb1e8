/* Each tier holds the victims of the one before it. */
#include "tide/policy.h"

struct order {
	const struct tide_view *view;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct order *s = self;
	(void)values, (void)err;
	s->view = view;
	return 0;
}

static enum tide_placement place_victim(void *self, tide_chunk c)
{
	const struct order *s = self;
	(void)c;
	return s->view->near->host_pages ? TIDE_TO_TIER2 : TIDE_TO_TIER3;
}

const struct tide_policy td_policy_place_tier_order = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "tier-order",
	.role = TIDE_PLACE,
	.summary = "always to tier 2, whose oldest page makes room",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_PAGES,
	.state_bytes = sizeof(struct order),
	.create = create,
	.place_victim = place_victim,
};
