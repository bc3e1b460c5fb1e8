/* leu's bounds: the least priority that pages of one ref can have, without looking at the pages.
 *
 * Within a bin of tesla the priority grows with tesla. So the youngest page of a bin has the lowest
 * priority in the bin. No page of the bin has a priority below that of the bin's least age: the
 * floor. The floor depends on the reuse intervals alone. It is the steepest rise of their
 * distribution beyond the bin, divided by the rest: the intervals that are not in the bin or before
 * it. Both change all the time. But the rise only grows, so an old rise still gives a bound. The
 * rest grows only by accesses of the ref. So floors are computed for a certain number of such
 * accesses, and again when these are used up.
 *
 * Groups of eight bins are the leaves of a tree, so that a few steps find the least bound or change
 * one. Bounds are doubles, made a little lower than rounding could make them. Priorities that are
 * compared with each other are exact fractions. */
#ifndef TIDE_EVICT_LEU_BOUNDS_H
#define TIDE_EVICT_LEU_BOUNDS_H

#include <math.h>
#include <string.h>

#include "leu_pages.h"

#define SHAVE (1 - 0x1p-40)
#define SMALL 8 /* pages of a ring that are looked at one by one */
#define NOTHING ((struct node){INFINITE, NEVER})

static inline uint64_t bound_of(double priority)
{
	uint64_t out;
	memcpy(&out, &priority, sizeof out);
	return out;
}

static inline struct node lesser(struct node a, struct node b)
{
	return (struct node){a.bound < b.bound ? a.bound : b.bound, a.due < b.due ? a.due : b.due};
}

/* ---- the tree of groups ---- */

static inline struct node sum_group(const struct shelf *shelf, unsigned group)
{
	struct node sum = NOTHING;
	for (unsigned bin = group * 8; bin < group * 8 + 8; bin++)
		sum = lesser(sum, (struct node){shelf->bound[bin], shelf->due[bin]});
	return sum;
}

/* Call it after the bounds of a group changed. */
static inline void settle_group(struct shelf *shelf, unsigned group)
{
	unsigned i = GROUPS + group;
	struct node sum = sum_group(shelf, group);
	shelf->tree[i] = sum;
	for (; i > 1; i /= 2) {
		struct node at = shelf->tree[i / 2];
		sum = lesser(sum, shelf->tree[i ^ 1]);
		if (!((sum.bound ^ at.bound) | (sum.due ^ at.due)))
			return;
		shelf->tree[i / 2] = sum;
	}
}

/* Bounds whose time is up fall back to the floor. */
static inline void drop_bounds(const struct leu *s, struct shelf *shelf, unsigned group)
{
	uint64_t now = now_of(s);
	for (unsigned bin = group * 8; bin < group * 8 + 8; bin++)
		if (shelf->due[bin] <= now) {
			__builtin_prefetch(page_at(s, shelf->coming[bin]), 1);
			__builtin_prefetch(page_at(s, shelf->after_it[bin]));
			tide_expect(s->view, (tide_chunk){shelf->coming[bin]});
			shelf->bound[bin] = shelf->floor[bin];
			shelf->due[bin] = NEVER;
		}
	settle_group(shelf, group);
}

static inline void settle_due(const struct leu *s, struct shelf *shelf)
{
	while (shelf->tree[1].due <= now_of(s)) {
		unsigned i = 1;
		while (i < GROUPS)
			i = 2 * i + (shelf->tree[2 * i].due != shelf->tree[i].due);
		drop_bounds(s, shelf, i - GROUPS);
	}
}

/* Call it after all bounds up to a bin changed. */
static inline void settle_all(struct shelf *shelf, unsigned last_bin)
{
	for (unsigned group = 0; group <= last_bin / 8; group++)
		shelf->tree[GROUPS + group] = sum_group(shelf, group);
	for (unsigned i = GROUPS - 1; i; i--)
		shelf->tree[i] = lesser(shelf->tree[2 * i], shelf->tree[2 * i + 1]);
}

static inline void set_bound(struct shelf *shelf, unsigned bin, uint64_t bound)
{
	shelf->bound[bin] = bound;
	settle_group(shelf, bin / 8);
}

/* The group with the least bound under a node. */
static inline unsigned lowest_under(const struct shelf *shelf, unsigned i)
{
	uint64_t bound = shelf->tree[i].bound;
	while (i < GROUPS)
		i = 2 * i + (shelf->tree[2 * i].bound != bound);
	return i - GROUPS;
}

/* The group with the least bound, from group `first` on. Mostly it is the least of all groups. */
static inline unsigned lowest_from(const struct shelf *shelf, unsigned first)
{
	unsigned group = lowest_under(shelf, 1), i = GROUPS + first, best = i;
	if (group >= first)
		return group;
	for (; i > 1; i /= 2)
		if (!(i & 1) && shelf->tree[i + 1].bound < shelf->tree[best].bound)
			best = i + 1;
	return lowest_under(shelf, best);
}

static inline uint64_t group_bound(const struct shelf *shelf, unsigned group)
{
	return shelf->tree[GROUPS + group].bound;
}

static inline unsigned lowest_bin(const struct shelf *shelf, unsigned group)
{
	unsigned bin = group * 8;
	while (shelf->bound[bin] != group_bound(shelf, group))
		bin++;
	return bin;
}

/* ---- floors ---- */

/* Points of the distribution to the right of a bin. Only the points on the upper hull count: the
 * steepest line from any point further left ends at one of them. */
struct hull {
	unsigned n;
	double x[TIDE_RIT_BINS], y[TIDE_RIT_BINS];
};

static inline void hull_add(struct hull *h, double x, double y)
{
	while (h->n >= 2 && (h->y[h->n - 1] - y) * (h->x[h->n - 2] - x) <=
				    (h->y[h->n - 2] - y) * (h->x[h->n - 1] - x))
		h->n--;
	h->x[h->n] = x;
	h->y[h->n++] = y;
}

/* The steepest rise from a point that lies further left. */
static inline double hull_rise(const struct hull *h, double x, double y)
{
	double up = 0, along = 1;
	for (unsigned i = h->n; i-- > 0;) {
		if ((h->y[i] - y) * along < up * (h->x[i] - x))
			break;
		up = h->y[i] - y;
		along = h->x[i] - x;
	}
	return up / along;
}

static inline void find_rises(const struct leu *s, uint32_t e)
{
	const struct tide_rit_entry *at = tide_rit_at(&s->table, e);
	const uint64_t *counts = tide_rit_counts(&s->table, e);
	struct shelf *shelf = shelf_at(s, e);
	uint64_t up_to = at->sum;
	struct hull hull;
	hull.n = 0;
	for (unsigned bin = at->last_bin; bin-- > 0;) {
		if (counts[bin + 1])
			hull_add(&hull, (double)tide_rit_high(bin + 1), (double)up_to);
		up_to -= counts[bin + 1];
		shelf->rise[bin] =
			hull_rise(&hull, (double)tide_rit_since(&s->table, bin), (double)up_to);
	}
	shelf->rises_hold_below = at->n + at->n / 16 + 8;
}

/* For how many accesses of the ref the bounds must hold: few enough that the bounds stay close, and
 * enough that the work per access is small. */
static inline uint64_t patience(const struct leu *s, const struct tide_rit_entry *at)
{
	uint64_t few = (at->n - at->sum) / 128;
	return s->trained ? 0 : few < 256 ? few : 256;
}

/* Computes all bounds from the rises. */
static inline void lay_floors(const struct leu *s, uint32_t e)
{
	const struct tide_rit_entry *at = tide_rit_at(&s->table, e);
	const uint64_t *counts = tide_rit_counts(&s->table, e);
	struct shelf *shelf = shelf_at(s, e);
	uint64_t rest = at->n + patience(s, at);
	shelf->holds_below = rest + 1;
	if (at->n >= shelf->rises_hold_below)
		find_rises(s, e);
	for (unsigned bin = 0; bin < at->last_bin; bin++) {
		rest -= counts[bin];
		double each = SHAVE / (double)(int64_t)rest;
		shelf->floor[bin] = bound_of(shelf->rise[bin] * each);
		shelf->bound[bin] = shelf->due[bin] == NEVER ? shelf->floor[bin]
							     : bound_of(shelf->found[bin] * each);
	}
	settle_all(shelf, at->last_bin);
}

/* Begins without knowing any page. Only one thing is known: bins beyond the oldest page are empty.
 * From the entry's last bin on, pages have priority 0, and the shelf does not care about them. */
static inline void open_shelf(const struct leu *s, uint32_t e)
{
	struct shelf *shelf = shelf_at(s, e);
	uint64_t oldest = last_of(page_at(s, ring_at(s, e)->oldest - 1));
	unsigned last_bin = tide_rit_at(&s->table, e)->last_bin;
	unsigned beyond = tide_rit_past(&s->table, now_of(s) - oldest) + 1;
	for (unsigned bin = 0; bin < TIDE_RIT_BINS; bin++) {
		shelf->bound[bin] = INFINITE;
		shelf->found[bin] = HUGE_VAL;
		shelf->due[bin] = NEVER;
	}
	for (unsigned bin = beyond; bin < last_bin; bin++)
		shelf->due[bin] = oldest + tide_rit_since(&s->table, bin);
	for (unsigned i = GROUPS; i < 2 * GROUPS; i++)
		shelf->tree[i] = NOTHING;
	shelf->rises_hold_below = 0;
	shelf->open = true;
	lay_floors(s, e);
}

/* The least bound of a large ring, and the n of its entry at which the bound is out of date. */
static inline struct node shelf_bound(const struct leu *s, uint32_t e, uint64_t *limit)
{
	struct shelf *shelf = shelf_at(s, e);
	uint64_t youngest = age_of(s, ring_at(s, e)->youngest - 1);
	if (!shelf->open)
		open_shelf(s, e);
	else if (tide_rit_at(&s->table, e)->n >= shelf->holds_below)
		lay_floors(s, e);
	settle_due(s, shelf);
	unsigned first = tide_rit_past(&s->table, youngest) / 8;
	uint64_t bound = group_bound(shelf, lowest_from(shelf, first));
	/* No page may be so young yet, but after the next access one will be. */
	*limit = shelf->tree[1].bound < bound ? 0 : shelf->holds_below;
	return (struct node){bound, shelf->tree[1].due};
}

#endif
