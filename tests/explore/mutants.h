/* Includes the protocol, with wrappers in between that make one mistake where `mutant` says so. */
#ifndef TIDE_EXPLORE_MUTANTS_H
#define TIDE_EXPLORE_MUTANTS_H

#include "tide/device/queue.h"

/* ---- in slots.h ---- */

static struct mutant_seen {
	uint32_t slot;
	int32_t status;
} mutant_seen[WARPS];

static int32_t mutant_status(const struct td_dev_control *c, uint32_t slot)
{
	struct mutant_seen *seen = &mutant_seen[explore_warp()];
	if (mutant == STATUS_OF_COPY && seen->slot == slot && seen->status == TD_DEV_DONE) {
		seen->status = TD_DEV_PENDING;
		return TD_DEV_DONE;
	}
	int32_t status = td_dev_status(c, slot);
	*seen = (struct mutant_seen){slot, status};
	return mutant == COLLECT_EARLY && status == TD_DEV_PENDING ? TD_DEV_DONE : status;
}

static uint32_t mutant_cas32(uint32_t *p, uint32_t expected, uint32_t v)
{
	uint32_t old = td_dev_cas32(p, expected, v);
	return mutant == LOCK_OPEN ? expected : old;
}

static uint32_t mutant_peek32(const uint32_t *p)
{
	uint32_t v = td_dev_peek32(p);
	return mutant == LOCK_OPEN ? 0 : v;
}

static uint64_t mutant_cas(uint64_t *p, uint64_t expected, uint64_t v)
{
	uint64_t clear = TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_DIRTY;
	if (mutant != WRITTEN_ANYWHERE)
		return td_dev_cas(p, expected, v);
	return td_dev_move(p, TD_DEV_WRITING, clear, td_dev_entry(TD_DEV_ABSENT, 0)) ? expected : 0;
}

#define td_dev_status mutant_status
#define td_dev_cas32 mutant_cas32
#define td_dev_peek32 mutant_peek32
#define td_dev_cas mutant_cas
#include "tide/device/slots.h"
#undef td_dev_status
#undef td_dev_cas32
#undef td_dev_peek32
#undef td_dev_cas

/* ---- in clock.h ---- */

static struct mutant_owner {
	bool locked;
	uint32_t *at, v; /* to be said after the lock is let go */
} mutant_owner[WARPS];

static void mutant_poke32(uint32_t *p, uint32_t v)
{
	struct mutant_owner *o = &mutant_owner[explore_warp()];
	if (mutant != OWNER_LATE || !o->locked) {
		td_dev_poke32(p, v);
		return;
	}
	o->at = p;
	o->v = v;
}

static bool mutant_trylock(struct td_dev_shard *s)
{
	return mutant_owner[explore_warp()].locked = td_dev_trylock(s);
}

static void mutant_unlock(struct td_dev_shard *s)
{
	struct mutant_owner *o = &mutant_owner[explore_warp()];
	td_dev_unlock(s);
	if (o->at)
		td_dev_poke32(o->at, o->v);
	*o = (struct mutant_owner){0};
}

static bool mutant_room(const struct td_dev_shard *s)
{
	return mutant == ROOM_WITHOUT_END ? s->host_used < s->host_pages : td_dev_host_room(s);
}

static bool mutant_post(struct td_dev_control *c, uint32_t queue, enum td_dev_op op, uint32_t page,
			uint32_t slot, uint32_t frame)
{
	if (mutant == POST_LATE && op == TD_DEV_WRITE)
		td_dev_change(&c->entries[page], TD_DEV_STATE, td_dev_entry(TD_DEV_WRITING, 0));
	return td_dev_post(c, queue, op, page, slot, frame);
}

static uint64_t mutant_generation(void)
{
	return mutant == SAME_GENERATION ? 0 : (uint64_t)1 << 34;
}

#define td_dev_poke32 mutant_poke32
#define td_dev_trylock mutant_trylock
#define td_dev_unlock mutant_unlock
#define td_dev_host_room mutant_room
#define td_dev_post mutant_post
#undef TD_DEV_GENERATION_ONE
#define TD_DEV_GENERATION_ONE mutant_generation()
#include "tide/device/clock.h"
#undef td_dev_poke32
#undef td_dev_trylock
#undef td_dev_unlock
#undef td_dev_host_room
#undef td_dev_post

/* ---- in fault.h ---- */

static struct mutant_copied {
	void *to;
	const void *from;
	uint64_t bytes;
} mutant_copied[WARPS]; /* to be copied after the entry says that it is there */

static void mutant_copy(struct td_dev_lanes g, void *to, const void *from, uint64_t bytes)
{
	if (mutant != PUBLISH_EARLY)
		td_dev_copy(g, to, from, bytes);
	else
		mutant_copied[explore_warp()] = (struct mutant_copied){to, from, bytes};
}

static void mutant_publish(uint64_t *at, uint32_t frame, bool write)
{
	struct mutant_copied *m = &mutant_copied[explore_warp()];
	td_dev_publish(at, frame, write);
	if (m->to)
		td_dev_copy(td_dev_warp(), m->to, m->from, m->bytes);
	m->to = NULL;
}

static uint32_t mutant_pins(uint64_t e)
{
	return mutant == EVICT_PINNED ? 0 : td_dev_pins(e);
}

static void mutant_tidy(struct td_dev_control *c, uint32_t slot)
{
	if (mutant != KEEP_WAITING)
		td_dev_tidy(c, slot);
}

static int32_t mutant_reclaimed(const struct td_dev_control *c, uint32_t slot)
{
	int32_t status = td_dev_status(c, slot);
	return mutant == FORGET_DIRTY ? TD_DEV_DONE : status;
}

#define td_dev_copy mutant_copy
#define td_dev_pins mutant_pins
#define td_dev_publish mutant_publish
#define td_dev_tidy mutant_tidy
#define td_dev_status mutant_reclaimed
#include "tide/device/fault.h"
#undef td_dev_copy
#undef td_dev_pins
#undef td_dev_publish
#undef td_dev_tidy
#undef td_dev_status

#include "tide/device/access.h"

static void mutant_reset(void)
{
	memset(mutant_seen, 0, sizeof mutant_seen);
	memset(mutant_owner, 0, sizeof mutant_owner);
	memset(mutant_copied, 0, sizeof mutant_copied);
}

#endif
