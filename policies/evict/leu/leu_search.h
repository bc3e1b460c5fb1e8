/* leu's search for the page of lowest priority.
 *
 * Each entry has a leaf in a tree of least bounds: a bound on the priorities of its pages, and a
 * time until which the bound holds. The search takes the entry with the lowest bound, and computes
 * the priorities of its pages that could be as low. It goes on until the lowest bound left is above
 * the lowest priority found. So its cost depends on how many refs and bins look alike, and not on
 * the number of pages.
 *
 * A page of priority 0 is in its ref's last bin that is not 0, or beyond it. If any page of a ref
 * is there, its oldest page is. Of these pages, the one accessed longest ago leaves. */
#ifndef TIDE_EVICT_LEU_SEARCH_H
#define TIDE_EVICT_LEU_SEARCH_H

#include "leu_cursors.h"

/* ---- the tree ---- */

/* Notes that the leaf of an entry must be renewed before the next search. */
static inline void mark_stale(struct leu *s, uint32_t e)
{
	if (family_at(s, e)->stale)
		return;
	family_at(s, e)->stale = true;
	((uint32_t *)(void *)s->stale.at)[s->n_stale++] = e;
}

static inline struct node *node_at(const struct leu *s, uint32_t i)
{
	return (struct node *)(void *)s->tree.at + i;
}

static inline void set_leaf(struct leu *s, uint32_t e, struct node leaf)
{
	struct node *tree = node_at(s, 0);
	uint32_t i = s->leaves + e;
	tree[i] = leaf;
	for (; i > 1; i /= 2) {
		struct node at = tree[i / 2];
		leaf = lesser(leaf, tree[i ^ 1]);
		if (!((leaf.bound ^ at.bound) | (leaf.due ^ at.due)))
			return;
		tree[i / 2] = leaf;
	}
}

static inline uint32_t lowest_leaf(const struct leu *s)
{
	uint32_t i = 1;
	while (i < s->leaves)
		i = 2 * i + (node_at(s, 2 * i)->bound != node_at(s, i)->bound);
	return i - s->leaves;
}

/* The least bound of all leaves except that of entry e. */
static inline uint64_t bound_of_others(const struct leu *s, uint32_t e)
{
	const struct node *tree = node_at(s, 0);
	uint64_t bound = INFINITE;
	for (uint32_t i = s->leaves + e; i > 1; i /= 2)
		bound = tree[i ^ 1].bound < bound ? tree[i ^ 1].bound : bound;
	return bound;
}

static inline uint32_t first_due_leaf(const struct leu *s)
{
	uint32_t i = 1;
	while (i < s->leaves)
		i = 2 * i + (node_at(s, 2 * i)->due != node_at(s, i)->due);
	return i - s->leaves;
}

/* Makes room for entry e. The other leaves are then renewed. */
static inline void grow_tree(struct leu *s, uint32_t e)
{
	if (e < s->leaves)
		return;
	while (s->leaves <= e)
		s->leaves *= 2;
	for (uint32_t i = 0; i < 2 * s->leaves; i++)
		*node_at(s, i) = NOTHING;
	for (uint32_t i = 0; i < e; i++)
		mark_stale(s, i);
}

/* ---- leaves ---- */

/* The time from which the oldest page of an entry has priority 0, unless it is accessed or leaves
 * before. */
static inline uint64_t worthless_from(const struct leu *s, uint32_t e)
{
	return last_of(page_at(s, ring_at(s, e)->oldest - 1)) +
	       tide_rit_since(&s->table, tide_rit_at(&s->table, e)->last_bin);
}

static inline uint64_t worthless_bound(const struct leu *s, uint32_t i)
{
	return last_of(page_at(s, i));
}

/* The bound of an entry without a shelf. It computes the priority of each of the few pages. */
static inline struct node small_bound(struct leu *s, uint32_t e)
{
	struct node out = NOTHING;
	uint32_t i = ring_at(s, e)->oldest - 1;
	for (uint32_t n = 0; n < SMALL; n++) {
		const struct page *at = page_at(s, i);
		uint64_t age = now_of(s) - last_of(at);
		struct node one = {
			bound_of(tide_rit_real(tide_rit_worth_of(&s->table, e, age)) * SHAVE),
			last_of(at) + tide_rit_since(&s->table, tide_rit_past(&s->table, age) + 1),
		};
		out = lesser(out, one);
		if (at->word & YOUNGEST)
			return out;
		i = at->next;
	}
	family_at(s, e)->large = true;
	return out;
}

/* Sets a leaf that says only whether the oldest page has priority 0, and if not, when it will. */
static inline void renew_roughly(struct leu *s, uint32_t e)
{
	struct family *f = family_at(s, e);
	uint32_t oldest = ring_at(s, e)->oldest;
	struct node leaf = NOTHING;
	if (oldest && worthless_from(s, e) <= now_of(s))
		leaf.bound = worthless_bound(s, oldest - 1);
	else if (oldest)
		leaf = (struct node){ROUGH, worthless_from(s, e)};
	f->limit = oldest ? NEVER : 0;
	set_leaf(s, e, leaf);
}

/* Sets a leaf. If the entry has pages, and none of them has priority 0, the leaf has a bound above
 * 0. */
static inline void renew_leaf(struct leu *s, uint32_t e)
{
	struct family *f = family_at(s, e);
	struct node leaf = NOTHING;
	if (!ring_at(s, e)->oldest || worthless_from(s, e) <= now_of(s)) {
		renew_roughly(s, e);
		return;
	}
	f->limit = 0;
	if (!f->large)
		leaf = small_bound(s, e);
	if (f->large)
		leaf = shelf_bound(s, e, &f->limit);
	set_leaf(s, e, lesser(leaf, (struct node){INFINITE, worthless_from(s, e)}));
}

static inline void renew_leaves(struct leu *s, bool roughly)
{
	void (*renew)(struct leu * s, uint32_t e) = roughly ? renew_roughly : renew_leaf;
	while (s->n_stale) {
		uint32_t e = ((uint32_t *)(void *)s->stale.at)[--s->n_stale];
		family_at(s, e)->stale = false;
		renew(s, e);
	}
	while (node_at(s, 1)->due <= now_of(s))
		renew(s, first_due_leaf(s));
}

/* ---- the lowest priority ---- */

struct lowest {
	uint32_t page;
	struct tide_rit_worth worth;
	uint64_t bound; /* a bound above this one need not be looked at */
};

static inline void offer(const struct leu *s, struct lowest *low, uint32_t i,
			 struct tide_rit_worth worth)
{
	int order = low->page == TIDE_NIL ? -1 : tide_rit_compare(worth, low->worth);
	if (order > 0 || (order == 0 && last_of(page_at(s, i)) > last_of(page_at(s, low->page))))
		return;
	low->page = i;
	low->worth = worth;
	low->bound = worth.k ? bound_of(tide_rit_real(worth) / SHAVE) : worthless_bound(s, i);
}

#define FINE_GROUPS 4 /* groups whose bins have one age each, with next_edge or without */
#define FINE_NODE (GROUPS / FINE_GROUPS)

/* Looks into the first bins all at once. Their pages are the youngest few of the ring. */
static inline void look_into_fine(struct leu *s, uint32_t e, struct lowest *low)
{
	const struct shelf *shelf = shelf_at(s, e);
	uint32_t i = ring_at(s, e)->youngest - 1;
	for (;; i = page_at(s, i)->prev) {
		uint64_t age = age_of(s, i);
		if (age >= 8 * FINE_GROUPS)
			return;
		if (shelf->bound[age] <= low->bound) {
			offer(s, low, i, tide_rit_worth_of(&s->table, e, age));
			s->examined++;
		}
		if (page_at(s, i)->word & OLDEST)
			return;
	}
}

/* Looks into a bin. The result is its bound, and what follows if its youngest page is chosen. The
 * look also brings the floor closer. */
static inline struct chosen look_into(struct leu *s, uint32_t e, unsigned bin, struct lowest *low)
{
	struct shelf *shelf = shelf_at(s, e);
	uint64_t spare = shelf->holds_below - tide_rit_at(&s->table, e)->n;
	uint32_t i = move_cursor(s, e, bin, &shelf->due[bin]);
	struct chosen out = {i + 1, e, bin, INFINITE, 0, 0, 0};
	shelf->found[bin] = HUGE_VAL;
	if (i == TIDE_NIL || age_of(s, i) >= tide_rit_since(&s->table, bin + 1))
		return out;
	struct tide_rit_worth worth = tide_rit_worth_of(&s->table, e, age_of(s, i));
	uint64_t along = worth.ahead + age_of(s, i) - tide_rit_since(&s->table, bin);
	double rise = (double)worth.k / (double)along;
	out.each = SHAVE / (double)(worth.rest + spare);
	out.k = worth.k;
	out.ahead = worth.ahead;
	shelf->found[bin] = (double)worth.k / (double)worth.ahead;
	shelf->rise[bin] = rise > shelf->rise[bin] ? rise : shelf->rise[bin];
	shelf->floor[bin] = bound_of(shelf->rise[bin] * out.each);
	out.bound = bound_of(shelf->found[bin] * out.each);
	offer(s, low, i, worth);
	s->examined++;
	return out;
}

/* The bin of the lowest page so far has no bound while the search looks into the others. It has
 * none after that, until it is known whether the page leaves. A bin that is as low has no bound
 * while this function runs. */
static inline void look_into_coarse(struct leu *s, uint32_t e, unsigned first, struct lowest *low)
{
	struct shelf *shelf = shelf_at(s, e);
	unsigned group, n = 0;
	struct chosen tied[TIDE_RIT_BINS];
	while (group = lowest_from(shelf, first),
	       group_bound(shelf, group) <= low->bound && group_bound(shelf, group) < INFINITE) {
		struct chosen c = look_into(s, e, lowest_bin(shelf, group), low);
		if (c.bound > low->bound) {
			set_bound(shelf, c.bin, c.bound);
			continue;
		}
		set_bound(shelf, c.bin, INFINITE);
		if (low->page + 1 != c.page) {
			tied[n++] = c;
			continue;
		}
		keep_chosen(s);
		s->chosen = c;
	}
	while (n--)
		set_bound(shelf, tied[n].bin, tied[n].bound);
}

/* Looks into the more promising part first: what it finds there rules out most of the rest. */
static inline void look_into_shelf(struct leu *s, uint32_t e, struct lowest *low)
{
	const struct shelf *shelf = shelf_at(s, e);
	unsigned first = tide_rit_past(&s->table, age_of(s, ring_at(s, e)->youngest - 1)) / 8;
	unsigned coarse = first < FINE_GROUPS ? FINE_GROUPS : first;
	uint64_t fine = first < FINE_GROUPS ? shelf->tree[FINE_NODE].bound : INFINITE;
	bool early = fine <= group_bound(shelf, lowest_from(shelf, coarse));
	if (early && fine <= low->bound)
		look_into_fine(s, e, low);
	look_into_coarse(s, e, coarse, low);
	if (!early && fine <= low->bound)
		look_into_fine(s, e, low);
}

static inline void look_into_small(struct leu *s, uint32_t e, struct lowest *low)
{
	uint32_t i = ring_at(s, e)->oldest - 1;
	for (;; i = page_at(s, i)->next) {
		offer(s, low, i, tide_rit_worth_of(&s->table, e, age_of(s, i)));
		s->examined++;
		if (page_at(s, i)->word & YOUNGEST)
			return;
	}
}

static inline void look_into_family(struct leu *s, uint32_t e, struct lowest *low)
{
	if (worthless_from(s, e) <= now_of(s))
		offer(s, low, ring_at(s, e)->oldest - 1, TIDE_RIT_WORTHLESS);
	else if (family_at(s, e)->large)
		look_into_shelf(s, e, low);
	else
		look_into_small(s, e, low);
}

/* Is the leaf only rough, or out of date, although no page of the family has priority 0? */
static inline bool is_rough(const struct leu *s, uint32_t e)
{
	return node_at(s, s->leaves + e)->bound <= ROUGH && ring_at(s, e)->oldest &&
	       worthless_from(s, e) > now_of(s);
}

/* The resident page of lowest priority. If there are several, the one accessed longest ago. */
static inline uint32_t find_lowest(struct leu *s)
{
	struct lowest low = {.page = TIDE_NIL, .bound = INFINITE};
	uint32_t orphan = oldest_orphan(s);
	keep_chosen(s);
	if (ring_at(s, strangers_of(s))->oldest)
		return ring_at(s, strangers_of(s))->oldest - 1;
	if (orphan != TIDE_NIL)
		offer(s, &low, orphan, TIDE_RIT_WORTHLESS);
	/* If there is an orphan, its priority is 0. How far above 0 the others are does not matter
	 * then. */
	renew_leaves(s, orphan != TIDE_NIL);
	while (node_at(s, 1)->bound <= low.bound && node_at(s, 1)->bound < INFINITE) {
		uint32_t e = lowest_leaf(s);
		if (is_rough(s, e)) {
			renew_leaf(s, e);
			continue;
		}
		mark_stale(s, e);
		if (ring_at(s, e)->oldest)
			look_into_family(s, e, &low);
		if (bound_of_others(s, e) > low.bound)
			break;
		set_leaf(s, e, NOTHING);
	}
	if (s->chosen.page != low.page + 1)
		keep_chosen(s);
	s->victims++;
	s->worthless += low.page != TIDE_NIL && low.worth.k == 0;
	return low.page;
}

#endif
