/* The tree of B+TREE, and its queries. */
#ifndef TD_WORKLOAD_BT_H
#define TD_WORKLOAD_BT_H

#include "gpu.h"

enum { TD_BT_ORDER = 256 };

/* Keys are between INT32_MIN and INT32_MAX, which stand in front of them and behind. Those from
 * keys[t] on and below keys[t + 1] are under idx[t]: a node, or in a leaf the record of keys[t]. */
struct td_bt_node {
	int32_t location;
	int32_t idx[TD_BT_ORDER + 1], keys[TD_BT_ORDER + 1];
	int32_t leaf, n;
};

struct td_bt {
	struct td_gpu_app app;
	uint32_t keys;                  /* 0 .. keys - 1, of the records of the same numbers */
	uint32_t nodes, leaves, levels; /* levels above the leaves */
	struct td_bt_node *node;        /* level by level, the root first */
	int32_t *record;
	uint32_t ranges, points; /* queries: for ranges, then for single keys */
	struct td_bt_query {
		int64_t curr[2], off[2]; /* nodes on the paths to both ends; or to the key */
		int32_t key[2];          /* the ends, inclusive; or the key */
		int32_t found[2];        /* record of the first and how many; or what is in it */
	} * query;
};

#endif
