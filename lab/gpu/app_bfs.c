/* Breadth-first search: each launch walks from the nodes of one level, and those that it reaches
 * for the first time are the next. */
#include "graph.h"

static int size(struct td_app_shape *s, struct tide_error *err)
{
	int rc = td_app_graph_size(s, err);

	if (rc)
		return rc;
	td_app_add(s, "level", s->size[TD_APP_NODES], 4, TD_APP_NEAR | TD_APP_RESULT,
		   td_app_graph_fill_source);
	td_app_graph_tiers(s);
	return 0;
}

/* The nodes of one level; whether there is a next. */
static bool walk(uint64_t nodes, const uint64_t *edge, const uint64_t *first, uint32_t *level,
		 uint32_t now)
{
	bool more = false;

	for (uint64_t v = 0; v < nodes; v++) {
		for (uint64_t e = first[v]; level[v] == now && e < first[v + 1]; e++) {
			if (level[edge[e]] == TD_APP_NO_VALUE) {
				level[edge[e]] = now + 1;
				more = true;
			}
		}
	}
	return more;
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	uint32_t now = 0;

	(void)err;
	while (walk(s->size[TD_APP_NODES], array[TD_APP_EDGES], array[TD_APP_FIRST],
		    array[TD_BFS_LEVEL], now))
		now++;
	return 0;
}

const struct td_app_plan td_app_plan_bfs = {
	.name = "bfs",
	.summary = "breadth-first search in a Kronecker graph",
	.graph = true,
	.size = size,
	.reference = reference,
};
