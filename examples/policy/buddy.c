/* The smallest prefetch policy: a page brings its buddy, the other half of an aligned pair. */
#include <tide/policy.h>

struct buddy {
	const struct tide_view *view;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct buddy *)self)->view = view;
	return 0;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct tide_view *view = ((const struct buddy *)self)->view;
	unsigned bit = tide_page_bit(view, p) ^ 1;
	(void)c;
	if (bit < view->near->chunk_pages)
		plan->own |= UINT64_C(1) << bit;
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "buddy",
	.role = TIDE_PREFETCH,
	.summary = "the other half of an aligned pair of pages",
	.paper = "example",
	.state_bytes = sizeof(struct buddy),
	.create = create,
	.plan_prefetch = plan_prefetch,
};
