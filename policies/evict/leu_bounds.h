/* leu's bounds: what the pages of one family can have as priority at least, without looking at
 * them all.
 *
 * Within a bin of tesla the priority grows with tesla, so the youngest page of a bin has its lowest
 * one, and the bin's lower edge has a priority that no page of the bin is below: the floor. It
 * depends on the reuse intervals alone: it is the rise of their distribution beyond the bin, the
 * steepest there is, over the rest, those that are not in the bin or before. Both change all the
 * time, but the rise only grows, so an old one still serves; and the rest grows by accesses of the
 * ref alone, so floors are worked out for a certain number of these, and again when it is used up.
 *
 * Bounds are doubles, made a little lower than rounding could make them; priorities that are
 * compared with each other are exact fractions. */
#ifndef TIDE_EVICT_LEU_BOUNDS_H
#define TIDE_EVICT_LEU_BOUNDS_H

#include <math.h>

#include "leu_pages.h"

#define SHAVE (1 - 0x1p-40)
#define SMALL 8 /* pages of a family that are looked at one by one */

/* ---- floors ---- */

/* Points of the distribution to the right of a bin, of which only those count that lie on its
 * upper hull: the steepest line from any point further left ends at one of them. */
struct hull {
	unsigned n;
	double x[TD_RIT_BINS], y[TD_RIT_BINS];
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

/* In the last bin that is not 0, and beyond, there is no rise: whoever is there now has priority 0,
 * but that may change. */
static inline void find_rises(const struct leu *s, uint32_t e)
{
	const struct td_rit_entry *at = td_rit_at(&s->table, e);
	const uint64_t *counts = td_rit_counts(&s->table, e);
	struct shelf *shelf = shelf_at(s, e);
	uint64_t up_to = at->sum;
	struct hull hull;
	hull.n = 0;
	for (unsigned bin = at->last_bin; bin < TD_RIT_BINS; bin++)
		shelf->rise[bin] = 0;
	for (unsigned bin = at->last_bin; bin-- > 0;) {
		if (counts[bin + 1])
			hull_add(&hull, (double)td_rit_high(bin + 1), (double)up_to);
		up_to -= counts[bin + 1];
		shelf->rise[bin] = hull_rise(&hull, (double)td_rit_low(bin), (double)up_to);
	}
	for (unsigned bin = 0; bin < TD_RIT_BINS; bin++)
		if (shelf->due[bin] == UINT64_MAX)
			shelf->found[bin] = shelf->rise[bin];
	shelf->rises_hold_below = at->n + at->n / 32 + 1;
}

/* How many accesses by the ref the bounds are to outlast: few enough that they stay close, enough
 * that the work is small for each. */
static inline uint64_t patience(const struct leu *s, const struct td_rit_entry *at)
{
	uint64_t few = (at->n - at->sum) / 256;
	return s->trained ? 0 : few < 64 ? few : 64;
}

/* Works out all bounds from the rises. Beyond the last bin floors are 0 and stay so. */
static inline void lay_floors(const struct leu *s, uint32_t e)
{
	const struct td_rit_entry *at = td_rit_at(&s->table, e);
	const uint64_t *counts = td_rit_counts(&s->table, e);
	struct shelf *shelf = shelf_at(s, e);
	uint64_t rest = at->n + patience(s, at);
	if (at->n >= shelf->rises_hold_below)
		find_rises(s, e);
	for (unsigned bin = 0; bin < at->last_bin; bin++) {
		rest -= counts[bin];
		double each = SHAVE / (double)(int64_t)rest;
		shelf->floor[bin] = shelf->rise[bin] * each;
		shelf->bound[bin] = shelf->found[bin] * each;
	}
	memset(shelf->group_due, 0, sizeof shelf->group_due);
	shelf->holds_below = at->n + patience(s, at) + 1;
}

/* After the counts became less: nothing is known any more. */
static inline void clear_shelf(struct shelf *shelf)
{
	memset(shelf->floor, 0, sizeof shelf->floor);
	memset(shelf->due, 0, sizeof shelf->due);
	shelf->rises_hold_below = shelf->holds_below = 0;
}

/* ---- bounds ---- */

static inline void settle_group(const struct leu *s, struct shelf *shelf, unsigned group)
{
	uint64_t now = s->view->near->time, due = UINT64_MAX;
	double bound = HUGE_VAL;
	for (unsigned bin = group * 8; bin < group * 8 + 8; bin++) {
		if (shelf->due[bin] <= now) {
			shelf->found[bin] = shelf->rise[bin];
			shelf->bound[bin] = shelf->floor[bin];
			shelf->due[bin] = UINT64_MAX;
		}
		bound = shelf->bound[bin] < bound ? shelf->bound[bin] : bound;
		due = shelf->due[bin] < due ? shelf->due[bin] : due;
	}
	shelf->group_bound[group] = bound;
	shelf->group_due[group] = due;
}

/* The groups in which a family has pages now. */
struct span {
	unsigned first, last;
};

static inline struct span span_of(const struct leu *s, uint32_t head)
{
	return (struct span){
		td_rit_bin(age_of(s, page_at(s, head)->prev)) / 8,
		td_rit_bin(age_of(s, head)) / 8,
	};
}

/* Brings the bounds of all bins up to a group up to date; says when that has to be done again. */
static inline uint64_t settle_shelf(const struct leu *s, struct shelf *shelf, unsigned up_to)
{
	uint64_t now = s->view->near->time, due = UINT64_MAX;
	for (unsigned group = 0; group <= up_to; group++) {
		if (shelf->group_due[group] <= now)
			settle_group(s, shelf, group);
		due = shelf->group_due[group] < due ? shelf->group_due[group] : due;
	}
	return due;
}

static inline unsigned lowest_group(const struct shelf *shelf, struct span span)
{
	unsigned best = span.first;
	double bound = shelf->group_bound[best];
	for (unsigned group = span.first + 1; group <= span.last; group++)
		if (shelf->group_bound[group] < bound) {
			bound = shelf->group_bound[group];
			best = group;
		}
	return best;
}

/* The least bound of a large family, and the n of its entry at which that is out of date. */
static inline struct node shelf_bound(const struct leu *s, uint32_t e, uint64_t *limit)
{
	struct shelf *shelf = shelf_at(s, e);
	uint32_t head = family_at(s, e)->head - 1;
	struct span span = span_of(s, head);
	uint64_t next_group = last_of(page_at(s, head)) + td_rit_low(span.last * 8 + 8);
	unsigned younger = 0;
	if (td_rit_at(&s->table, e)->n >= shelf->holds_below)
		lay_floors(s, e);
	uint64_t due = settle_shelf(s, shelf, span.last);
	shelf->lowest = lowest_group(shelf, span);
	double bound = shelf->group_bound[shelf->lowest];
	/* Nobody is there yet, but somebody will be with the next access. */
	for (unsigned group = 0; group < span.first; group++)
		younger |= shelf->group_bound[group] < bound;
	*limit = younger ? 0 : shelf->holds_below;
	return (struct node){bound, due < next_group ? due : next_group};
}

/* ---- cursors ---- */

/* Of two pages the one whose last access is closer to a time; TD_NIL is closer to none. */
static inline uint32_t closer(const struct leu *s, uint32_t a, uint32_t b, uint64_t time)
{
	if (a == TD_NIL || b == TD_NIL)
		return a == TD_NIL ? b : a;
	int64_t x = (int64_t)(last_of(page_at(s, a)) - time);
	int64_t y = (int64_t)(last_of(page_at(s, b)) - time);
	return (x < 0 ? -x : x) <= (y < 0 ? -y : y) ? a : b;
}

/* The cursor of the nearest bin from this one on that has one, to either side; TD_NIL: none. */
static inline uint32_t older_cursor(const struct shelf *shelf, unsigned bin)
{
	uint64_t set = shelf->set[bin / 64] & UINT64_MAX << (bin % 64);
	unsigned w = bin / 64;
	while (!set && ++w < TD_RIT_WORDS)
		set = shelf->set[w];
	return set ? shelf->cursor[w * 64 + (unsigned)__builtin_ctzll(set)] : TD_NIL;
}

static inline uint32_t younger_cursor(const struct shelf *shelf, unsigned bin)
{
	uint64_t set = shelf->set[bin / 64] & ~(UINT64_MAX << (bin % 64));
	unsigned w = bin / 64;
	while (!set && w-- > 0)
		set = shelf->set[w];
	return set ? shelf->cursor[w * 64 + 63 - (unsigned)__builtin_clzll(set)] : TD_NIL;
}

/* The page from which the way to a time is short. */
static inline uint32_t cursor_start(const struct leu *s, uint32_t e, unsigned bin, uint64_t time)
{
	const struct shelf *shelf = shelf_at(s, e);
	uint32_t head = family_at(s, e)->head - 1;
	if (shelf->set[bin / 64] >> (bin % 64) & 1)
		return shelf->cursor[bin];
	uint32_t start = closer(s, head, page_at(s, head)->prev, time);
	start = closer(s, start, older_cursor(shelf, bin), time);
	return closer(s, start, younger_cursor(shelf, bin), time);
}

/* The page is the next one that the cursor will come to, or leave as a victim. */
__attribute__((always_inline)) static inline void expect(const struct leu *s, uint32_t i)
{
	tide_expect(s->view, (tide_chunk){i});
	__builtin_prefetch(page_at(s, page_at(s, i)->next));
}

/* The youngest page of the family that was accessed at a time or before, from page i on; the head
 * is one. */
static inline uint32_t walk(struct leu *s, uint32_t head, uint32_t i, uint64_t time)
{
	for (; last_of(page_at(s, i)) > time; i = page_at(s, i)->prev)
		s->walked++;
	for (;; s->walked++) {
		uint32_t next = page_at(s, i)->next;
		if (next == head || last_of(page_at(s, next)) > time)
			return i;
		i = next;
	}
}

/* Moves the cursor of a bin to the youngest page in it or beyond, TD_NIL if there is none; *younger
 * is the page after it, TD_NIL if there is none. Pages only grow older, so a cursor only moves to
 * younger ones once it is set. */
static inline uint32_t move_cursor(struct leu *s, uint32_t e, unsigned bin, uint32_t *younger)
{
	struct shelf *shelf = shelf_at(s, e);
	uint32_t head = family_at(s, e)->head - 1;
	uint64_t now = s->view->near->time, low = td_rit_low(bin);
	*younger = head;
	if (age_of(s, head) < low)
		return TD_NIL;
	uint32_t i = walk(s, head, cursor_start(s, e, bin, now - low), now - low);
	uint32_t next = page_at(s, i)->next;
	*younger = next == head ? TD_NIL : next;
	expect(s, next);
	shelf->cursor[bin] = i;
	shelf->set[bin / 64] |= UINT64_C(1) << (bin % 64);
	set_flag(page_at(s, i), MARKED);
	return i;
}

/* A page of the family leaves: cursors there fall back to the next older one. */
static inline void drop_cursors(const struct leu *s, uint32_t e, uint32_t i)
{
	struct shelf *shelf = shelf_at(s, e);
	struct page *at = page_at(s, i);
	for (unsigned w = 0; w < TD_RIT_WORDS; w++)
		for (uint64_t set = shelf->set[w]; set; set &= set - 1) {
			unsigned bin = w * 64 + (unsigned)__builtin_ctzll(set);
			if (shelf->cursor[bin] != i)
				continue;
			if (at->stamp & HEAD)
				shelf->set[w] &= ~(set & -set);
			else
				shelf->cursor[bin] = at->prev;
		}
	if (!(at->stamp & HEAD))
		set_flag(page_at(s, at->prev), MARKED);
	clear_flag(at, MARKED);
}

#endif
