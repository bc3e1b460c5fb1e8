/* A heap of chunks in the order in which a policy wants them to leave. Its memory is in the slots:
 * a slot begins with a struct heap_node. The node of slot p says which chunk is at place p of the
 * heap, and the node of a chunk says at which place the chunk is. There are never more members than
 * slots, so the heap needs no room of its own.
 *
 *     place        0   1   2   3
 *     slot[].at    7   2   9   4      children of place p: 2p + 1 and 2p + 2 */
#ifndef TIDE_EVICT_HEAP_H
#define TIDE_EVICT_HEAP_H

#include "tide/list.h"
#include "tide/policy.h"

struct heap_node {
	uint32_t at;           /* the chunk at the place that has this slot's number */
	uint32_t place_plus_1; /* of this chunk; 0: it is not in the heap */
};

struct heap {
	const struct tide_view *view;
	size_t slot_bytes;
	uint32_t n;
	/* Does chunk a leave before chunk b? `self` is the policy's state. */
	bool (*before)(const void *self, uint32_t a, uint32_t b);
	const void *self;
};

static inline struct heap_node *heap_node(const struct heap *h, uint32_t i)
{
	return (struct heap_node *)(void *)(h->view->slots + (size_t)i * h->slot_bytes);
}

static inline bool heap_has(const struct heap *h, uint32_t i)
{
	return heap_node(h, i)->place_plus_1 != 0;
}

static inline void heap_set(const struct heap *h, uint32_t place, uint32_t i)
{
	heap_node(h, place)->at = i;
	heap_node(h, i)->place_plus_1 = place + 1;
}

static inline void heap_rise(const struct heap *h, uint32_t place, uint32_t i)
{
	while (place) {
		uint32_t above = heap_node(h, (place - 1) / 2)->at;
		if (!h->before(h->self, i, above))
			break;
		heap_set(h, place, above);
		place = (place - 1) / 2;
	}
	heap_set(h, place, i);
}

/* The child of a place that leaves first, or TIDE_NIL. */
static inline uint32_t heap_child(const struct heap *h, uint32_t place)
{
	uint64_t left = 2 * (uint64_t)place + 1;
	if (left >= h->n)
		return TIDE_NIL;
	if (left + 1 < h->n && h->before(h->self, heap_node(h, (uint32_t)left + 1)->at,
					 heap_node(h, (uint32_t)left)->at))
		left++;
	return (uint32_t)left;
}

static inline void heap_sink(const struct heap *h, uint32_t place, uint32_t i)
{
	for (;;) {
		uint32_t child = heap_child(h, place);
		if (child == TIDE_NIL || !h->before(h->self, heap_node(h, child)->at, i))
			break;
		heap_set(h, place, heap_node(h, child)->at);
		place = child;
	}
	heap_set(h, place, i);
}

static inline void heap_add(struct heap *h, uint32_t i)
{
	heap_rise(h, h->n++, i);
}

/* Call it after chunk i has got another rank, whether it leaves earlier now or later. */
static inline void heap_moved(const struct heap *h, uint32_t i)
{
	heap_rise(h, heap_node(h, i)->place_plus_1 - 1, i);
	heap_sink(h, heap_node(h, i)->place_plus_1 - 1, i);
}

static inline void heap_remove(struct heap *h, uint32_t i)
{
	uint32_t place = heap_node(h, i)->place_plus_1 - 1;
	uint32_t last = heap_node(h, --h->n)->at;
	heap_node(h, i)->place_plus_1 = 0;
	if (last == i)
		return;
	heap_set(h, place, last);
	heap_moved(h, last);
}

/* The first member below a place that may leave and leaves before `best`; `best` if there is none.
 * Members below one that may leave come after it, so the search stays near the top. */
static inline uint32_t heap_search(const struct heap *h, bool (*may)(const void *self, uint32_t i),
				   uint64_t place, uint32_t best)
{
	if (place >= h->n)
		return best;
	uint32_t i = heap_node(h, (uint32_t)place)->at;
	if (best != TIDE_NIL && !h->before(h->self, i, best))
		return best;
	if (may ? may(h->self, i) : tide_valid(h->view, (tide_chunk){i}))
		return i;
	best = heap_search(h, may, 2 * place + 1, best);
	return heap_search(h, may, 2 * place + 2, best);
}

/* The first member for which may() says true; NULL: the first valid one. */
static inline tide_chunk heap_first(const struct heap *h, bool (*may)(const void *self, uint32_t i))
{
	return (tide_chunk){heap_search(h, may, 0, TIDE_NIL)};
}

/* For ties that no rule decides. */
static inline bool heap_lower_number(const struct tide_view *v, uint32_t a, uint32_t b)
{
	return tide_chunk_number(v, (tide_chunk){a}) < tide_chunk_number(v, (tide_chunk){b});
}

#endif
