/* What arc, 2q and s3fifo share: a chunk is in one of a few queues, some of which are ghosts:
 * they remember chunks that have left. The slot says which; 0 is none. */
#ifndef TIDE_EVICT_QUEUES_H
#define TIDE_EVICT_QUEUES_H

#include "trail.h"

#define QUEUES 5

struct queues {
	const struct tide_view *view;
	struct td_list list[QUEUES]; /* the head is the oldest; 0 is not used */
	struct trail trail[QUEUES];
};

static inline void queues_init(struct queues *q, const struct tide_view *view)
{
	q->view = view;
	for (int i = 0; i < QUEUES; i++)
		td_list_init(&q->list[i]);
}

static inline struct walked *queued(const struct queues *q, uint32_t i)
{
	return tide_slot(q->view, struct walked, (tide_chunk){i});
}

static inline struct td_links queues_links(const struct queues *q)
{
	return walked_links(q->view);
}

/* To the newest end of a queue, out of the one it is in; 0: out of all. */
static inline void queues_move(struct queues *q, uint32_t i, uint8_t to)
{
	const struct tide_view view = *q->view; /* so that stores do not make it be loaded again */
	struct walked *at = tide_slot(&view, struct walked, (tide_chunk){i});
	if (at->queue)
		td_list_remove(&q->list[at->queue], walked_links(&view), i);
	at->queue = to;
	if (to) {
		td_list_push_tail(&q->list[to], walked_links(&view), i);
		trail_put(&q->trail[to], &view, i);
	}
}

/* Forgets the oldest members until at most n are left. */
static inline void queues_trim(struct queues *q, uint8_t which, uint64_t n)
{
	while (q->list[which].n > n) {
		uint32_t oldest = q->list[which].head;
		trail_look(q->view, queued(q, oldest));
		queues_move(q, oldest, 0);
	}
}

/* The oldest valid member. */
static inline tide_chunk queues_oldest(const struct queues *q, uint8_t which)
{
	tide_chunk c = {q->list[which].head};
	while (c.index != TD_NIL && !tide_valid(q->view, c))
		c.index = queued(q, c.index)->link.next;
	if (c.index != TD_NIL)
		trail_look(q->view, queued(q, c.index));
	return c;
}

/* Is this the access that brought the chunk in? It does not count as a reuse. */
static inline bool queues_faulting(const struct queues *q, tide_chunk c)
{
	return q->view->near->fault_chunk.index == c.index;
}

#endif
