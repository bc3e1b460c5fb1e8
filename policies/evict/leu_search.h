/* leu's search for the page of lowest priority.
 *
 * Each entry has a leaf in a tree of least bounds: a bound on the priorities of its family, and a
 * time until which it holds. The search takes the entry of the lowest bound, works out the
 * priorities of the pages that could be as low, and goes on until the lowest bound left is above
 * the lowest priority found. So what it costs depends on how many families and bins look alike, and
 * not on the number of pages.
 *
 * A page of priority 0 is in its ref's last bin that is not 0, or beyond: if anybody is, then the
 * family's head. Among those the oldest leaves; their bounds are negative and ordered by age. */
#ifndef TIDE_EVICT_LEU_SEARCH_H
#define TIDE_EVICT_LEU_SEARCH_H

#include "leu_bounds.h"

/* ---- the tree ---- */

#define NOTHING ((struct node){HUGE_VAL, UINT64_MAX})

/* The leaf of an entry is renewed before the next search. */
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

static inline struct node lesser(struct node a, struct node b)
{
	return (struct node){a.bound < b.bound ? a.bound : b.bound, a.due < b.due ? a.due : b.due};
}

static inline void set_leaf(struct leu *s, uint32_t e, struct node leaf)
{
	uint32_t i = s->leaves + e;
	*node_at(s, i) = leaf;
	while (i > 1) {
		i /= 2;
		struct node sum = lesser(*node_at(s, 2 * i), *node_at(s, 2 * i + 1));
		if (sum.bound == node_at(s, i)->bound && sum.due == node_at(s, i)->due)
			return;
		*node_at(s, i) = sum;
	}
}

static inline uint32_t lowest_leaf(const struct leu *s)
{
	uint32_t i = 1;
	while (i < s->leaves)
		i = 2 * i + (node_at(s, 2 * i)->bound != node_at(s, i)->bound);
	return i - s->leaves;
}

static inline uint32_t first_due_leaf(const struct leu *s)
{
	uint32_t i = 1;
	while (i < s->leaves)
		i = 2 * i + (node_at(s, 2 * i)->due != node_at(s, i)->due);
	return i - s->leaves;
}

/* Room for entry e. What the leaves are is found out again. */
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

/* When the head, unless it is accessed or leaves, has priority 0. */
static inline uint64_t worthless_from(const struct leu *s, uint32_t e)
{
	return last_of(page_at(s, family_at(s, e)->head - 1)) +
	       td_rit_low(td_rit_at(&s->table, e)->last_bin);
}

static inline double worthless_bound(const struct leu *s, uint32_t i)
{
	return (double)last_of(page_at(s, i)) - 0x1p53;
}

/* A family of a few pages has no shelf: each of them is worked out. */
static inline struct node small_bound(struct leu *s, uint32_t e)
{
	struct node out = NOTHING;
	uint32_t head = family_at(s, e)->head - 1, i = head, n = 0;
	do {
		const struct page *at = page_at(s, i);
		uint64_t age = s->view->near->time - last_of(at);
		struct node one = {
			td_rit_real(td_rit_worth_of(&s->table, e, age)) * SHAVE,
			last_of(at) + td_rit_high(td_rit_bin(age)) + 1,
		};
		out = lesser(out, one);
		i = at->next;
	} while (++n < SMALL && i != head);
	family_at(s, e)->large = i != head;
	return out;
}

/* Below every priority that is not 0, and above the bounds of those that are. */
#define ROUGH (-1.0)

/* A leaf that says no more than whether the family's head has priority 0, and when it will. */
static inline void renew_roughly(struct leu *s, uint32_t e)
{
	struct family *f = family_at(s, e);
	struct node leaf = NOTHING;
	if (f->head && worthless_from(s, e) <= s->view->near->time)
		leaf.bound = worthless_bound(s, f->head - 1);
	else if (f->head)
		leaf = (struct node){ROUGH, worthless_from(s, e)};
	f->limit = f->head ? UINT64_MAX : 0;
	set_leaf(s, e, leaf);
}

/* The same with a bound above 0 for a family that has pages, none of them of priority 0. */
static inline void renew_leaf(struct leu *s, uint32_t e)
{
	struct family *f = family_at(s, e);
	struct node leaf = NOTHING;
	if (!f->head || worthless_from(s, e) <= s->view->near->time) {
		renew_roughly(s, e);
		return;
	}
	f->limit = 0;
	if (!f->large)
		leaf = small_bound(s, e);
	if (f->large)
		leaf = shelf_bound(s, e, &f->limit);
	set_leaf(s, e, lesser(leaf, (struct node){HUGE_VAL, worthless_from(s, e)}));
}

static inline void renew_leaves(struct leu *s, bool roughly)
{
	void (*renew)(struct leu * s, uint32_t e) = roughly ? renew_roughly : renew_leaf;
	while (s->n_stale) {
		uint32_t e = ((uint32_t *)(void *)s->stale.at)[--s->n_stale];
		family_at(s, e)->stale = false;
		renew(s, e);
	}
	while (node_at(s, 1)->due <= s->view->near->time)
		renew(s, first_due_leaf(s));
}

/* ---- the lowest priority ---- */

struct lowest {
	uint32_t page;
	struct td_rit_worth worth;
	double bound; /* not above it: not worth looking at */
};

static inline void offer(const struct leu *s, struct lowest *low, uint32_t i,
			 struct td_rit_worth worth)
{
	int order = low->page == TD_NIL ? -1 : td_rit_compare(worth, low->worth);
	if (order > 0 || (order == 0 && last_of(page_at(s, i)) > last_of(page_at(s, low->page))))
		return;
	low->page = i;
	low->worth = worth;
	low->bound = worth.k ? td_rit_real(worth) / SHAVE : worthless_bound(s, i);
}

#define COARSE (TD_RIT_FINE / 8) /* the first group of bins with more than one value */

/* The bins of one value, all at once: whoever is in them is among the youngest few. */
static inline void look_into_fine(struct leu *s, uint32_t e, struct lowest *low)
{
	const struct shelf *shelf = shelf_at(s, e);
	uint32_t head = family_at(s, e)->head - 1, i = head;
	do {
		i = page_at(s, i)->prev;
		uint64_t age = age_of(s, i);
		if (age >= TD_RIT_FINE)
			return;
		if (shelf->bound[age] <= low->bound) {
			offer(s, low, i, td_rit_worth_of(&s->table, e, age));
			s->examined++;
		}
	} while (i != head);
}

static inline void look_into(struct leu *s, uint32_t e, unsigned bin, struct lowest *low)
{
	struct shelf *shelf = shelf_at(s, e);
	uint64_t now = s->view->near->time, spare = shelf->holds_below - td_rit_at(&s->table, e)->n;
	uint32_t younger, i = move_cursor(s, e, bin, &younger);
	shelf->found[bin] = shelf->bound[bin] = HUGE_VAL;
	shelf->due[bin] =
		td_rit_low(bin) + (younger == TD_NIL ? now : last_of(page_at(s, younger)));
	if (i == TD_NIL || age_of(s, i) > td_rit_high(bin))
		return;
	struct td_rit_worth worth = td_rit_worth_of(&s->table, e, age_of(s, i));
	shelf->found[bin] = (double)worth.k / (double)worth.ahead;
	shelf->bound[bin] = shelf->found[bin] * SHAVE / (double)(worth.rest + spare);
	offer(s, low, i, worth);
	s->examined++;
}

/* The bin of a group with the lowest bound that is not above `bound`, of those not seen yet;
 * TD_RIT_BINS: none. */
static inline unsigned lowest_bin(const struct shelf *shelf, unsigned group, unsigned seen,
				  double bound)
{
	unsigned best = TD_RIT_BINS;
	for (unsigned bin = group * 8; bin < group * 8 + 8; bin++)
		if (!(seen >> bin % 8 & 1) && shelf->bound[bin] <= bound) {
			bound = shelf->bound[bin];
			best = bin;
		}
	return best;
}

/* Looks into the bins of a group that may matter, the most promising first. */
static inline void look_into_group(struct leu *s, uint32_t e, unsigned group, struct lowest *low)
{
	struct shelf *shelf = shelf_at(s, e);
	unsigned bin, seen = 0;
	while ((bin = lowest_bin(shelf, group, seen, low->bound)) < TD_RIT_BINS) {
		seen |= 1u << bin % 8;
		look_into(s, e, bin, low);
	}
	settle_group(s, shelf, group);
}

/* The most promising group first: what is found there rules out most of the others. */
static inline void look_into_shelf(struct leu *s, uint32_t e, struct lowest *low)
{
	const struct shelf *shelf = shelf_at(s, e);
	struct span span = span_of(s, family_at(s, e)->head - 1);
	unsigned group = span.first;
	bool fine = false;
	if (shelf->lowest >= COARSE)
		look_into_group(s, e, shelf->lowest, low);
	for (; group < COARSE; group++)
		fine |= shelf->group_bound[group] <= low->bound;
	if (fine)
		look_into_fine(s, e, low);
	for (; group <= span.last; group++)
		if (group != shelf->lowest && shelf->group_bound[group] <= low->bound)
			look_into_group(s, e, group, low);
}

static inline void look_into_small(struct leu *s, uint32_t e, struct lowest *low)
{
	uint32_t head = family_at(s, e)->head - 1, i = head;
	do {
		offer(s, low, i, td_rit_worth_of(&s->table, e, age_of(s, i)));
		s->examined++;
		i = page_at(s, i)->next;
	} while (i != head);
}

static inline void look_into_family(struct leu *s, uint32_t e, struct lowest *low)
{
	if (worthless_from(s, e) <= s->view->near->time)
		offer(s, low, family_at(s, e)->head - 1, TD_RIT_WORTHLESS);
	else if (family_at(s, e)->large)
		look_into_shelf(s, e, low);
	else
		look_into_small(s, e, low);
}

/* Is the leaf no more than rough, or out of date: nobody in the family has priority 0? */
static inline bool is_rough(const struct leu *s, uint32_t e)
{
	return node_at(s, s->leaves + e)->bound < 0 && family_at(s, e)->head &&
	       worthless_from(s, e) > s->view->near->time;
}

/* The resident page of lowest priority; of several the one accessed longest ago. */
static inline uint32_t find_lowest(struct leu *s)
{
	struct lowest low = {.page = TD_NIL, .bound = HUGE_VAL};
	uint32_t orphan = oldest_orphan(s);
	if (s->strangers)
		return s->strangers - 1;
	if (orphan != TD_NIL)
		offer(s, &low, orphan, TD_RIT_WORTHLESS);
	/* Where an orphan is sure to have priority 0, nobody asks how far above 0 others are. */
	renew_leaves(s, orphan != TD_NIL);
	while (node_at(s, 1)->bound <= low.bound && node_at(s, 1)->bound < HUGE_VAL) {
		uint32_t e = lowest_leaf(s);
		if (is_rough(s, e)) {
			renew_leaf(s, e);
			continue;
		}
		mark_stale(s, e);
		set_leaf(s, e, NOTHING);
		if (family_at(s, e)->head)
			look_into_family(s, e, &low);
	}
	s->victims++;
	s->worthless += low.page != TD_NIL && low.worth.k == 0;
	return low.page;
}

#endif
