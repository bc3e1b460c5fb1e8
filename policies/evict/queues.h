/* What 2q, s3fifo and slru share. A chunk is in one of a few queues. Some queues are ghosts: they
 * remember chunks that have left. The slot of a chunk says which queue it is in; 0: in none. */
#ifndef TIDE_EVICT_QUEUES_H
#define TIDE_EVICT_QUEUES_H

#include <errno.h>

#include "tide/order.h"

#define QUEUES 5

struct queued {
	uint32_t place; /* in the order of its queue; must be first */
	uint8_t queue, used;
};

struct queues {
	const struct tide_view *view;
	struct tide_order order[QUEUES]; /* 0 is not used */
};

static inline void queues_free(struct queues *q)
{
	for (int i = 1; i < QUEUES; i++)
		tide_order_free(&q->order[i]);
}

static inline int queues_init(struct queues *q, const struct tide_view *view,
			      struct tide_error *err)
{
	int rc = 0;
	q->view = view;
	for (unsigned i = 1; i < QUEUES && !rc; i++)
		rc = tide_order_init_one(&q->order[i], view->near->capacity_pages, i);
	if (!rc)
		return 0;
	queues_free(q);
	return tide_fail(err, -ENOMEM, "out of memory for the queues of pages");
}

static inline struct queued *queued(const struct queues *q, uint32_t i)
{
	return tide_slot(q->view, struct queued, (tide_chunk){i});
}

static inline struct tide_links queues_slots(const struct queues *q)
{
	return (struct tide_links){q->view->slots, sizeof(struct queued)};
}

static inline uint64_t queues_length(const struct queues *q, uint8_t which)
{
	return q->order[which].n;
}

/* Moves a chunk from its queue to the newest end of another; 0: to no queue. */
static inline void queues_move(struct queues *q, uint32_t i, uint8_t to)
{
	struct queued *at = queued(q, i);
	if (at->queue && at->queue != to)
		tide_order_remove(&q->order[at->queue], queues_slots(q), i);
	at->queue = to;
	if (to)
		tide_order_put(&q->order[to], queues_slots(q), i);
}

/* The oldest member, valid or not. */
static inline uint32_t queues_first(struct queues *q, uint8_t which)
{
	return tide_order_first(&q->order[which], queues_slots(q), q->view).index;
}

/* Forgets the oldest members until at most n are left. */
static inline void queues_trim(struct queues *q, uint8_t which, uint64_t n)
{
	while (q->order[which].n > n)
		queues_move(q, queues_first(q, which), 0);
}

/* The oldest valid member. */
static inline tide_chunk queues_oldest(struct queues *q, uint8_t which)
{
	return tide_order_oldest(&q->order[which], queues_slots(q), q->view);
}

/* Is this the access that brought the chunk in? It does not count as a reuse. */
static inline bool queues_faulting(const struct queues *q, tide_chunk c)
{
	return q->view->near->fault_chunk.index == c.index;
}

#endif
