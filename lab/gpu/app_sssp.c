/* Shortest paths from one node: each launch walks from the nodes whose cost fell in the one before,
 * until none falls. */
#include "graph.h"

static void fill_weights(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint32_t *weight = to;

	for (uint64_t i = 0; i < n; i++)
		weight[i] = 1 + (uint32_t)(tide_hash64(s->seed ^ tide_hash64(first + i)) % 255);
}

static int size(struct td_app_shape *s, struct tide_error *err)
{
	int rc = td_app_graph_size(s, err);
	uint64_t nodes = s->size[TD_APP_NODES];

	if (rc)
		return rc;
	td_app_add(s, "weights", s->size[TD_APP_EDGE_COUNT], 4, 0, fill_weights);
	td_app_add(s, "cost", nodes, 4, TD_APP_NEAR | TD_APP_RESULT, td_app_graph_fill_source);
	td_app_add(s, "before", nodes, 4, TD_APP_NEAR, td_app_graph_fill_none);
	td_app_graph_tiers(s);
	return 0;
}

/* In place: in another order than kernels do it, with the same end. */
static bool relax(uint64_t nodes, void *const *array)
{
	const uint64_t *edge = array[TD_APP_EDGES], *first = array[TD_APP_FIRST];
	const uint32_t *weight = array[TD_SSSP_WEIGHTS];
	uint32_t *cost = array[TD_SSSP_COST];
	bool any = false;

	for (uint64_t v = 0; v < nodes; v++) {
		for (uint64_t e = first[v]; cost[v] != TD_APP_NO_VALUE && e < first[v + 1]; e++) {
			if (cost[v] + weight[e] < cost[edge[e]]) {
				cost[edge[e]] = cost[v] + weight[e];
				any = true;
			}
		}
	}
	return any;
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	(void)err;
	while (relax(s->size[TD_APP_NODES], array))
		;
	return 0;
}

const struct td_app_plan td_app_plan_sssp = {
	.name = "sssp",
	.summary = "shortest paths in a Kronecker graph, to convergence",
	.graph = true,
	.size = size,
	.reference = reference,
};
