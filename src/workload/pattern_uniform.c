/* Every page as likely as any other: what no policy can do anything about. */
#include "generator.h"

enum { PAGES, ACCESSES, WRITES, REFS };

static const struct tide_param params[] = {
	{"pages", TIDE_PARAM_INT, "65536", 1, TD_WORKLOAD_MOST, "pages to choose from"},
	{"accesses", TIDE_PARAM_INT, "1000000", 1, TD_WORKLOAD_MOST, "accesses"},
	TD_WORKLOAD_PARAM_WRITES,
	TD_WORKLOAD_PARAM_REFS,
	{0},
};

/* page = random number below pages + turn, round the end. turn makes the first access one to the
 * highest page, so that the address range is known without a run; the others are as random as
 * before. */
struct uniform {
	struct td_workload_generator g;
	uint64_t random, seed, pages, turn;
};

static void start(struct td_workload_generator *g)
{
	struct uniform *u = (struct uniform *)g;

	u->random = u->seed;
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct uniform *u = (struct uniform *)g;
	uint64_t random = u->random;

	for (uint32_t i = 0; i < batch->n; i++) {
		uint64_t page = tide_random_next(&random) % u->pages + u->turn;
		batch->page[i] = page < u->pages ? page : page - u->pages;
	}
	u->random = random;
}

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t pages = (uint64_t)v[PAGES].i, random = seed;
	struct td_workload_plan plan = {
		.name = "uniform",
		.accesses = (uint64_t)v[ACCESSES].i,
		.pages = TD_UNKNOWN,
		.last_page = pages - 1,
		.range = pages,
		.page_bytes = page_bytes,
		.seed = seed,
		.writes = v[WRITES].r,
		.refs = (uint64_t)v[REFS].i,
	};
	struct uniform *u;
	void *made;
	int rc = td_workload_new(&made, sizeof *u, &plan, err);

	(void)w;
	if (rc)
		return rc;
	u = made;
	u->g.fill = fill;
	u->g.start = start;
	u->seed = seed;
	u->pages = pages;
	u->turn = pages - 1 - tide_random_next(&random) % pages;
	return td_workload_ready(out, &u->g);
}

const struct td_workload td_workload_pattern_uniform = {
	.name = "uniform",
	.paper = "pattern",
	.type = "random",
	.summary = "every page as likely as any other",
	.params = params,
	.open = open,
};
