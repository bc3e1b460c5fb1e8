/* A frame for a page: a free one, or the clock's victim, which goes to the tier that the placement
 * policy says. */
#ifndef TIDE_DEVICE_CLOCK_H
#define TIDE_DEVICE_CLOCK_H

#include "place.h"

/* ---- time: accesses so far ---- */

TD_DEV uint64_t td_dev_time(struct td_dev_control *c, struct td_dev_lanes g)
{
	uint64_t sum = 0;
	td_dev_meet(g); /* what rank 0 has counted */
	for (uint32_t i = g.rank; i < TD_DEV_PARTS; i += g.width)
		sum += td_dev_peek(&c->clock[i].accesses);
	return td_dev_sum(g, sum);
}

/* ---- one lane: a frame ---- */

/* Looks at the frame under the hand. Its page was used and is spared, or another warp took it, or
 * it is ours now. */
enum td_dev_look { TD_DEV_PASSED, TD_DEV_AGAIN, TD_DEV_TAKEN };

TD_DEV enum td_dev_look td_dev_consider(struct td_dev_control *c, struct td_dev_shard *s,
					struct td_dev_victim *v, uint64_t now)
{
	v->page = td_dev_peek32(&c->owner[v->frame]);
	if (v->page == TD_DEV_NONE) {
		v->found = TD_DEV_FREE;
		return TD_DEV_TAKEN;
	}
	uint64_t *at = &c->entries[v->page];
	uint64_t e = td_dev_load(at);
	if (td_dev_state(e) != TD_DEV_TIER1 || td_dev_index(e) != v->frame || td_dev_pins(e) ||
	    e & TD_DEV_REFERENCED)
		return TD_DEV_AGAIN;
	if (td_dev_spare(c, s, v->page, now, (e & TD_DEV_DIRTY) != 0))
		return TD_DEV_PASSED;
	uint64_t gone = (e & ~(TD_DEV_STATE | TD_DEV_GENERATION)) |
			((e + TD_DEV_GENERATION_ONE) & TD_DEV_GENERATION) |
			td_dev_entry(TD_DEV_EVICTING, 0);
	if (td_dev_cas(at, e, gone) != e)
		return TD_DEV_AGAIN;
	v->dirty = (e & TD_DEV_DIRTY) != 0;
	td_dev_judge(c, s, v, now);
	return TD_DEV_TAKEN;
}

/* ---- all lanes: the search ---- */

enum td_dev_kind { TD_DEV_BUSY, TD_DEV_USED, TD_DEV_CANDIDATE };

TD_DEV enum td_dev_kind td_dev_kind(struct td_dev_control *c, uint32_t frame, uint64_t **at)
{
	uint32_t page = td_dev_peek32(&c->owner[frame]);
	if (page == TD_DEV_NONE)
		return TD_DEV_CANDIDATE;
	*at = &c->entries[page];
	uint64_t e = td_dev_peek(*at);
	if (c->fits || td_dev_state(e) != TD_DEV_TIER1 || td_dev_index(e) != frame ||
	    td_dev_pins(e))
		return TD_DEV_BUSY;
	bool used = (e & TD_DEV_REFERENCED) != 0;
	return tide_clock_takes(&used) ? TD_DEV_CANDIDATE : TD_DEV_USED;
}

/* The hand goes over the frames, as many at a time as there are lanes. Rank 0 has the lock. */
TD_DEV_SLOW void td_dev_search(struct td_dev_control *c, struct td_dev_lanes g,
			       struct td_dev_shard *s, struct td_dev_victim *v, uint64_t now)
{
	uint32_t frames = s->frames, hand = td_dev_share32(g, s->hand), looked = 0;
	uint32_t enough = 2 * frames + TIDE_KEEPS_MAX + g.width;
	while (v->found == TD_DEV_NO_FRAME && looked < enough) {
		uint64_t *at = NULL;
		enum td_dev_kind kind = TD_DEV_BUSY;
		if (g.rank < frames)
			kind = td_dev_kind(c, s->first_frame + (hand + g.rank) % frames, &at);
		uint32_t candidates = td_dev_vote(g, kind == TD_DEV_CANDIDATE);
		uint32_t width = g.width < frames ? g.width : frames;
		uint32_t passed = candidates ? td_dev_lowest(candidates) : width;
		if (g.rank < passed && kind == TD_DEV_USED)
			td_dev_and(at, ~TD_DEV_REFERENCED);
		hand = (hand + passed) % frames;
		looked += passed;
		if (!candidates)
			continue;
		uint32_t look = TD_DEV_AGAIN;
		v->frame = s->first_frame + hand;
		if (g.rank == 0)
			look = (uint32_t)td_dev_consider(c, s, v, now);
		look = td_dev_share32(g, look);
		v->found = (enum td_dev_found)td_dev_share32(g, (uint32_t)v->found);
		hand = look == TD_DEV_AGAIN ? hand : (hand + 1) % frames;
		looked++;
	}
	if (g.rank == 0) {
		s->hand = hand;
		td_dev_count(s, TD_DEV_STEPS, looked);
	}
}

/* Called before the lock is released, so that no other warp takes the frame for a free one. */
TD_DEV void td_dev_settle(struct td_dev_control *c, const struct td_dev_victim *v, uint32_t page)
{
	if (v->found == TD_DEV_FREE)
		td_dev_poke32(&c->owner[v->frame], page);
}

/* Called by all lanes: looks into one shard, unless its lock is taken. */
TD_DEV_SLOW void td_dev_try_shard(struct td_dev_control *c, struct td_dev_lanes g,
				  struct td_dev_shard *s, struct td_dev_victim *v, uint32_t page,
				  uint64_t now)
{
	/* 0: there is no frame; 1: there is one that was never used; 2: all frames of all shards
	 * have been used, and the clock must search */
	uint32_t how = 0;
	if (g.rank == 0 && td_dev_trylock(s)) {
		if (s->taken < s->frames)
			how = 1;
		else if (td_dev_peek(&c->taken) >= c->frames && td_dev_slot_ready(c, s))
			how = 2;
		if (how == 1) {
			v->frame = s->first_frame + s->taken++;
			td_dev_raise(&c->taken, 1);
			v->found = TD_DEV_FREE;
			td_dev_settle(c, v, page);
		}
		if (how != 2)
			td_dev_unlock(s);
	}
	how = td_dev_share32(g, how);
	if (how == 2) {
		td_dev_search(c, g, s, v, now);
		td_dev_meet(g);
		if (g.rank == 0) {
			td_dev_settle(c, v, page);
			td_dev_unlock(s);
		}
	}
}

/* ---- all lanes: the victim is carried away ---- */

TD_DEV bool td_dev_by_engine(const struct td_dev_control *c, struct td_dev_lanes g, uint32_t pages)
{
	if (c->transfer == TD_DEV_HYBRID)
		return g.width == 1 || pages < 8;
	return c->transfer == TD_DEV_DMA;
}

/* Called by one lane. False: the copy did not end in time. */
TD_DEV_SLOW bool td_dev_engine_copy(struct td_dev_control *c, enum td_dev_op op, uint32_t page,
				    uint32_t slot, uint32_t frame)
{
	td_dev_pending(c, slot);
	if (!td_dev_post(c, c->proxies, op, page, slot, frame))
		return false;
	int status = td_dev_await(c, slot, page, op);
	if (status < 0)
		td_dev_fail(c, status, page, (uint32_t)op);
	return status == TD_DEV_DONE;
}

/* Called by one lane. The request is in the ring before another warp can take the page back, so
 * the page's next write comes after this one. */
TD_DEV void td_dev_write_slot(struct td_dev_control *c, uint32_t page, uint32_t slot)
{
	td_dev_post(c, td_dev_proxy(c, page), TD_DEV_WRITE, page, slot, TD_DEV_NONE);
	td_dev_change(&c->entries[page], TD_DEV_STATE, td_dev_entry(TD_DEV_WRITING, 0));
}

/* Called by one lane: the page could not be copied, so it stays in its frame. */
TD_DEV_SLOW void td_dev_stay(struct td_dev_control *c, const struct td_dev_victim *v)
{
	if (v->tier == 2)
		td_dev_host_leave(c, v->slot); /* its slot is lost: an answer may still come */
	td_dev_change(&c->entries[v->page], TD_DEV_STATE | TD_DEV_INDEX,
		      td_dev_entry(TD_DEV_TIER1, v->frame));
}

/* Called by one lane, after the victim was copied, or needed no copy. */
TD_DEV void td_dev_left(struct td_dev_control *c, const struct td_dev_victim *v)
{
	uint64_t *at = &c->entries[v->page];
	if (v->tier == 2) {
		td_dev_change(at, TD_DEV_STATE, td_dev_entry(TD_DEV_TIER2, 0));
	} else if (v->dirty) {
		td_dev_pending(c, v->slot);
		td_dev_write_slot(c, v->page, v->slot);
	} else {
		td_dev_change(at, TD_DEV_STATE | TD_DEV_INDEX, td_dev_entry(TD_DEV_ABSENT, 0));
	}
}

TD_DEV_SLOW bool td_dev_carry(struct td_dev_control *c, struct td_dev_lanes g,
			      const struct td_dev_victim *v, uint32_t pages)
{
	uint32_t slot = td_dev_share32(g, v->slot), frame = td_dev_share32(g, v->frame);
	uint32_t copied = 1;
	if (slot != TD_DEV_NONE && !td_dev_by_engine(c, g, pages)) {
		td_dev_copy(g, td_dev_slot_memory(c, slot), td_dev_frame_memory(c, frame),
			    (uint64_t)1 << c->page_shift);
		td_dev_fence_far();
		td_dev_meet(g);
	} else if (slot != TD_DEV_NONE && g.rank == 0) {
		copied = td_dev_engine_copy(c, TD_DEV_COPY_OUT, v->page, slot, frame);
	}
	if (g.rank == 0 && copied)
		td_dev_left(c, v);
	else if (g.rank == 0)
		td_dev_stay(c, v);
	return td_dev_share32(g, copied) != 0;
}

/* One lane. */
TD_DEV void td_dev_count_victim(struct td_dev_control *c, struct td_dev_shard *s,
				const struct td_dev_victim *v)
{
	td_dev_count(s, TD_DEV_EVICTED, 1);
	if (v->dirty)
		td_dev_count(s, TD_DEV_EVICTED_DIRTY, 1);
	if (v->tier == 2)
		td_dev_count(s, TD_DEV_TO_TIER2, 1);
	if (v->tier == 3 && v->dirty)
		td_dev_count(s, TD_DEV_TIER3_WRITES, 1);
	if (v->pushed != TD_DEV_NONE) {
		td_dev_count(s, TD_DEV_TIER3_WRITES, 1);
		td_dev_write_slot(c, c->slot_page[v->pushed], v->pushed);
	}
}

/* Called by all lanes: finds a frame for a page that is claimed. pages: how many this warp wants
 * at once. may_wait: the warp holds nothing that others may need. TD_DEV_NONE: something failed,
 * or the warp may not wait and there is no frame now. */
TD_DEV_SLOW uint32_t td_dev_frame(struct td_dev_control *c, struct td_dev_lanes g, uint32_t page,
				  uint64_t now, uint32_t pages, bool may_wait)
{
	struct td_dev_victim v = {TD_DEV_NO_FRAME, 0, 0, TD_DEV_NONE, 0, 0, TD_DEV_NONE};
	struct td_dev_wait w = {0, 0};
	uint32_t home = (uint32_t)tide_hash64(page), tries = 0;
	struct td_dev_shard *s = NULL;
	for (;;) {
		s = &c->shard[(home + tries) & (c->shards - 1)];
		td_dev_try_shard(c, g, s, &v, page, now);
		v.found = (enum td_dev_found)td_dev_share32(g, (uint32_t)v.found);
		if (v.found != TD_DEV_NO_FRAME)
			break;
		if (++tries % c->shards != 0)
			continue;
		uint32_t on = 0;
		if (g.rank == 0 && (may_wait || tries < 4 * c->shards))
			on = td_dev_waits(c, &w, page, TD_DEV_WAITS_FRAME);
		if (!td_dev_share32(g, on))
			return TD_DEV_NONE;
	}
	if (v.found == TD_DEV_VICTIM) {
		if (g.rank == 0)
			td_dev_count_victim(c, s, &v);
		if (!td_dev_carry(c, g, &v, pages))
			return TD_DEV_NONE;
		if (g.rank == 0)
			td_dev_poke32(&c->owner[v.frame], page);
	}
	return td_dev_share32(g, v.frame);
}

#endif
