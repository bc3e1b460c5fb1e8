/* An order-statistic tree: it finds the member with the k-th smallest key. The tree is a treap. Its
 * nodes live inside the items of an array that the caller owns. A function of the caller gives the
 * key of a node by its index. The heap priority of a node is the hash of its key, so the shape
 * depends on the members alone. */
#ifndef TIDE_OSTREE_H
#define TIDE_OSTREE_H

#include "event.h"
#include "list.h"

struct tide_osnode {
	uint32_t left, right; /* children + 1; 0: none, so that zeroed memory is a leaf */
	uint32_t n;           /* members of this subtree */
};

struct tide_ostree {
	uint32_t root_plus_1;
};

/* Where the nodes and the keys are; the nodes may move between calls. */
struct tide_osview {
	struct tide_links nodes;
	uint64_t (*key)(const void *arg, uint32_t i);
	const void *arg;
};

static inline void tide_ostree_add(struct tide_ostree *t, const struct tide_osview *v, uint32_t i);
static inline void tide_ostree_remove(struct tide_ostree *t, const struct tide_osview *v,
				      uint32_t i);

/* The member whose key has k smaller keys below it. TIDE_NIL: there are only k members or fewer. */
static inline uint32_t tide_ostree_select(const struct tide_ostree *t, const struct tide_osview *v,
					  uint64_t k);

/* How many members have a smaller key. */
static inline uint64_t tide_ostree_rank(const struct tide_ostree *t, const struct tide_osview *v,
					uint64_t key);

static inline uint64_t tide_ostree_count(const struct tide_ostree *t, const struct tide_osview *v);

/* ---- how ---- */

static inline struct tide_osnode *tide_ostree_node(const struct tide_osview *v, uint32_t plus_1)
{
	return (struct tide_osnode *)(void *)tide_link_at(v->nodes, plus_1 - 1);
}

static inline uint64_t tide_ostree_key(const struct tide_osview *v, uint32_t plus_1)
{
	return v->key(v->arg, plus_1 - 1);
}

static inline uint32_t tide_ostree_size(const struct tide_osview *v, uint32_t plus_1)
{
	return plus_1 ? tide_ostree_node(v, plus_1)->n : 0;
}

static inline void tide_ostree_recount(const struct tide_osview *v, uint32_t plus_1)
{
	struct tide_osnode *at = tide_ostree_node(v, plus_1);
	at->n = tide_ostree_size(v, at->left) + tide_ostree_size(v, at->right) + 1;
}

/* All members with keys below bound go to *low, the others to *high. */
static inline void tide_ostree_split(const struct tide_osview *v, uint32_t plus_1, uint64_t bound,
				     uint32_t *low, uint32_t *high)
{
	if (!plus_1) {
		*low = *high = 0;
		return;
	}
	struct tide_osnode *at = tide_ostree_node(v, plus_1);
	if (tide_ostree_key(v, plus_1) < bound) {
		*low = plus_1;
		tide_ostree_split(v, at->right, bound, &at->right, high);
	} else {
		*high = plus_1;
		tide_ostree_split(v, at->left, bound, low, &at->left);
	}
	tide_ostree_recount(v, plus_1);
}

static inline uint32_t tide_ostree_join(const struct tide_osview *v, uint32_t low, uint32_t high)
{
	if (!low || !high)
		return low ? low : high;
	if (tide_hash64(tide_ostree_key(v, low)) > tide_hash64(tide_ostree_key(v, high))) {
		tide_ostree_node(v, low)->right =
			tide_ostree_join(v, tide_ostree_node(v, low)->right, high);
		tide_ostree_recount(v, low);
		return low;
	}
	tide_ostree_node(v, high)->left = tide_ostree_join(v, low, tide_ostree_node(v, high)->left);
	tide_ostree_recount(v, high);
	return high;
}

static inline void tide_ostree_add(struct tide_ostree *t, const struct tide_osview *v, uint32_t i)
{
	uint32_t *link = &t->root_plus_1, new = i + 1;
	uint64_t new_key = tide_ostree_key(v, new), priority = tide_hash64(new_key);
	while (*link && tide_hash64(tide_ostree_key(v, *link)) > priority) {
		struct tide_osnode *at = tide_ostree_node(v, *link);
		at->n++;
		link = new_key < tide_ostree_key(v, *link) ? &at->left : &at->right;
	}
	struct tide_osnode *fresh = tide_ostree_node(v, new);
	tide_ostree_split(v, *link, new_key, &fresh->left, &fresh->right);
	*link = new;
	tide_ostree_recount(v, new);
}

static inline void tide_ostree_remove(struct tide_ostree *t, const struct tide_osview *v,
				      uint32_t i)
{
	uint32_t *link = &t->root_plus_1, gone = i + 1;
	uint64_t gone_key = tide_ostree_key(v, gone);
	while (*link != gone) {
		struct tide_osnode *at = tide_ostree_node(v, *link);
		at->n--;
		link = gone_key < tide_ostree_key(v, *link) ? &at->left : &at->right;
	}
	*link = tide_ostree_join(v, tide_ostree_node(v, gone)->left,
				 tide_ostree_node(v, gone)->right);
}

static inline uint32_t tide_ostree_select(const struct tide_ostree *t, const struct tide_osview *v,
					  uint64_t k)
{
	uint32_t at = t->root_plus_1;
	while (at) {
		uint32_t left = tide_ostree_size(v, tide_ostree_node(v, at)->left);
		if (k == left)
			return at - 1;
		if (k < left) {
			at = tide_ostree_node(v, at)->left;
		} else {
			k -= left + 1;
			at = tide_ostree_node(v, at)->right;
		}
	}
	return TIDE_NIL;
}

static inline uint64_t tide_ostree_rank(const struct tide_ostree *t, const struct tide_osview *v,
					uint64_t bound)
{
	uint64_t rank = 0;
	for (uint32_t at = t->root_plus_1; at;) {
		if (tide_ostree_key(v, at) < bound) {
			rank += tide_ostree_size(v, tide_ostree_node(v, at)->left) + 1;
			at = tide_ostree_node(v, at)->right;
		} else {
			at = tide_ostree_node(v, at)->left;
		}
	}
	return rank;
}

static inline uint64_t tide_ostree_count(const struct tide_ostree *t, const struct tide_osview *v)
{
	return tide_ostree_size(v, t->root_plus_1);
}

#endif
