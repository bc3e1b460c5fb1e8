/* PageRank by pushing: a node whose residual is more than .001 adds it to its value and gives .85
 * of it to its neighbours, in equal parts. */
#include "graph.h"

static void fill_residual(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint64_t *residual = to;

	(void)s;
	(void)first;
	for (uint64_t i = 0; i < n; i++)
		residual[i] = TD_PAGERANK_START;
}

static int size(struct td_app_shape *s, struct tide_error *err)
{
	int rc = td_app_graph_size(s, err);
	uint64_t nodes = s->size[TD_APP_NODES];

	if (rc)
		return rc;
	td_app_add(s, "value", nodes, 8, TD_APP_NEAR | TD_APP_RESULT, NULL);
	td_app_add(s, "residual", nodes, 8, TD_APP_NEAR | TD_APP_RESULT, fill_residual);
	td_app_add(s, "gift", nodes, 8, TD_APP_NEAR, NULL);
	td_app_graph_tiers(s);
	return 0;
}

/* What a node gives to each neighbour in this pass; 0 also where it is not active. */
static bool activate(uint64_t nodes, const uint64_t *first, void *const *array)
{
	uint64_t *value = array[TD_PAGERANK_VALUE], *residual = array[TD_PAGERANK_RESIDUAL];
	uint64_t *gift = array[TD_PAGERANK_GIFT];
	bool any = false;

	for (uint64_t v = 0; v < nodes; v++) {
		gift[v] = 0;
		if (residual[v] <= TD_PAGERANK_LEAST)
			continue;
		value[v] += residual[v];
		gift[v] = td_pagerank_gift(residual[v], first[v + 1] - first[v]);
		residual[v] = 0;
		any = true;
	}
	return any;
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	const uint64_t *edge = array[TD_APP_EDGES], *first = array[TD_APP_FIRST];
	uint64_t nodes = s->size[TD_APP_NODES];
	uint64_t *residual = array[TD_PAGERANK_RESIDUAL], *gift = array[TD_PAGERANK_GIFT];

	(void)err;
	for (uint64_t i = 0; i < s->iterations && activate(nodes, first, array); i++) {
		for (uint64_t v = 0; v < nodes; v++) {
			for (uint64_t e = first[v]; e < first[v + 1]; e++)
				residual[edge[e]] += gift[v];
		}
	}
	return 0;
}

const struct td_app_plan td_app_plan_pagerank = {
	.name = "pagerank",
	.summary = "PageRank in a Kronecker graph, ten passes",
	.iterations = 10,
	.graph = true,
	.size = size,
	.reference = reference,
};
