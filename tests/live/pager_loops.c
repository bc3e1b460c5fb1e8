/* Wrong on purpose: the hundredth question is never answered. */
#include <tide/policy.h>

struct loops {
	const struct tide_view *view;
	unsigned questions;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct loops *)self)->view = view;
	return 0;
}

static tide_chunk pick_victim(void *self)
{
	struct loops *l = self;
	tide_chunk c = {0};
	for (volatile bool for_ever = ++l->questions == 100; for_ever;)
		;
	while (!tide_resident(l->view, c) || !tide_valid(l->view, c))
		c.index++;
	return c;
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "loops",
	.role = TIDE_EVICT,
	.summary = "stops answering",
	.paper = "example",
	.state_bytes = sizeof(struct loops),
	.create = create,
	.pick_victim = pick_victim,
};
