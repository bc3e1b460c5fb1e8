/* The graph applications of GMT: in every launch a warp for each active node walks along the node's
 * edges.
 *
 *     edges      ..|  of v - 1  |      of v          |  of v + 1 ..
 *     steps             |-- 0 --|-- 1 --|-- 2 --|        of 32, from a multiple of 16 on
 *
 * Only edges (8 bytes) and weights (4 bytes) are tiered; what there is per node stays in the near
 * memory and is seen only with all=1. */
#ifndef TD_WORKLOAD_WALK_H
#define TD_WORKLOAD_WALK_H

#include "gpu.h"
#include "graph.h"

/* Rows that begin the table of each. A machine runs 64 warps on a multiprocessor, but in a graph of
 * the default size these have a large part of the near memory in use; one has about as little of it
 * as 64 have at the paper's sizes. */
enum { TD_WALK_S, TD_WALK_SCALE, TD_WALK_ALL, TD_WALK_WARPS, TD_WALK_JITTER, TD_WALK_OWN };
#define TD_WALK_PARAM_S \
	{ \
		"s", TIDE_PARAM_INT, "20", 1, TD_GRAPH_SCALE_MOST, \
			"the graph has 2^s nodes, and 32 edges per node" \
	}
#define TD_WALK_PARAM_ALL \
	{ \
		"all", TIDE_PARAM_INT, "0", 0, 1, "1: with offsets and values of the nodes too" \
	}
#define TD_WALK_PARAM_WARPS \
	{ \
		"warps", TIDE_PARAM_INT, "1", 1, 64, "warps that run together on a multiprocessor" \
	}
#define TD_WALK_PARAMS \
	TD_WALK_PARAM_S, TD_GPU_PARAM_SCALE, TD_WALK_PARAM_ALL, TD_WALK_PARAM_WARPS, \
		TD_GPU_PARAM_JITTER

enum { TD_WALK_NODE_VALUES = 3 };

struct td_walk {
	struct td_gpu_app app;
	struct td_gpu_machine machine;
	struct td_graph g;
	uint32_t *active; /* the nodes of this launch, ascending */
	uint64_t actives;
	bool weighted, all, reads_values;
	unsigned offsets, values; /* arrays, with all */
	/* A warp has read an edge of v: works on it, and says if the neighbour's value changes. */
	bool (*visit)(struct td_walk *t, uint32_t v, uint64_t edge);
	/* Per node, for the application. */
	union {
		uint32_t *word;
		double *real;
	} node[TD_WALK_NODE_VALUES];
};

/* The graph, the arrays, and for each node so many values of that many bytes (4 or 8). The
 * application has set weighted and reads_values before, and sets visit, app.launch and app.restart
 * after. */
int td_walk_setup(struct td_walk *t, const union tide_value *v, unsigned values, size_t bytes,
		  struct tide_error *err);

/* The launch over t->active; false where there is none. */
bool td_walk_launch(struct td_walk *t, const char *kernel, struct td_gpu_launch *out);

/* The source: the first node that has an edge, or the one that is asked for. */
int td_walk_source(const struct td_walk *t, int64_t wanted, uint32_t *source,
		   struct tide_error *err);

/* Weight of an edge, 1 .. 255: not stored, but made from its number. */
static inline uint32_t td_walk_weight(const struct td_walk *t, uint64_t edge)
{
	return 1 + (uint32_t)(tide_hash64(t->app.seed ^ tide_hash64(edge)) % 255);
}

#endif
