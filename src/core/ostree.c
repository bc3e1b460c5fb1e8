#include "ostree.h"

#include "tide/event.h"

static struct td_osnode *node(const struct td_osview *v, uint32_t plus_1)
{
	return (struct td_osnode *)(void *)td_link_at(v->nodes, plus_1 - 1);
}

static uint64_t key(const struct td_osview *v, uint32_t plus_1)
{
	return v->key(v->arg, plus_1 - 1);
}

static uint32_t count(const struct td_osview *v, uint32_t plus_1)
{
	return plus_1 ? node(v, plus_1)->n : 0;
}

static void recount(const struct td_osview *v, uint32_t plus_1)
{
	struct td_osnode *at = node(v, plus_1);
	at->n = count(v, at->left) + count(v, at->right) + 1;
}

/* All members below bound go to *low, the others to *high. */
static void split(const struct td_osview *v, uint32_t plus_1, uint64_t bound, uint32_t *low,
		  uint32_t *high)
{
	if (!plus_1) {
		*low = *high = 0;
		return;
	}
	struct td_osnode *at = node(v, plus_1);
	if (key(v, plus_1) < bound) {
		*low = plus_1;
		split(v, at->right, bound, &at->right, high);
	} else {
		*high = plus_1;
		split(v, at->left, bound, low, &at->left);
	}
	recount(v, plus_1);
}

static uint32_t join(const struct td_osview *v, uint32_t low, uint32_t high)
{
	if (!low || !high)
		return low ? low : high;
	if (tide_hash64(key(v, low)) > tide_hash64(key(v, high))) {
		node(v, low)->right = join(v, node(v, low)->right, high);
		recount(v, low);
		return low;
	}
	node(v, high)->left = join(v, low, node(v, high)->left);
	recount(v, high);
	return high;
}

void td_ostree_add(struct td_ostree *t, const struct td_osview *v, uint32_t i)
{
	uint32_t *link = &t->root_plus_1, new = i + 1;
	uint64_t new_key = key(v, new), priority = tide_hash64(new_key);
	while (*link && tide_hash64(key(v, *link)) > priority) {
		struct td_osnode *at = node(v, *link);
		at->n++;
		link = new_key < key(v, *link) ? &at->left : &at->right;
	}
	struct td_osnode *fresh = node(v, new);
	split(v, *link, new_key, &fresh->left, &fresh->right);
	*link = new;
	recount(v, new);
}

void td_ostree_remove(struct td_ostree *t, const struct td_osview *v, uint32_t i)
{
	uint32_t *link = &t->root_plus_1, gone = i + 1;
	uint64_t gone_key = key(v, gone);
	while (*link != gone) {
		struct td_osnode *at = node(v, *link);
		at->n--;
		link = gone_key < key(v, *link) ? &at->left : &at->right;
	}
	*link = join(v, node(v, gone)->left, node(v, gone)->right);
}

uint32_t td_ostree_select(const struct td_ostree *t, const struct td_osview *v, uint64_t k)
{
	uint32_t at = t->root_plus_1;
	while (at) {
		uint32_t left = count(v, node(v, at)->left);
		if (k == left)
			return at - 1;
		if (k < left) {
			at = node(v, at)->left;
		} else {
			k -= left + 1;
			at = node(v, at)->right;
		}
	}
	return TD_NIL;
}

uint64_t td_ostree_rank(const struct td_ostree *t, const struct td_osview *v, uint64_t bound)
{
	uint64_t rank = 0;
	for (uint32_t at = t->root_plus_1; at;) {
		if (key(v, at) < bound) {
			rank += count(v, node(v, at)->left) + 1;
			at = node(v, at)->right;
		} else {
			at = node(v, at)->left;
		}
	}
	return rank;
}

uint64_t td_ostree_count(const struct td_ostree *t, const struct td_osview *v)
{
	return count(v, t->root_plus_1);
}
