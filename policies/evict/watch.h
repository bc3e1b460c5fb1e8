/* What policies with pick_observed() share: finding the first unobserved entry of a list, without
 * walking past the observed entries every time.
 *
 *     head  o o o o o . o . . .  tail        o: observed
 *                     ^ at
 *
 * All entries before `at` are observed. That stays true as long as entries come in at the tail, and
 * a chunk whose observation ends is removed or moved to the tail. A policy that leaves such a chunk
 * in its place calls watch_restart(). So a walk passes each entry once, not once per question. */
#ifndef TIDE_EVICT_WATCH_H
#define TIDE_EVICT_WATCH_H

#include "tide/list.h"
#include "tide/policy.h"

struct watch {
	struct tide_list list;
	uint32_t at; /* TIDE_NIL: all entries are observed */
};

static inline void watch_init(struct watch *w)
{
	tide_list_init(&w->list);
	w->at = TIDE_NIL;
}

static inline void watch_push_tail(struct watch *w, struct tide_links links, uint32_t i)
{
	tide_list_push_tail(&w->list, links, i);
	if (w->at == TIDE_NIL)
		w->at = i;
}

static inline void watch_push_head(struct watch *w, struct tide_links links, uint32_t i)
{
	tide_list_push_head(&w->list, links, i);
	w->at = i;
}

static inline void watch_remove(struct watch *w, struct tide_links links, uint32_t i)
{
	if (w->at == i)
		w->at = tide_link_at(links, i)->next;
	tide_list_remove(&w->list, links, i);
}

static inline void watch_restart(struct watch *w)
{
	w->at = w->list.head;
}

/* The unobserved chunk nearest the head, or TIDE_NO_CHUNK. */
static inline tide_chunk watch_first(struct watch *w, struct tide_links links,
				     const struct tide_view *view)
{
	while (w->at != TIDE_NIL && tide_observed(view, (tide_chunk){w->at}))
		w->at = tide_link_at(links, w->at)->next;
	return (tide_chunk){w->at};
}

/* Of a policy whose first parameters are TIDE_OBSERVE_PARAMS: with observe=0 it lives on faults. */
static inline unsigned watch_needs_with(const union tide_value *values)
{
	return values[0].i ? TIDE_NEEDS_NOTICES : 0;
}

/* ---- any list ---- */

/* The first valid chunk from an entry on, towards the tail. */
static inline tide_chunk list_valid_from(const struct tide_view *view, struct tide_links links,
					 uint32_t from)
{
	tide_chunk c = {from};
	while (c.index != TIDE_NIL && !tide_valid(view, c))
		c.index = tide_link_at(links, c.index)->next;
	return c;
}

/* The first valid chunk from an entry on, towards the head. */
static inline tide_chunk list_valid_back(const struct tide_view *view, struct tide_links links,
					 uint32_t from)
{
	tide_chunk c = {from};
	while (c.index != TIDE_NIL && !tide_valid(view, c))
		c.index = tide_link_at(links, c.index)->prev;
	return c;
}

#endif
