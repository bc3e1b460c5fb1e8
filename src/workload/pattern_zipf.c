/* Few pages get most of the accesses, as in caches of every kind. */
#include "generator.h"
#include "zipf.h"

enum { PAGES, ACCESSES, SKEW, SHUFFLE, WRITES, REFS };

static const struct tide_param params[] = {
	{"pages", TIDE_PARAM_INT, "65536", 1, TD_WORKLOAD_MOST, "pages to choose from"},
	{"accesses", TIDE_PARAM_INT, "1000000", 1, TD_WORKLOAD_MOST, "accesses"},
	{"skew", TIDE_PARAM_REAL, "0.8", 0, 100,
	 "the page of rank r is drawn with a weight of 1 / r^skew"},
	{"shuffle", TIDE_PARAM_INT, "1", 0, 1,
	 "1: ranks lie scattered over the page numbers; 0: page 0 is the most likely, and so on"},
	TD_WORKLOAD_PARAM_WRITES,
	TD_WORKLOAD_PARAM_REFS,
	{0},
};

/* The first access is one to the highest page, so that the address range is known without a run:
 * shuffled, because the ranks are laid out so; else that one access is not drawn. */
struct zipf {
	struct td_workload_generator g;
	uint64_t random, seed, pages;
	bool shuffle;
	struct td_workload_scatter scatter;
	struct td_workload_zipf law;
};

static void start(struct td_workload_generator *g)
{
	struct zipf *z = (struct zipf *)g;

	z->random = z->seed;
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct zipf *z = (struct zipf *)g;

	td_workload_zipf_draw(&z->law, &z->random, batch->page, batch->n);
	if (z->shuffle)
		td_workload_scatter_map(&z->scatter, 0, batch->page, batch->n);
	else if (g->done == 0)
		batch->page[0] = z->pages - 1;
}

/* Which rank the first access has stays as random as without this. */
static void shuffle_ranks(struct zipf *z)
{
	uint64_t random = z->seed, first;

	td_workload_zipf_draw(&z->law, &random, &first, 1);
	td_workload_scatter_make(&z->scatter, z->pages, z->seed);
	td_workload_scatter_pin(&z->scatter, first, z->pages - 1);
}

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t pages = (uint64_t)v[PAGES].i;
	struct td_workload_plan plan = {
		.name = "zipf",
		.accesses = (uint64_t)v[ACCESSES].i,
		.pages = TD_UNKNOWN,
		.last_page = pages - 1,
		.range = pages,
		.page_bytes = page_bytes,
		.seed = seed,
		.writes = v[WRITES].r,
		.refs = (uint64_t)v[REFS].i,
	};
	struct zipf *z;
	void *made;
	int rc = td_workload_new(&made, sizeof *z, &plan, err);

	(void)w;
	if (rc)
		return rc;
	z = made;
	z->g.fill = fill;
	z->g.start = start;
	z->seed = seed;
	z->pages = pages;
	z->shuffle = v[SHUFFLE].i;
	td_workload_zipf_make(&z->law, pages, v[SKEW].r);
	if (z->shuffle)
		shuffle_ranks(z);
	return td_workload_ready(out, &z->g);
}

const struct td_workload td_workload_pattern_zipf = {
	.name = "zipf",
	.paper = "pattern",
	.type = "skewed",
	.summary = "few pages get most of the accesses, by Zipf's law",
	.params = params,
	.open = open,
};
