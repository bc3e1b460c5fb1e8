/* Brings in the whole chunk while memory is not full. The fault that finds room short still brings
 * in the whole chunk, because its plan is made before on_full comes. */
#include "tide/policy.h"

struct stop {
	const struct tide_view *view;
	bool full;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct stop *)self)->view = view;
	return 0;
}

static void on_full(void *self)
{
	((struct stop *)self)->full = true;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct stop *s = self;
	(void)c, (void)p;
	if (!s->full)
		plan->own = tide_whole_chunk(s->view);
}

const struct tide_policy td_policy_prefetch_locality_stop = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "locality-stop",
	.role = TIDE_PREFETCH,
	.summary = "all pages of the chunk until memory is full, then none",
	.paper = "CPPE, IPDPS 2020",
	.state_bytes = sizeof(struct stop),
	.create = create,
	.on_full = on_full,
	.plan_prefetch = plan_prefetch,
};
