/* A policy of an older interface: its struct ends before report(), and what lies behind it in
 * memory is no callback. */
#include <tide/policy.h>

struct older {
	const struct tide_view *view;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct older *)self)->view = view;
	return 0;
}

static tide_chunk pick_victim(void *self)
{
	const struct tide_view *v = ((const struct older *)self)->view;
	for (tide_chunk c = {0}; c.index < v->near->chunks; c.index++) {
		if (tide_resident(v, c) && tide_valid(v, c))
			return c;
	}
	return TIDE_NO_CHUNK;
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = offsetof(struct tide_policy, plan_prefetch),
	.name = "older",
	.role = TIDE_EVICT,
	.summary = "the resident chunk of the lowest index",
	.paper = "example",
	.state_bytes = sizeof(struct older),
	.create = create,
	.pick_victim = pick_victim,
	.inclusive = true,
	.report = (void (*)(void *, const struct tide_report *))1,
};
