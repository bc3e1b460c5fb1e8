/* Feedback-driven prefetching: see feedback.h. */
#include "feedback.h"

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	feedback_init(self, view);
	return 0;
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	(void)c, (void)p;
	feedback_notice(self, purpose);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)c;
	feedback_evicted(self, what);
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	feedback_plan(self, c, p, plan);
}

static void report(void *self, const struct tide_report *r)
{
	feedback_report(self, r);
}

const struct tide_policy td_policy_prefetch_fdp = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "fdp",
	.role = TIDE_PREFETCH,
	.summary = "tree, or the whole chunk while prefetched pages are used",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.state_bytes = sizeof(struct feedback),
	.create = create,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.report = report,
};
