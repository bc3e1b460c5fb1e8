/* Chunks that may not leave for a while, where chunks move as a whole: those that work under way
 * names. The bitmap of chunks in the plan has them too, so policies skip them as they skip those.
 */
#include <errno.h>

#include "ask.h"

static uint64_t *word_of(struct td_engine *e, tide_chunk c)
{
	return &((uint64_t *)(void *)e->planned.at)[c.index / 64];
}

void td_engine_hold(struct td_engine *e, tide_chunk c)
{
	td_assert(e->whole && resident(e, c.index) && !is_held(e, c.index));
	*word_of(e, c) |= UINT64_C(1) << (c.index % 64);
	e->held_chunks++;
	e->held_pages += td_lanes_count(resident(e, c.index));
	e->near.planned = (const uint64_t *)(void *)e->planned.at;
}

void td_engine_release(struct td_engine *e, tide_chunk c)
{
	td_assert(is_held(e, c.index));
	*word_of(e, c) &= ~(UINT64_C(1) << (c.index % 64));
	e->held_chunks--;
	e->held_pages -= td_lanes_count(resident(e, c.index));
	if (!e->held_chunks)
		e->near.planned = NULL;
}

bool td_engine_has_room(const struct td_engine *e, uint64_t pages)
{
	return e->held_pages + pages <= e->near.capacity_pages;
}

void td_engine_touch_whole(struct td_engine *e, tide_chunk c)
{
	struct td_lanes l = load(e, c.index);
	l.touched = l.resident;
	store(e, c.index, l);
}

/* Evicts as a fault would, for no page: the victims leave, and nothing comes. */
static int shrink(struct td_engine *e, uint64_t pages, struct tide_error *err)
{
	int rc = 0;
	td_set_begin(e, 0);
	e->near.blocked_chunks = e->held_chunks;
	while (!rc && e->near.free_pages < pages && e->near.resident_chunks > e->held_chunks) {
		tide_chunk victim;
		rc = td_ask_victim(e, &victim, err);
		if (!rc)
			rc = td_engine_cold(e, victim, err);
	}
	return rc;
}

int td_engine_resize(struct td_engine *e, uint64_t *near_pages, struct tide_error *err)
{
	uint64_t was = e->near.capacity_pages, less = was > *near_pages ? was - *near_pages : 0;
	int rc = less ? shrink(e, less, err) : 0;
	if (less > e->near.free_pages)
		less = e->near.free_pages;
	*near_pages = less ? was - less : *near_pages > was ? *near_pages : was;
	e->near.free_pages = e->near.free_pages + *near_pages - was;
	e->near.capacity_pages = *near_pages;
	CALLED(e);
	return rc;
}
