/* Slots of a shard: tier 2, and pages on their way to and from files. One lane calls these
 * functions and holds the shard's lock, unless they say otherwise.
 *
 *     free ---> tier 2 (in order of arrival) ---> free        promoted
 *      |              +--> writing                            replaced while dirty
 *      +---> writing ---> free                                a dirty victim for storage
 *      +---> a read, held by the warp that waits for it ---> free
 *
 * If there are enough slots, some are for reads alone. Files are then read into the same small
 * memory over and over, which the processor's caches hold, and not into all of tier 2 in turn. */
#ifndef TIDE_DEVICE_SLOTS_H
#define TIDE_DEVICE_SLOTS_H

#include "queue.h"

#define TD_DEV_COLLECT 16 /* writes whose status a search for a free slot reads, over the bus */
#define TD_DEV_BARREN 8   /* while no slot is free, only one search in so many reads them */

TD_DEV void td_dev_count(struct td_dev_shard *s, enum td_dev_count what, uint64_t n)
{
	td_dev_raise(&s->counts[what], n);
}

TD_DEV struct td_dev_shard *td_dev_shard_of_slot(struct td_dev_control *c, uint32_t slot)
{
	return &c->shard[slot / c->shard_slots];
}

TD_DEV unsigned char *td_dev_slot_memory(struct td_dev_control *c, uint32_t slot)
{
	return c->host_memory + ((uint64_t)slot << c->page_shift);
}

TD_DEV unsigned char *td_dev_frame_memory(struct td_dev_control *c, uint32_t frame)
{
	return c->near_memory + ((uint64_t)frame << c->page_shift);
}

/* ---- the lock ---- */

TD_DEV bool td_dev_trylock(struct td_dev_shard *s)
{
	return td_dev_peek32(&s->lock) == 0 && td_dev_cas32(&s->lock, 0, 1) == 0;
}

/* Held for a short time: its holder makes no copy and does not wait. */
TD_DEV void td_dev_lock(struct td_dev_shard *s)
{
	while (!td_dev_trylock(s))
		td_dev_pause(100);
}

TD_DEV void td_dev_unlock(struct td_dev_shard *s)
{
	td_dev_store32(&s->lock, 0);
}

/* ---- free ones ---- */

TD_DEV void td_dev_slot_free(struct td_dev_control *c, struct td_dev_shard *s, uint32_t slot)
{
	bool reads = slot - s->first_slot >= s->slots - s->read_slots;
	uint32_t *list = reads ? &s->free_reads : &s->free_slots;
	c->slot_page[slot] = TD_DEV_NONE;
	c->slot_next[slot] = *list;
	*list = slot;
}

TD_DEV uint32_t td_dev_slot_pop(struct td_dev_control *c, uint32_t *list, uint32_t page)
{
	uint32_t slot = *list;
	if (slot == TD_DEV_NONE)
		return slot;
	*list = c->slot_next[slot];
	c->slot_page[slot] = page;
	return slot;
}

/* ---- tier 2 ---- */

TD_DEV void td_dev_host_add(struct td_dev_control *c, struct td_dev_shard *s, uint32_t slot)
{
	c->slot_prev[slot] = s->newest;
	c->slot_next[slot] = TD_DEV_NONE;
	if (s->newest == TD_DEV_NONE)
		s->oldest = slot;
	else
		c->slot_next[s->newest] = slot;
	s->newest = slot;
	s->host_used++;
}

TD_DEV void td_dev_host_remove(struct td_dev_control *c, struct td_dev_shard *s, uint32_t slot)
{
	uint32_t prev = c->slot_prev[slot], next = c->slot_next[slot];
	if (prev == TD_DEV_NONE)
		s->oldest = next;
	else
		c->slot_next[prev] = next;
	if (next == TD_DEV_NONE)
		s->newest = prev;
	else
		c->slot_prev[next] = prev;
	s->host_used--;
}

/* May the shard hold one more page of tier 2? The slot of a claimed page stays full until the page
 * has a frame, and it may get none before others have slots. So claimed pages may use only half of
 * the slots that are there for files, and reads and writes can always go on. */
TD_DEV bool td_dev_host_room(const struct td_dev_shard *s)
{
	uint32_t most = s->host_pages + (s->slots - s->read_slots - s->host_pages) / 2;
	return s->host_used < s->host_pages && s->host_used + td_dev_peek(&s->leaving) < most;
}

/* ---- write-backs under way ---- */

TD_DEV void td_dev_writing_add(struct td_dev_control *c, struct td_dev_shard *s, uint32_t slot)
{
	c->slot_next[slot] = TD_DEV_NONE;
	if (s->writing_last == TD_DEV_NONE)
		s->writing_first = slot;
	else
		c->slot_next[s->writing_last] = slot;
	s->writing_last = slot;
}

TD_DEV void td_dev_writing_remove(struct td_dev_control *c, struct td_dev_shard *s, uint32_t before,
				  uint32_t slot)
{
	uint32_t next = c->slot_next[slot];
	if (before == TD_DEV_NONE)
		s->writing_first = next;
	else
		c->slot_next[before] = next;
	if (next == TD_DEV_NONE)
		s->writing_last = before;
}

/* Does the page still need this slot? */
TD_DEV bool td_dev_needs(uint64_t e, uint32_t slot)
{
	enum td_dev_state state = td_dev_state(e);
	return td_dev_index(e) == slot && state != TD_DEV_TIER1 && state != TD_DEV_ABSENT;
}

/* Is the slot of this write unused now? The entry is read before the status. The page may have
 * been taken back, and a warp may be copying it from the slot. Or its owner has not yet said that
 * it is being written, and the status is that of an earlier copy. */
TD_DEV bool td_dev_written(struct td_dev_control *c, uint32_t slot)
{
	uint64_t *at = &c->entries[c->slot_page[slot]];
	uint64_t e = td_dev_load(at), clear = TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_DIRTY;
	if (td_dev_needs(e, slot) && td_dev_state(e) != TD_DEV_WRITING)
		return false;
	if (td_dev_status(c, slot) != TD_DEV_DONE)
		return false;
	while (td_dev_needs(e, slot) && td_dev_state(e) == TD_DEV_WRITING) {
		uint64_t seen = td_dev_cas(at, e, (e & ~clear) | td_dev_entry(TD_DEV_ABSENT, 0));
		if (seen == e)
			return true;
		e = seen;
	}
	return !td_dev_needs(e, slot);
}

TD_DEV_SLOW void td_dev_collect(struct td_dev_control *c, struct td_dev_shard *s)
{
	uint32_t before = TD_DEV_NONE, slot = s->writing_first;
	for (uint32_t i = 0; i < TD_DEV_COLLECT && slot != TD_DEV_NONE; i++) {
		uint32_t next = c->slot_next[slot];
		int32_t status = td_dev_status(c, slot);
		if (status == TD_DEV_PENDING) /* later ones are pending too */
			break;
		if (status < 0)
			td_dev_fail(c, status, c->slot_page[slot], TD_DEV_WRITE);
		if (status == TD_DEV_DONE && td_dev_written(c, slot)) {
			td_dev_writing_remove(c, s, before, slot);
			td_dev_slot_free(c, s, slot);
		} else {
			before = slot;
		}
		slot = next;
	}
}

/* Is there a free slot? */
TD_DEV bool td_dev_slot_ready(struct td_dev_control *c, struct td_dev_shard *s)
{
	if (s->free_slots == TD_DEV_NONE && s->barren++ % TD_DEV_BARREN == 0)
		td_dev_collect(c, s);
	if (s->free_slots == TD_DEV_NONE)
		return false;
	s->barren = 0;
	return true;
}

TD_DEV uint32_t td_dev_slot_take(struct td_dev_control *c, struct td_dev_shard *s, uint32_t page)
{
	return td_dev_slot_pop(c, &s->free_slots, page);
}

/* ---- with the lock taken here ---- */

/* A slot for a read, of this shard or of one after it. TD_DEV_NONE: none is free now. */
TD_DEV_SLOW uint32_t td_dev_slot_for_read(struct td_dev_control *c, uint32_t home, uint32_t page)
{
	for (uint32_t i = 0; i < c->shards; i++) {
		struct td_dev_shard *s = &c->shard[(home + i) & (c->shards - 1)];
		uint32_t slot = TD_DEV_NONE;
		if (i == 0)
			td_dev_lock(s);
		else if (!td_dev_trylock(s))
			continue;
		if (s->read_slots)
			slot = td_dev_slot_pop(c, &s->free_reads, page);
		else if (td_dev_slot_ready(c, s))
			slot = td_dev_slot_take(c, s, page);
		td_dev_unlock(s);
		if (slot != TD_DEV_NONE)
			return slot;
	}
	return TD_DEV_NONE;
}

TD_DEV_SLOW void td_dev_slot_return(struct td_dev_control *c, uint32_t slot)
{
	struct td_dev_shard *s = td_dev_shard_of_slot(c, slot);
	td_dev_lock(s);
	td_dev_slot_free(c, s, slot);
	td_dev_unlock(s);
}

/* Frees the slots of writes that have ended. */
TD_DEV_SLOW void td_dev_tidy(struct td_dev_control *c, uint32_t slot)
{
	struct td_dev_shard *s = td_dev_shard_of_slot(c, slot);
	td_dev_lock(s);
	td_dev_collect(c, s);
	td_dev_unlock(s);
}

/* A page of tier 2 was claimed: it no longer counts as one, but its slot is still full. */
TD_DEV_SLOW void td_dev_host_leave(struct td_dev_control *c, uint32_t slot)
{
	struct td_dev_shard *s = td_dev_shard_of_slot(c, slot);
	td_dev_lock(s);
	td_dev_host_remove(c, s, slot);
	td_dev_unlock(s);
}

TD_DEV_SLOW void td_dev_host_return(struct td_dev_control *c, uint32_t slot)
{
	struct td_dev_shard *s = td_dev_shard_of_slot(c, slot);
	td_dev_lock(s);
	td_dev_host_add(c, s, slot);
	td_dev_unlock(s);
}

#endif
