/* An order-statistic tree: a treap whose nodes live inside somebody else's array, by index, and
 * which answers "the k-th smallest key". The key of a node is asked for by index; its heap
 * priority is the hash of its key, so the shape depends on the members alone. */
#ifndef TD_CORE_OSTREE_H
#define TD_CORE_OSTREE_H

#include "list.h"

struct td_osnode {
	uint32_t left, right; /* children + 1; 0: none, so that zeroed memory is a leaf */
	uint32_t n;           /* members of this subtree */
};

struct td_ostree {
	uint32_t root_plus_1;
};

/* Where the nodes and the keys are; the nodes may move between calls. */
struct td_osview {
	struct td_links nodes;
	uint64_t (*key)(const void *arg, uint32_t i);
	const void *arg;
};

void td_ostree_add(struct td_ostree *t, const struct td_osview *v, uint32_t i);
void td_ostree_remove(struct td_ostree *t, const struct td_osview *v, uint32_t i);

/* The member with k smaller ones, TD_NIL if there are not so many. */
uint32_t td_ostree_select(const struct td_ostree *t, const struct td_osview *v, uint64_t k);

/* How many members have a smaller key. */
uint64_t td_ostree_rank(const struct td_ostree *t, const struct td_osview *v, uint64_t key);

uint64_t td_ostree_count(const struct td_ostree *t, const struct td_osview *v);

#endif
