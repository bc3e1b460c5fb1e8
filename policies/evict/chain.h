/* Resident chunks in some order of time. fifo, lrm, lru and mru differ only in what makes a chunk
 * the newest, and in the end of the order from which they take the victim. */
#ifndef TIDE_EVICT_CHAIN_H
#define TIDE_EVICT_CHAIN_H

#include <errno.h>

#include "tide/list.h"
#include "tide/order.h"
#include "tide/policy.h"

struct chain {
	const struct tide_view *view;
	struct tide_order order;
};

static inline struct tide_links chain_slots(const struct chain *s)
{
	return (struct tide_links){s->view->slots, sizeof(uint32_t)};
}

static inline int chain_create(void *self, const struct tide_view *view,
			       const union tide_value *values, struct tide_error *err)
{
	struct chain *s = self;
	(void)values;
	s->view = view;
	if (tide_order_init(&s->order, view->near->capacity_pages))
		return tide_fail(err, -ENOMEM, "out of memory for the order of chunks");
	return 0;
}

static inline void chain_destroy(void *self)
{
	struct chain *s = self;
	tide_order_free(&s->order);
}

static inline void chain_to_newest(struct chain *s, tide_chunk c)
{
	tide_order_put(&s->order, chain_slots(s), c.index);
}

/* A chunk enters when its first page comes in. */
static inline void chain_enter(void *self, tide_chunk c, uint64_t pages)
{
	struct chain *s = self;
	if (tide_came_in(s->view, c, pages))
		chain_to_newest(s, c);
}

static inline void chain_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	(void)p, (void)ref;
	chain_to_newest(self, c);
}

static inline void chain_leave(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct chain *s = self;
	(void)what;
	tide_order_remove(&s->order, chain_slots(s), c.index);
}

static inline tide_chunk chain_oldest(void *self)
{
	struct chain *s = self;
	return tide_order_oldest(&s->order, chain_slots(s), s->view);
}

static inline tide_chunk chain_newest(void *self)
{
	struct chain *s = self;
	return tide_order_newest(&s->order, chain_slots(s), s->view);
}

#endif
