/* A coin decides between tier 2 and tier 3. */
#include "tide/policy.h"

struct coin {
	const struct tide_view *view;
	double p;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct coin *s = self;
	(void)err;
	s->view = view;
	s->p = values[0].r;
	return 0;
}

static enum tide_placement place_victim(void *self, tide_chunk c)
{
	const struct coin *s = self;
	(void)c;
	/* 53 bits of the number, as a real below 1. */
	double drawn = (double)(tide_random_next(s->view->random) >> 11) * 0x1p-53;
	return drawn < s->p && s->view->near->host_pages ? TIDE_TO_TIER2 : TIDE_TO_TIER3;
}

static const struct tide_param params[] = {
	{"p", TIDE_PARAM_REAL, "0.5", 0, 1, "probability of tier 2"},
	{0},
};

const struct tide_policy td_policy_place_random = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "random",
	.role = TIDE_PLACE,
	.summary = "to tier 2 with probability p, else to tier 3",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct coin),
	.create = create,
	.place_victim = place_victim,
};
