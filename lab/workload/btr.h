/* The B-tree of BTR, and its queries. */
#ifndef TD_WORKLOAD_BTR_H
#define TD_WORKLOAD_BTR_H

#include "gpu.h"
#include "workload/zipf.h"

enum { TD_BTR_ENTRIES = 15 };

/* Entries are in order of their keys; unused ones have the key UINT32_MAX. to is the value of the
 * key, or the node of all keys from this one up to the next. */
struct td_btr_node {
	uint32_t key[TD_BTR_ENTRIES], n;
	uint32_t to[TD_BTR_ENTRIES], leaf;
};

struct td_btr {
	struct td_gpu_app app;
	uint32_t keys, queries; /* keys are 0 .. keys - 1 */
	uint32_t root, nodes;   /* those in use: nodes are numbered as they come */
	bool skewed;
	struct td_workload_scatter order, asked; /* of the insertions, and of the queries */
	struct td_btr_node *node;
	uint32_t *result;
};

uint32_t td_btr_value(uint32_t key);
uint32_t td_btr_query(const struct td_btr *b, uint32_t i); /* the key that it asks for */

#endif
