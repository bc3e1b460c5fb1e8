/* What gdsf and lrfu share: pages have a rank, and the page with the lowest one leaves. Of equal
 * ranks the least recently used page leaves. A slot begins with a struct ranked, and the policy's
 * state with a struct ranks. */
#ifndef TIDE_EVICT_RANKS_H
#define TIDE_EVICT_RANKS_H

#include "heap.h"

struct ranked {
	struct heap_node node;
	double rank;
	uint64_t last; /* time of the last use, or of coming in */
};

struct ranks {
	const struct tide_view *view;
	struct heap heap;
};

static inline struct ranked *ranked(const struct ranks *s, uint32_t i)
{
	return (struct ranked *)(void *)heap_node(&s->heap, i);
}

static bool ranks_before(const void *self, uint32_t a, uint32_t b)
{
	const struct ranks *s = self;
	const struct ranked *x = ranked(s, a), *y = ranked(s, b);
	if (x->rank < y->rank || x->rank > y->rank)
		return x->rank < y->rank;
	if (x->last != y->last)
		return x->last < y->last;
	return heap_lower_number(s->view, a, b);
}

static inline void ranks_init(struct ranks *s, const struct tide_view *view, size_t slot_bytes)
{
	s->view = view;
	s->heap = (struct heap){view, slot_bytes, 0, ranks_before, s};
}

/* A page has come in. */
static inline void ranks_add(struct ranks *s, uint32_t i, double rank)
{
	struct ranked *at = ranked(s, i);
	at->rank = rank;
	at->last = s->view->near->time;
	heap_add(&s->heap, i);
}

/* A page is used. */
static inline void ranks_use(struct ranks *s, uint32_t i, double rank)
{
	struct ranked *at = ranked(s, i);
	at->rank = rank;
	at->last = s->view->near->time;
	heap_moved(&s->heap, i);
}

#endif
