/* Wrong on purpose: the hundredth question is answered by a write to nowhere. */
#include <tide/policy.h>

struct crashes {
	const struct tide_view *view;
	unsigned questions;
	int *volatile nowhere;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct crashes *)self)->view = view;
	return 0;
}

static tide_chunk pick_victim(void *self)
{
	struct crashes *s = self;
	tide_chunk c = {0};
	if (++s->questions == 100)
		*s->nowhere = 1;
	while (!tide_resident(s->view, c) || !tide_valid(s->view, c))
		c.index++;
	return c;
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "crashes",
	.role = TIDE_EVICT,
	.summary = "dies",
	.paper = "example",
	.state_bytes = sizeof(struct crashes),
	.create = create,
	.pick_victim = pick_victim,
};
