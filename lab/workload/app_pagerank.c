/* PageRank by pushing: a node whose residual is more than 0.001 adds it to its value and gives .85
 * of it to its neighbours, in equal parts, in the next launch. */
#include "walk.h"

enum { ITERS = TD_WALK_OWN };
enum { VALUE, RESIDUAL, GIFT }; /* per node; gift: what each neighbour gets */

#define ALPHA .85
#define TOLERANCE .001

struct pagerank {
	struct td_walk walk;
	uint64_t iters;
};

static const struct tide_param params[] = {
	TD_WALK_PARAMS,
	{"iters", TIDE_PARAM_INT, "10", 0, TD_GPU_MOST,
	 "passes at most; 0: until nothing changes any more"},
	{0},
};

static bool push(struct td_walk *t, uint32_t v, uint64_t edge)
{
	t->node[RESIDUAL].real[t->g.to[edge]] += t->node[GIFT].real[v];
	return true;
}

static void activate(struct td_walk *t, uint64_t v)
{
	double *residual = &t->node[RESIDUAL].real[v];
	uint64_t degree = t->g.first[v + 1] - t->g.first[v];

	t->node[VALUE].real[v] += *residual;
	t->node[GIFT].real[v] = degree ? *residual * ALPHA / (double)degree : 0;
	*residual = 0;
	t->active[t->actives++] = (uint32_t)v;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	struct td_walk *t = (struct td_walk *)app;
	uint64_t iters = ((struct pagerank *)app)->iters;

	t->actives = 0;
	for (uint64_t v = 0; v < t->g.nodes; v++) {
		if (t->node[RESIDUAL].real[v] > TOLERANCE)
			activate(t, v);
	}
	return td_walk_launch(t, "push", out) && (!iters || i < iters);
}

/* All are active first. */
static void restart(struct td_gpu_app *app)
{
	struct td_walk *t = (struct td_walk *)app;

	for (uint64_t v = 0; v < t->g.nodes; v++) {
		t->node[VALUE].real[v] = 0;
		t->node[RESIDUAL].real[v] = 1 - ALPHA;
	}
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct pagerank *p = (struct pagerank *)app;
	int rc = td_walk_setup(&p->walk, v, 3, 8, err);

	p->iters = (uint64_t)v[ITERS].i;
	p->walk.visit = push;
	app->launch = launch;
	app->restart = restart;
	return rc;
}

const struct td_gpu_workload td_workload_app_pagerank = {
	.head =
		{
			.name = "pagerank",
			.paper = "GMT",
			.type = "Tier-3",
			.summary = "PageRank in a Kronecker graph, by pushing residuals",
			.footprint_bytes = UINT64_C(4096) * 65536,
			.accesses = 6027287,
			.arrays = 1,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.app_bytes = sizeof(struct pagerank),
	.setup = setup,
};
