/* Breadth-first search as Rodinia does it: a thread per node, two launches per level. */
#ifndef TD_WORKLOAD_BFS_H
#define TD_WORKLOAD_BFS_H

#include "gpu.h"
#include "graph.h"

struct td_bfs {
	struct td_gpu_app app;
	struct td_graph g;
	uint8_t *mask, *updating, *visited; /* per node: in this level, in the next, in any */
	int32_t *cost;                      /* per node: its level, -1 where it has none yet */
	bool over;                          /* the last level found nodes */
};

/* A graph where every node draws least .. most partners, searched from node 0 on: its arrays and
 * launches. The application's setup() calls it, having set what else it needs. */
int td_bfs_setup(struct td_bfs *b, int64_t nodes, unsigned least, unsigned most,
		 struct tide_error *err);

#endif
