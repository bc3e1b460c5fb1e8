/* A list of resident chunks in some order of time. fifo, lrm, lru and mru differ only in what moves
 * a chunk to the tail, and in the end of the list from which they take the victim. */
#ifndef TIDE_EVICT_CHAIN_H
#define TIDE_EVICT_CHAIN_H

#include "tide/list.h"
#include "tide/policy.h"

struct chain {
	const struct tide_view *view;
	struct tide_list list;
};

static inline struct tide_links chain_links(const struct chain *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct tide_link)};
}

static inline int chain_create(void *self, const struct tide_view *view,
			       const union tide_value *values, struct tide_error *err)
{
	struct chain *s = self;
	(void)values, (void)err;
	s->view = view;
	tide_list_init(&s->list);
	return 0;
}

/* A chunk enters at the tail when its first page comes in. */
static inline void chain_enter(void *self, tide_chunk c, uint64_t pages)
{
	struct chain *s = self;
	if (tide_came_in(s->view, c, pages))
		tide_list_push_tail(&s->list, chain_links(s), c.index);
}

static inline void chain_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct chain *s = self;
	(void)p, (void)ref;
	tide_list_to_tail(&s->list, chain_links(s), c.index);
}

static inline void chain_leave(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct chain *s = self;
	(void)what;
	tide_list_remove(&s->list, chain_links(s), c.index);
	tide_list_expect(&s->list, chain_links(s));
	tide_expect(s->view, (tide_chunk){s->list.head});
}

/* The first valid chunk from an entry on, towards the tail. */
static inline tide_chunk chain_valid_from(const struct tide_view *view, struct tide_links links,
					  uint32_t from)
{
	tide_chunk c = {from};
	while (c.index != TIDE_NIL && !tide_valid(view, c))
		c.index = tide_link_at(links, c.index)->next;
	return c;
}

/* The first valid chunk from the head. */
static inline tide_chunk chain_oldest(void *self)
{
	struct chain *s = self;
	return chain_valid_from(s->view, chain_links(s), s->list.head);
}

/* The first valid chunk from an entry on, towards the head. */
static inline tide_chunk chain_valid_back(const struct tide_view *view, struct tide_links links,
					  uint32_t from)
{
	tide_chunk c = {from};
	while (c.index != TIDE_NIL && !tide_valid(view, c))
		c.index = tide_link_at(links, c.index)->prev;
	return c;
}

/* The first valid chunk from the tail. */
static inline tide_chunk chain_newest(void *self)
{
	struct chain *s = self;
	return chain_valid_back(s->view, chain_links(s), s->list.tail);
}

#endif
