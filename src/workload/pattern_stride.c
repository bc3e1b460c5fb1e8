/* Down the columns of a table that lies in memory by rows. */
#include <errno.h>
#include <inttypes.h>

#include "generator.h"

enum { PAGES, STEP, ROUNDS, ACCESSES, WRITES, REFS };

static const struct tide_param params[] = {
	{"pages", TIDE_PARAM_INT, "65536", 1, TD_WORKLOAD_MOST, "pages of a round"},
	{"step", TIDE_PARAM_INT, "16", 1, TD_WORKLOAD_MOST,
	 "pages from one access to the next; at the end the next offset begins"},
	{"rounds", TIDE_PARAM_INT, "16", 1, TD_WORKLOAD_MOST, "rounds over all the pages"},
	{"accesses", TIDE_PARAM_INT, "0", 0, TD_WORKLOAD_MOST,
	 "stop after so many, whatever rounds says; 0: whole rounds"},
	TD_WORKLOAD_PARAM_WRITES,
	TD_WORKLOAD_PARAM_REFS,
	{0},
};

struct stride {
	struct td_workload_generator g;
	uint64_t page, offset, pages, step;
};

static void start(struct td_workload_generator *g)
{
	struct stride *s = (struct stride *)g;

	s->page = 0;
	s->offset = 0;
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct stride *s = (struct stride *)g;

	for (uint32_t i = 0; i < batch->n; i++) {
		batch->page[i] = s->page;
		s->page += s->step;
		if (s->page >= s->pages) {
			s->offset = s->offset + 1 == s->step ? 0 : s->offset + 1;
			s->page = s->offset;
		}
	}
}

/* The first offsets have one page more than the others, and end higher each time. */
static uint64_t highest(uint64_t accesses, uint64_t pages, uint64_t step)
{
	uint64_t whole = (pages - 1) / step, rest = (pages - 1) % step;
	uint64_t offsets = accesses / (whole + 1);

	if (offsets == 0)
		return (accesses - 1) * step;
	return whole * step + (offsets - 1 < rest ? offsets - 1 : rest);
}

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t pages = (uint64_t)v[PAGES].i, step = (uint64_t)v[STEP].i;
	struct td_workload_plan plan = {
		.name = "stride",
		.accesses = (uint64_t)v[ACCESSES].i,
		.range = pages,
		.page_bytes = page_bytes,
		.seed = seed,
		.writes = v[WRITES].r,
		.refs = (uint64_t)v[REFS].i,
	};
	struct stride *s;
	void *made;
	int rc = td_workload_rounds(plan.name, (uint64_t)v[ROUNDS].i, pages, &plan.accesses, err);

	(void)w;
	if (rc)
		return rc;
	if (step > pages)
		return tide_fail(
			err, -EINVAL,
			"workload stride: step is larger than pages: give at most %" PRIu64, pages);
	plan.pages = plan.accesses < pages ? plan.accesses : pages;
	plan.last_page = highest(plan.accesses, pages, step);
	rc = td_workload_new(&made, sizeof *s, &plan, err);
	if (rc)
		return rc;
	s = made;
	s->g.fill = fill;
	s->g.start = start;
	s->pages = pages;
	s->step = step;
	return td_workload_ready(out, &s->g);
}

const struct td_workload td_workload_pattern_stride = {
	.name = "stride",
	.paper = "pattern",
	.type = "strided",
	.summary = "every step-th page, then the same from the next offset",
	.params = params,
	.open = open,
};
