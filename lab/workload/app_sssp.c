/* Shortest paths from one node: every launch walks from the nodes whose cost fell in the one
 * before, until none falls. */
#include "walk.h"

#include <string.h>

enum { SOURCE = TD_WALK_OWN };
enum { COST, BEFORE }; /* per node; before: at the last launch */

struct sssp {
	struct td_walk walk;
	uint32_t source;
};

static const struct tide_param params[] = {
	TD_WALK_PARAMS,
	{"source", TIDE_PARAM_INT, "-1", -1, TD_GPU_MOST,
	 "node to begin with; -1: the first that has an edge"},
	{0},
};

static bool relax(struct td_walk *t, uint32_t v, uint64_t edge)
{
	uint32_t *cost = &t->node[COST].word[t->g.to[edge]];
	uint32_t through = t->node[COST].word[v] + td_walk_weight(t, edge);
	bool falls = through < *cost;

	if (falls)
		*cost = through;
	return falls;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	struct td_walk *t = (struct td_walk *)app;

	(void)i;
	t->actives = 0;
	for (uint64_t v = 0; v < t->g.nodes; v++) {
		if (t->node[COST].word[v] < t->node[BEFORE].word[v])
			t->active[t->actives++] = (uint32_t)v;
	}
	memcpy(t->node[BEFORE].word, t->node[COST].word, t->g.nodes * 4);
	return td_walk_launch(t, "relax", out);
}

static void restart(struct td_gpu_app *app)
{
	struct sssp *p = (struct sssp *)app;

	memset(p->walk.node[COST].word, 0xff, p->walk.g.nodes * 4);
	memset(p->walk.node[BEFORE].word, 0xff, p->walk.g.nodes * 4);
	p->walk.node[COST].word[p->source] = 0;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct sssp *p = (struct sssp *)app;
	int rc;

	p->walk.weighted = p->walk.reads_values = true;
	rc = td_walk_setup(&p->walk, v, 2, 4, err);
	p->walk.visit = relax;
	app->launch = launch;
	app->restart = restart;
	return rc ? rc : td_walk_source(&p->walk, v[SOURCE].i, &p->source, err);
}

const struct td_gpu_workload td_workload_app_sssp = {
	.head =
		{
			.name = "sssp",
			.paper = "GMT",
			.type = "Tier-3",
			.summary = "shortest paths in a Kronecker graph, to convergence",
			.footprint_bytes = UINT64_C(6144) * 65536,
			.accesses = 3189229,
			.arrays = 2,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.app_bytes = sizeof(struct sssp),
	.setup = setup,
};
