/* What the graph applications share: a Kronecker graph, the same as that of the simulator's
 * workloads. Its edges lie in a tide array; all that there is per node stays near. */
#ifndef TD_GPU_APPS_GRAPH_H
#define TD_GPU_APPS_GRAPH_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	TD_APP_EDGES,    /* u64: the neighbours of node v are first[v] up to first[v + 1] */
	TD_APP_FIRST,    /* u64, nodes + 1 */
	TD_APP_ACTIVE,   /* u32: a bit per node */
	TD_APP_COUNTERS, /* u64: nodes that are active; words of active that warps have taken */
	TD_APP_OWN,
};
enum { TD_APP_SCALE, TD_APP_NODES, TD_APP_EDGE_COUNT, TD_APP_SOURCE }; /* sizes */

enum { TD_BFS_LEVEL = TD_APP_OWN };
enum { TD_PAGERANK_VALUE = TD_APP_OWN, TD_PAGERANK_RESIDUAL, TD_PAGERANK_GIFT };
enum { TD_SSSP_WEIGHTS = TD_APP_OWN, TD_SSSP_COST, TD_SSSP_BEFORE };

#define TD_APP_NO_VALUE UINT32_MAX /* level or cost of a node that is not reached */

/* PageRank counts in units of 2^-32, so that sums do not depend on their order. */
#define TD_PAGERANK_START (UINT64_C(644245094)) /* 1 - .85 */
#define TD_PAGERANK_LEAST (UINT64_C(4294967))   /* .001: less is not passed on */

TIDE_DEVICE static inline uint64_t td_pagerank_gift(uint64_t residual, uint64_t degree)
{
	return degree ? residual * 17 / (20 * degree) : 0;
}

/* The graph is the same for every oversubscription; its arrays come first. */
int td_app_graph_size(struct td_app_shape *s, struct tide_error *err);
/* When all arrays are there, the tiers follow: together they have 1 / oversubscription of the
 * data. */
void td_app_graph_tiers(struct td_app_shape *s);

/* Level, or cost: 0 at the source. */
td_app_fill td_app_graph_fill_source, td_app_graph_fill_none;

#ifdef __cplusplus
}
#endif

#endif
