/* Round and round over the same pages: the enemy of lru. */
#include <errno.h>

#include "generator.h"

enum { PAGES, ROUNDS, ACCESSES, STRIDE, WRITES, REFS };

static const struct tide_param params[] = {
	{"pages", TIDE_PARAM_INT, "65536", 1, TD_WORKLOAD_MOST, "pages of a round"},
	{"rounds", TIDE_PARAM_INT, "16", 1, TD_WORKLOAD_MOST, "rounds over them"},
	{"accesses", TIDE_PARAM_INT, "0", 0, TD_WORKLOAD_MOST,
	 "stop after so many, whatever rounds says; 0: whole rounds"},
	{"stride", TIDE_PARAM_INT, "1", 1, TD_WORKLOAD_MOST, "from one page number to the next"},
	TD_WORKLOAD_PARAM_WRITES,
	TD_WORKLOAD_PARAM_REFS,
	{0},
};

struct cyclic {
	struct td_workload_generator g;
	uint64_t page, end, stride; /* end: the first page number past the round */
};

static void start(struct td_workload_generator *g)
{
	((struct cyclic *)g)->page = 0;
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct cyclic *c = (struct cyclic *)g;
	uint64_t page = c->page;

	for (uint32_t i = 0; i < batch->n; i++) {
		batch->page[i] = page;
		page += c->stride;
		page = page == c->end ? 0 : page;
	}
	c->page = page;
}

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t pages = (uint64_t)v[PAGES].i, stride = (uint64_t)v[STRIDE].i;
	struct td_workload_plan plan = {
		.name = "cyclic",
		.accesses = (uint64_t)v[ACCESSES].i,
		.page_bytes = page_bytes,
		.seed = seed,
		.writes = v[WRITES].r,
		.refs = (uint64_t)v[REFS].i,
	};
	struct cyclic *c;
	void *made;
	int rc = td_workload_rounds(plan.name, (uint64_t)v[ROUNDS].i, pages, &plan.accesses, err);

	(void)w;
	if (rc)
		return rc;
	if (pages > UINT64_MAX / stride)
		return tide_fail(err, -EINVAL,
				 "workload cyclic: pages times stride is more than 64 "
				 "bits hold: give a smaller stride");
	plan.pages = plan.accesses < pages ? plan.accesses : pages;
	plan.last_page = (plan.pages - 1) * stride;
	plan.range = (pages - 1) * stride + 1;
	rc = td_workload_new(&made, sizeof *c, &plan, err);
	if (rc)
		return rc;
	c = made;
	c->g.fill = fill;
	c->g.start = start;
	c->end = pages * stride;
	c->stride = stride;
	return td_workload_ready(out, &c->g);
}

const struct td_workload td_workload_pattern_cyclic = {
	.name = "cyclic",
	.paper = "pattern",
	.type = "thrashing",
	.summary = "a scan over the same pages, again and again",
	.params = params,
	.open = open,
};
