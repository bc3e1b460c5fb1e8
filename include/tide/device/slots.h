/* Slots of a shard: tier 2, and what is on its way to and from files. One lane, under the shard's
 * lock, unless it says otherwise.
 *
 *     free ---> tier 2 (in order of arrival) ---> free        promoted
 *      |              +--> writing                            replaced while dirty
 *      +---> writing ---> free                                a dirty victim for storage
 *      +---> a read, held by the warp that waits for it ---> free
 *
 * Where there are enough, some are for reads alone: files are read into the same little memory over
 * and over then, which the processor's caches hold, and not into the whole of tier 2 by turns. */
#ifndef TIDE_DEVICE_SLOTS_H
#define TIDE_DEVICE_SLOTS_H

#include "queue.h"

#define TD_DEV_COLLECT \
	16              /* writes under way that a search for a free slot looks at, over the bus */
#define TD_DEV_BARREN 8 /* where there is none, not every search looks at them */

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

/* Short: whoever has it makes no copy and does not wait. */
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

/* May it have one more? The slot of a claimed page is full until it has a frame, which it may not
 * get before others have slots: of those that are there for files only half may be used up in this
 * way, so that reads and writes can always go on. */
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

/* Is it the page's slot still? Others' copies of it, and what was near or absent before, are not.
 */
TD_DEV bool td_dev_needs(uint64_t e, uint32_t slot)
{
	enum td_dev_state state = td_dev_state(e);
	return td_dev_index(e) == slot && state != TD_DEV_TIER1 && state != TD_DEV_ABSENT;
}

/* Is the slot of this write not needed any more? The page may have been taken back, and may just
 * now be copied from it; or its owner has not yet said that it is being written, and the status may
 * be that of the copy before: so the entry is looked at first. */
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
		if (status == TD_DEV_PENDING) /* so will be those that were posted later */
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

/* Is there one? */
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

/* For a read: of this shard or of one after it. TD_DEV_NONE: none is free just now. */
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

/* A write that is done is not waited for any more. */
TD_DEV_SLOW void td_dev_tidy(struct td_dev_control *c, uint32_t slot)
{
	struct td_dev_shard *s = td_dev_shard_of_slot(c, slot);
	td_dev_lock(s);
	td_dev_collect(c, s);
	td_dev_unlock(s);
}

/* A page of tier 2 was claimed: it is no tier 2 page any more; its slot is still full. */
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
