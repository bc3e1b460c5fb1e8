/* leu's lists: the pages of each ref, oldest first.
 *
 * Every resident page is in the ring of the ref that accessed it last. The ring of a ref with an
 * entry has the entry's number. A ring without an entry is an orphan. All its pages have priority
 * 0, so only the oldest page of all orphans matters. Orphans mostly come in order of age, and then
 * stand in line. The others are strewn over a tree. If a ref gets an entry again, a hash leads to
 * its ring. Pages that came in before their first access have no ref yet: they are strangers. */
#ifndef TIDE_EVICT_LEU_PAGES_H
#define TIDE_EVICT_LEU_PAGES_H

#include "leu_state.h"

/* ---- rings ---- */

static inline uint32_t strangers_of(const struct leu *s)
{
	return s->table.capacity;
}

/* Puts a page at the young end of a ring. `word` has no flags. */
static inline void append(struct leu *s, uint32_t i, uint32_t ring, uint64_t word)
{
	struct ring *r = ring_at(s, ring);
	struct page *at = page_at(s, i);
	at->next = ring;
	if (r->youngest) {
		struct page *before = page_at(s, r->youngest - 1);
		at->prev = r->youngest - 1;
		before->next = i;
		clear_flag(before, YOUNGEST);
		at->word = word | LISTED | YOUNGEST;
	} else {
		at->prev = ring;
		r->oldest = i + 1;
		at->word = word | LISTED | YOUNGEST | OLDEST;
	}
	r->youngest = i + 1;
}

/* Except at the ends, neighbours are written and not read, so the processor need not wait for
 * them. */
static inline void unlink_older(struct leu *s, const struct page *at, bool alone)
{
	if (at->word & OLDEST) {
		ring_at(s, at->prev)->oldest = alone ? 0 : at->next + 1;
		return;
	}
	page_at(s, at->prev)->next = at->next;
	if (at->word & YOUNGEST)
		set_flag(page_at(s, at->prev), YOUNGEST);
}

static inline void unlink_younger(struct leu *s, const struct page *at, bool alone)
{
	if (at->word & YOUNGEST) {
		ring_at(s, at->next)->youngest = alone ? 0 : at->prev + 1;
		return;
	}
	page_at(s, at->next)->prev = at->prev;
	if (at->word & OLDEST)
		set_flag(page_at(s, at->next), OLDEST);
}

static inline void move_ring(struct leu *s, uint32_t from, uint32_t to)
{
	struct ring r = *ring_at(s, from);
	*ring_at(s, to) = r;
	*ring_at(s, from) = (struct ring){0};
	if (!r.oldest)
		return;
	page_at(s, r.oldest - 1)->prev = to;
	page_at(s, r.youngest - 1)->next = to;
}

/* Puts all pages of a ring behind those of another. */
static inline void join_rings(struct leu *s, uint32_t from, uint32_t to)
{
	struct ring *a = ring_at(s, to), *b = ring_at(s, from);
	if (!a->oldest) {
		move_ring(s, from, to);
		return;
	}
	page_at(s, a->youngest - 1)->next = b->oldest - 1;
	clear_flag(page_at(s, a->youngest - 1), YOUNGEST);
	page_at(s, b->oldest - 1)->prev = a->youngest - 1;
	clear_flag(page_at(s, b->oldest - 1), OLDEST);
	page_at(s, b->youngest - 1)->next = to;
	a->youngest = b->youngest;
	*b = (struct ring){0};
}

/* ---- orphans ---- */

static inline struct orphan *orphan_at(const struct leu *s, uint32_t o)
{
	return (struct orphan *)(void *)s->orphans.at + o;
}

static inline uint32_t orphan_ring(const struct leu *s, uint32_t o)
{
	return s->table.capacity + 1 + o;
}

static uint64_t last_access(const void *arg, uint32_t o)
{
	const struct leu *s = arg;
	return last_of(page_at(s, ring_at(s, orphan_ring(s, o))->oldest - 1));
}

static inline struct tide_osview strewn_view(const struct leu *s)
{
	return (struct tide_osview){
		{s->orphans.at + offsetof(struct orphan, strewn), sizeof(struct orphan)},
		last_access,
		s,
	};
}

static inline struct tide_links line_links(const struct leu *s)
{
	return (struct tide_links){s->orphans.at + offsetof(struct orphan, queued),
				   sizeof(struct orphan)};
}

static inline uint32_t *bucket_of(const struct leu *s, uint64_t ref)
{
	return (uint32_t *)(void *)s->buckets.at + (tide_hash64(ref) & s->bucket_mask);
}

/* The orphan of a ref, or TIDE_NIL. If every page is its own ref, a ref has no other pages. */
static inline uint32_t find_orphan(const struct leu *s, uint64_t ref)
{
	if (s->by_page)
		return TIDE_NIL;
	uint32_t o = *bucket_of(s, ref);
	while (o && orphan_at(s, o - 1)->ref != ref)
		o = orphan_at(s, o - 1)->chain;
	return o - 1;
}

/* A new orphan without pages. TIDE_NIL: there is no memory for it. */
static inline uint32_t make_orphan(struct leu *s, uint64_t ref)
{
	uint32_t o = s->orphans_free - 1;
	if (o != TIDE_NIL)
		s->orphans_free = orphan_at(s, o)->chain;
	else if (!tide_vec_reserve(&s->orphans, (uint64_t)s->orphans_used + 1) &&
		 !tide_vec_reserve(&s->rings, orphan_ring(s, s->orphans_used) + UINT64_C(1)))
		o = s->orphans_used++;
	else
		return TIDE_NIL;
	*orphan_at(s, o) = (struct orphan){.ref = ref};
	if (!s->by_page) {
		orphan_at(s, o)->chain = *bucket_of(s, ref);
		*bucket_of(s, ref) = o + 1;
	}
	return o;
}

static inline void free_orphan(struct leu *s, uint32_t o)
{
	struct orphan *at = orphan_at(s, o);
	uint32_t *link = bucket_of(s, at->ref);
	while (!s->by_page && *link != o + 1)
		link = &orphan_at(s, *link - 1)->chain;
	if (!s->by_page)
		*link = at->chain;
	at->chain = s->orphans_free;
	s->orphans_free = o + 1;
}

/* Gives an orphan that has pages its place among the others. */
static inline void order_orphan(struct leu *s, uint32_t o)
{
	struct tide_osview strewn = strewn_view(s);
	bool in_line = s->line.n == 0 || last_access(s, s->line.tail) < last_access(s, o);
	orphan_at(s, o)->in_line = in_line;
	if (in_line)
		tide_list_push_tail(&s->line, line_links(s), o);
	else
		tide_ostree_add(&s->strewn, &strewn, o);
}

/* Call it before the orphan's oldest page changes. */
static inline void unorder_orphan(struct leu *s, uint32_t o)
{
	struct tide_osview strewn = strewn_view(s);
	if (orphan_at(s, o)->in_line)
		tide_list_remove(&s->line, line_links(s), o);
	else
		tide_ostree_remove(&s->strewn, &strewn, o);
}

/* The page of an orphan that was accessed longest ago, or TIDE_NIL. */
static inline uint32_t oldest_orphan(const struct leu *s)
{
	struct tide_osview view = strewn_view(s);
	uint32_t o = s->line.head, strewn = TIDE_NIL;
	if (s->strewn.root_plus_1)
		strewn = tide_ostree_select(&s->strewn, &view, 0);
	if (strewn != TIDE_NIL && (o == TIDE_NIL || last_access(s, strewn) < last_access(s, o)))
		o = strewn;
	return o == TIDE_NIL ? TIDE_NIL : ring_at(s, orphan_ring(s, o))->oldest - 1;
}

/* ---- pages ---- */

/* Takes a page out of its ring. */
static inline void unlist(struct leu *s, uint32_t i)
{
	struct page *at = page_at(s, i);
	bool first = at->word & OLDEST, alone = first && at->word & YOUNGEST;
	uint32_t orphan = TIDE_NIL;
	if (first && at->prev > strangers_of(s)) {
		orphan = at->prev - strangers_of(s) - 1;
		unorder_orphan(s, orphan);
	}
	unlink_older(s, at, alone);
	unlink_younger(s, at, alone);
	if (orphan != TIDE_NIL && alone)
		free_orphan(s, orphan);
	else if (orphan != TIDE_NIL)
		order_orphan(s, orphan);
}

/* Lists a page under a ref without an entry. If memory has run out, the page is a stranger, and
 * will be among the first to leave. */
static __attribute__((noinline)) void list_orphan(struct leu *s, uint32_t i, uint64_t ref,
						  uint64_t word)
{
	uint32_t orphan = find_orphan(s, ref);
	if (orphan != TIDE_NIL) {
		append(s, i, orphan_ring(s, orphan), word);
		return;
	}
	orphan = make_orphan(s, ref);
	append(s, i, orphan != TIDE_NIL ? orphan_ring(s, orphan) : strangers_of(s), word);
	if (orphan != TIDE_NIL)
		order_orphan(s, orphan);
}

/* An entry goes to another ref. The entry's ring becomes an orphan. If the new ref has an orphan,
 * that becomes the entry's ring. */
static inline void change_ref(struct leu *s, uint32_t e, uint64_t ref)
{
	uint32_t left = TIDE_NIL, found = find_orphan(s, ref);
	if (ring_at(s, e)->oldest) {
		left = make_orphan(s, family_at(s, e)->ref);
		if (left == TIDE_NIL) {
			join_rings(s, e, strangers_of(s));
		} else {
			move_ring(s, e, orphan_ring(s, left));
			order_orphan(s, left);
		}
	}
	if (found != TIDE_NIL) {
		unorder_orphan(s, found);
		move_ring(s, orphan_ring(s, found), e);
		free_orphan(s, found);
	}
	family_at(s, e)->ref = ref;
}

#endif
