/* leu's cursors, which find the youngest page of a bin again in a few steps. Also: what happens to
 * the bin of a page that was chosen. */
#ifndef TIDE_EVICT_LEU_CURSORS_H
#define TIDE_EVICT_LEU_CURSORS_H

#include "leu_bounds.h"

/* The one of two pages whose last access is closer to a time. TIDE_NIL is never closer. */
static inline uint32_t closer(const struct leu *s, uint32_t a, uint32_t b, uint64_t time)
{
	if (a == TIDE_NIL || b == TIDE_NIL)
		return a == TIDE_NIL ? b : a;
	int64_t x = (int64_t)(last_of(page_at(s, a)) - time);
	int64_t y = (int64_t)(last_of(page_at(s, b)) - time);
	return (x < 0 ? -x : x) <= (y < 0 ? -y : y) ? a : b;
}

/* The cursor of the nearest older bin, from this one on, that has a cursor; then the same for
 * younger bins. TIDE_NIL: there is none. */
static inline uint32_t older_cursor(const struct shelf *shelf, unsigned bin)
{
	uint64_t set = shelf->set[bin / 64] & UINT64_MAX << (bin % 64);
	unsigned w = bin / 64;
	while (!set && ++w < TIDE_RIT_WORDS)
		set = shelf->set[w];
	return set ? shelf->cursor[w * 64 + (unsigned)__builtin_ctzll(set)] : TIDE_NIL;
}

static inline uint32_t younger_cursor(const struct shelf *shelf, unsigned bin)
{
	uint64_t set = shelf->set[bin / 64] & ~(UINT64_MAX << (bin % 64));
	unsigned w = bin / 64;
	while (!set && w-- > 0)
		set = shelf->set[w];
	return set ? shelf->cursor[w * 64 + 63 - (unsigned)__builtin_clzll(set)] : TIDE_NIL;
}

/* A page from which the walk to a time is short. */
static inline uint32_t cursor_start(const struct leu *s, uint32_t e, unsigned bin, uint64_t time)
{
	const struct shelf *shelf = shelf_at(s, e);
	const struct ring *ring = ring_at(s, e);
	if (shelf->set[bin / 64] >> (bin % 64) & 1)
		return shelf->cursor[bin];
	uint32_t start = closer(s, ring->oldest - 1, ring->youngest - 1, time);
	start = closer(s, start, older_cursor(shelf, bin), time);
	return closer(s, start, younger_cursor(shelf, bin), time);
}

/* The youngest page of the ring that was accessed at `time` or before. The walk starts at page i.
 * The ring's oldest page was accessed at `time` or before. */
static inline uint32_t walk(struct leu *s, uint32_t i, uint64_t time)
{
	for (; last_of(page_at(s, i)) > time; i = page_at(s, i)->prev)
		s->walked++;
	for (;; s->walked++) {
		const struct page *at = page_at(s, i);
		if (at->word & YOUNGEST || last_of(page_at(s, at->next)) > time)
			return i;
		i = at->next;
	}
}

/* The time of the last access of the page that comes into a bin next. Page i is in the bin. */
static inline uint64_t next_last(const struct leu *s, struct shelf *shelf, unsigned bin, uint32_t i)
{
	const struct page *at = page_at(s, i);
	if (at->word & YOUNGEST)
		return now_of(s);
	const struct page *next = page_at(s, at->next);
	shelf->coming[bin] = at->next;
	shelf->after_it[bin] = next->word & YOUNGEST ? at->next : next->next;
	return last_of(next);
}

/* Moves the cursor of a bin to the youngest page in the bin or beyond; TIDE_NIL: there is none.
 * *due is when a younger page can come there. Pages only grow older, so a cursor that is set only
 * moves to younger pages. */
static inline uint32_t move_cursor(struct leu *s, uint32_t e, unsigned bin, uint64_t *due)
{
	struct shelf *shelf = shelf_at(s, e);
	uint32_t oldest = ring_at(s, e)->oldest - 1;
	uint64_t now = now_of(s), since = tide_rit_since(&s->table, bin);
	*due = since + last_of(page_at(s, oldest));
	if (*due > now)
		return TIDE_NIL;
	uint32_t i = walk(s, cursor_start(s, e, bin, now - since), now - since);
	struct page *at = page_at(s, i);
	*due = since + next_last(s, shelf, bin, i);
	if (!(at->word & OLDEST))
		__builtin_prefetch(page_at(s, at->prev), 1);
	shelf->cursor[bin] = i;
	shelf->set[bin / 64] |= UINT64_C(1) << (bin % 64);
	at->word = word_of(last_of(at), e) | (at->word & ((1u << FLAG_BITS) - 1)) | MARKED;
	return i;
}

/* A page of the ring leaves: cursors on it fall back to the next older page. */
static inline void drop_cursors(const struct leu *s, uint32_t e, uint32_t i)
{
	struct shelf *shelf = shelf_at(s, e);
	const struct page *at = page_at(s, i);
	bool moved = false;
	for (unsigned w = 0; w < TIDE_RIT_WORDS; w++)
		for (uint64_t set = shelf->set[w]; set; set &= set - 1) {
			unsigned bin = w * 64 + (unsigned)__builtin_ctzll(set);
			if (shelf->cursor[bin] != i)
				continue;
			moved = true;
			shelf->cursor[bin] = at->prev;
			if (at->word & OLDEST)
				shelf->set[w] &= ~(set & -set);
		}
	if (moved && !(at->word & OLDEST)) {
		struct page *older = page_at(s, at->prev);
		older->word = word_of(last_of(older), e) | (older->word & ((1u << FLAG_BITS) - 1)) |
			      MARKED;
	}
}

/* ---- the chosen page ---- */

/* The chosen page stays: its bin gets its bound again. */
static inline void keep_chosen(struct leu *s)
{
	if (s->chosen.page)
		set_bound(shelf_at(s, s->chosen.entry), s->chosen.bin, s->chosen.bound);
	s->chosen.page = 0;
}

/* The chosen page leaves, and is still in its ring. If the next older page is in the same bin, the
 * same l gives a bound for it. */
static inline void drop_chosen(struct leu *s)
{
	const struct chosen *c = &s->chosen;
	struct shelf *shelf = shelf_at(s, c->entry);
	const struct page *at = page_at(s, c->page - 1), *older = page_at(s, at->prev);
	uint64_t next_bin = tide_rit_since(&s->table, c->bin + 1);
	shelf->found[c->bin] = HUGE_VAL;
	if (!(at->word & OLDEST) && now_of(s) - last_of(older) < next_bin) {
		uint64_t ahead = c->ahead - (last_of(at) - last_of(older));
		shelf->found[c->bin] = (double)c->k / (double)ahead;
		set_bound(shelf, c->bin, bound_of(shelf->found[c->bin] * c->each));
	}
	s->chosen.page = 0;
}

#endif
