/* What arc, 2q and s3fifo share. A chunk is in one of a few queues. Some queues are ghosts: they
 * remember chunks that have left. The slot of a chunk says which queue it is in; 0: in none. */
#ifndef TIDE_EVICT_QUEUES_H
#define TIDE_EVICT_QUEUES_H

#include "tide/trail.h"

#define QUEUES 5

struct queues {
	const struct tide_view *view;
	struct tide_list list[QUEUES]; /* the head is the oldest; 0 is not used */
	struct tide_trail trail[QUEUES];
};

static inline void queues_init(struct queues *q, const struct tide_view *view)
{
	q->view = view;
	for (int i = 0; i < QUEUES; i++)
		tide_list_init(&q->list[i]);
}

static inline struct tide_walked *queued(const struct queues *q, uint32_t i)
{
	return tide_slot(q->view, struct tide_walked, (tide_chunk){i});
}

static inline struct tide_links queues_links(const struct queues *q)
{
	return tide_walked_links(q->view);
}

/* Moves a chunk from its queue to the newest end of another; 0: to no queue. */
static inline void queues_move(struct queues *q, uint32_t i, uint8_t to)
{
	const struct tide_view view = *q->view; /* a copy is not loaded again after each store */
	struct tide_walked *at = tide_slot(&view, struct tide_walked, (tide_chunk){i});
	if (at->queue)
		tide_list_remove(&q->list[at->queue], tide_walked_links(&view), i);
	at->queue = to;
	if (to) {
		tide_list_push_tail(&q->list[to], tide_walked_links(&view), i);
		tide_trail_put(&q->trail[to], &view, i);
	}
}

/* Forgets the oldest members until at most n are left. */
static inline void queues_trim(struct queues *q, uint8_t which, uint64_t n)
{
	while (q->list[which].n > n) {
		uint32_t oldest = q->list[which].head;
		tide_trail_look(q->view, queued(q, oldest));
		queues_move(q, oldest, 0);
	}
}

/* The oldest valid member. */
static inline tide_chunk queues_oldest(const struct queues *q, uint8_t which)
{
	tide_chunk c = {q->list[which].head};
	while (c.index != TIDE_NIL && !tide_valid(q->view, c))
		c.index = queued(q, c.index)->link.next;
	if (c.index != TIDE_NIL)
		tide_trail_look(q->view, queued(q, c.index));
	return c;
}

/* Is this the access that brought the chunk in? It does not count as a reuse. */
static inline bool queues_faulting(const struct queues *q, tide_chunk c)
{
	return q->view->near->fault_chunk.index == c.index;
}

#endif
