/* Breadth-first search: every launch walks from the nodes of one level, and those that it reaches
 * for the first time are the next. */
#include "walk.h"

#include <string.h>

enum { SOURCE = TD_WALK_OWN };
enum { LEVEL }; /* per node */

struct bfs {
	struct td_walk walk;
	uint32_t source;
};

static const struct tide_param params[] = {
	TD_WALK_PARAMS,
	{"source", TIDE_PARAM_INT, "-1", -1, TD_GPU_MOST,
	 "node to begin with; -1: the first that has an edge"},
	{0},
};

static bool reach(struct td_walk *t, uint32_t v, uint64_t edge)
{
	uint32_t *level = &t->node[LEVEL].word[t->g.to[edge]];
	bool is_new = *level == UINT32_MAX;

	if (is_new)
		*level = t->node[LEVEL].word[v] + 1;
	return is_new;
}

/* The queue of a level is in the order of the nodes. */
static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	struct td_walk *t = (struct td_walk *)app;

	t->actives = 0;
	for (uint64_t v = 0; v < t->g.nodes; v++) {
		if (t->node[LEVEL].word[v] == i)
			t->active[t->actives++] = (uint32_t)v;
	}
	return td_walk_launch(t, "level", out);
}

static void restart(struct td_gpu_app *app)
{
	struct bfs *b = (struct bfs *)app;

	memset(b->walk.node[LEVEL].word, 0xff, b->walk.g.nodes * 4);
	b->walk.node[LEVEL].word[b->source] = 0;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct bfs *b = (struct bfs *)app;
	int rc;

	b->walk.reads_values = true;
	rc = td_walk_setup(&b->walk, v, 1, 4, err);
	b->walk.visit = reach;
	app->launch = launch;
	app->restart = restart;
	return rc ? rc : td_walk_source(&b->walk, v[SOURCE].i, &b->source, err);
}

const struct td_gpu_workload td_workload_app_gmt_bfs = {
	.head =
		{
			.name = "gmt-bfs",
			.paper = "GMT",
			.type = "Tier-2",
			.summary = "breadth-first search in a Kronecker graph",
			.footprint_bytes = UINT64_C(4096) * 65536,
			.accesses = 649556,
			.arrays = 1,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.app_bytes = sizeof(struct bfs),
	.setup = setup,
};
