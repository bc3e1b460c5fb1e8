/* Wrong on purpose: always names the chunk that has just faulted. */
#include <tide/policy.h>

struct invalid {
	const struct tide_view *view;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct invalid *)self)->view = view;
	return 0;
}

static tide_chunk pick_victim(void *self)
{
	return ((const struct invalid *)self)->view->near->fault_chunk;
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "invalid",
	.role = TIDE_EVICT,
	.summary = "names chunks that may not leave",
	.paper = "example",
	.state_bytes = sizeof(struct invalid),
	.create = create,
	.pick_victim = pick_victim,
};
