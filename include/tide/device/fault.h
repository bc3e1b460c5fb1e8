/* What happens on a miss. A warp claims the page and finds a frame for it. The page comes from
 * tier 2, from a slot whose write is still under way, or from its file. A warp that wants several
 * pages first claims and requests all of them, then waits. */
#ifndef TIDE_DEVICE_FAULT_H
#define TIDE_DEVICE_FAULT_H

#include "learn.h"

/* ---- claims ---- */

enum td_dev_got {
	TD_DEV_HELD,   /* in near memory, and pinned */
	TD_DEV_POSTED, /* its read is under way: td_dev_finish() */
	TD_DEV_LATER,  /* on its way by another warp, or no frame or slot just now */
	TD_DEV_LOST,   /* something failed */
};

struct td_dev_load {
	uint32_t page, frame, slot;
	uint32_t from;    /* enum td_dev_state when it was claimed */
	uint32_t learned; /* a fault teaches the placement once */
	uint32_t got;     /* enum td_dev_got */
};

/* Called by one lane: pins the page if it is in near memory. Gives the entry as it was. */
TD_DEV uint64_t td_dev_pin(uint64_t *at, bool write)
{
	uint64_t e = td_dev_add_acquire(at, TD_DEV_PIN);
	uint64_t bits = TD_DEV_REFERENCED | (write ? TD_DEV_DIRTY : 0);
	if (td_dev_state(e) != TD_DEV_TIER1)
		td_dev_add_release(at, -TD_DEV_PIN);
	else if ((e & bits) != bits)
		td_dev_or(at, bits);
	return e;
}

TD_DEV void td_dev_unpin(uint64_t *at)
{
	td_dev_add_release(at, -TD_DEV_PIN);
}

/* Called by one lane. Either the page is ours now, loading or promoting; or it is in tier 1 and
 * pinned; or another warp has it. Gives the entry as it was. */
TD_DEV uint64_t td_dev_claim(uint64_t *at, bool write, bool *ours)
{
	uint64_t e = td_dev_load(at);
	*ours = false;
	while (!*ours) {
		enum td_dev_state from = td_dev_state(e);
		if (from == TD_DEV_TIER1)
			return td_dev_pin(at, write);
		if (from != TD_DEV_ABSENT && from != TD_DEV_TIER2 && from != TD_DEV_WRITING)
			return e;
		uint64_t to =
			td_dev_entry(from == TD_DEV_ABSENT ? TD_DEV_LOADING : TD_DEV_PROMOTING, 0);
		uint64_t seen = td_dev_cas(at, e, (e & ~TD_DEV_STATE) | to);
		*ours = seen == e;
		e = seen;
	}
	return e;
}

/* Called by one lane: undoes a claim. */
TD_DEV_SLOW void td_dev_unclaim(struct td_dev_control *c, const struct td_dev_load *l)
{
	if (l->from == TD_DEV_TIER2)
		td_dev_host_return(c, l->slot);
	td_dev_change(&c->entries[l->page], TD_DEV_STATE,
		      td_dev_entry((enum td_dev_state)l->from, 0));
}

/* ---- all lanes: the page comes in ---- */

/* Publishes the page: a warp that finds it in its entry sees what was copied. */
TD_DEV void td_dev_arrive(struct td_dev_control *c, struct td_dev_lanes g, struct td_dev_load *l,
			  bool write)
{
	td_dev_fence();
	td_dev_meet(g);
	if (g.rank == 0)
		td_dev_publish(&c->entries[l->page], l->frame, write);
	l->got = TD_DEV_HELD;
}

TD_DEV_SLOW void td_dev_from_slot(struct td_dev_control *c, struct td_dev_lanes g,
				  struct td_dev_load *l, bool write, uint32_t pages)
{
	/* The status of a slot under write-back belongs to the write. */
	bool engine = l->from == TD_DEV_TIER2 && td_dev_by_engine(c, g, pages);
	uint32_t copied = 1;
	if (!engine)
		td_dev_copy(g, td_dev_frame_memory(c, l->frame), td_dev_slot_memory(c, l->slot),
			    (uint64_t)1 << c->page_shift);
	else if (g.rank == 0)
		copied = td_dev_engine_copy(c, TD_DEV_COPY_IN, l->page, l->slot, l->frame);
	if (!td_dev_share32(g, copied)) {
		l->got = TD_DEV_LOST;
		if (g.rank == 0) {
			td_dev_unclaim(c, l);
			td_dev_poke32(&c->owner[l->frame], TD_DEV_NONE);
		}
		return;
	}
	td_dev_arrive(c, g, l, write);
	if (g.rank == 0 && l->from == TD_DEV_TIER2)
		td_dev_slot_return(c, l->slot);
}

/* Finds a slot to read into. TD_DEV_NONE: there is none now, or something failed. */
TD_DEV_SLOW uint32_t td_dev_read_slot(struct td_dev_control *c, struct td_dev_lanes g,
				      uint32_t page, bool may_wait)
{
	uint32_t slot = TD_DEV_NONE, home = (uint32_t)tide_hash64(page);
	struct td_dev_wait w = {0, 0};
	if (g.rank == 0) {
		do {
			slot = td_dev_slot_for_read(c, home, page);
		} while (slot == TD_DEV_NONE && may_wait &&
			 td_dev_waits(c, &w, page, TD_DEV_WAITS_SLOT));
	}
	return td_dev_share32(g, slot);
}

/* One lane: asks for a page of a file. */
TD_DEV_SLOW void td_dev_ask(struct td_dev_control *c, const struct td_dev_load *l)
{
	td_dev_pending(c, l->slot);
	if (!td_dev_post(c, td_dev_proxy(c, l->page), TD_DEV_READ, l->page, l->slot, l->frame))
		td_dev_store_far32((uint32_t *)&c->slot_status[l->slot], (uint32_t)-EIO);
}

/* Waits for a page that was asked for. */
TD_DEV_SLOW void td_dev_finish(struct td_dev_control *c, struct td_dev_lanes g,
			       struct td_dev_load *l, bool write)
{
	uint32_t status = 0;
	if (g.rank == 0)
		status = (uint32_t)td_dev_await(c, l->slot, l->page, TD_DEV_READ);
	status = td_dev_share32(g, status);
	td_dev_meet(g);
	if (status == TD_DEV_DONE) {
		td_dev_copy(g, td_dev_frame_memory(c, l->frame), td_dev_slot_memory(c, l->slot),
			    (uint64_t)1 << c->page_shift);
		td_dev_arrive(c, g, l, write);
		if (g.rank == 0)
			td_dev_slot_return(c, l->slot);
		return;
	}
	l->got = TD_DEV_LOST;
	if (g.rank != 0)
		return;
	td_dev_fail(c, (int32_t)status, l->page, TD_DEV_READ);
	td_dev_poke32(&c->owner[l->frame], TD_DEV_NONE);
	if ((int32_t)status != -ETIMEDOUT) /* an answer that comes late must not find the slot in
					      use by another page */
		td_dev_slot_return(c, l->slot);
	td_dev_change(&c->entries[l->page], TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_DIRTY,
		      td_dev_entry(TD_DEV_ABSENT, 0));
}

/* One lane. */
TD_DEV void td_dev_count_fault(struct td_dev_shard *s, const struct td_dev_load *l)
{
	td_dev_count(s, TD_DEV_FAULTS, 1);
	td_dev_count(s, l->from == TD_DEV_TIER2 ? TD_DEV_TIER2_HITS : TD_DEV_TIER2_MISSES, 1);
	if (l->from == TD_DEV_WRITING)
		td_dev_count(s, TD_DEV_RECLAIMED, 1);
	if (l->from == TD_DEV_ABSENT)
		td_dev_count(s, TD_DEV_TIER3_READS, 1);
}

/* Called by one lane for a page that it took back from a write. The page is clean if the write has
 * ended. In lockstep the lane waits for that, because the counts must not depend on time. */
TD_DEV_SLOW void td_dev_reclaim(struct td_dev_control *c, const struct td_dev_load *l)
{
	int status = c->lockstep ? td_dev_await(c, l->slot, l->page, TD_DEV_WRITE)
				 : td_dev_status(c, l->slot);
	if (status == TD_DEV_DONE)
		td_dev_change(&c->entries[l->page], TD_DEV_DIRTY, 0);
}

/* Called by one lane: counts a claimed page of tier 2 that has no frame yet, or counts it no more.
 * */
TD_DEV void td_dev_leaves(struct td_dev_control *c, const struct td_dev_load *l, uint64_t change)
{
	if (l->from == TD_DEV_TIER2)
		td_dev_raise(&td_dev_shard_of_slot(c, l->slot)->leaving, change);
}

/* Called by one lane: undoes a claim because there is no frame. Others may need the slot of a
 * finished write before there can be a frame, so such a slot is freed. */
TD_DEV_SLOW void td_dev_give_up(struct td_dev_control *c, const struct td_dev_load *l,
				bool has_slot)
{
	td_dev_unclaim(c, l);
	if (l->from == TD_DEV_WRITING)
		td_dev_tidy(c, l->slot);
	if (has_slot)
		td_dev_slot_return(c, l->slot);
}

/* Called by one lane for a page that is ours: teaches the placement, and takes the page out of
 * tier 2. */
TD_DEV_SLOW void td_dev_begin(struct td_dev_control *c, struct td_dev_shard *home,
			      const struct td_dev_load *l, uint64_t now)
{
	if (!l->learned)
		td_dev_learn(c, home, l->page, now);
	td_dev_leaves(c, l, 1);
	if (l->from == TD_DEV_TIER2)
		td_dev_host_leave(c, l->slot);
	if (l->from == TD_DEV_WRITING)
		td_dev_reclaim(c, l);
}

/* Brings a page that is ours into its frame. */
TD_DEV_SLOW void td_dev_come(struct td_dev_control *c, struct td_dev_lanes g, struct td_dev_load *l,
			     bool write, bool fresh, uint32_t pages)
{
	if (l->from != TD_DEV_ABSENT) {
		td_dev_from_slot(c, g, l, write, pages);
	} else if (fresh) {
		td_dev_zero(g, td_dev_frame_memory(c, l->frame), (uint64_t)1 << c->page_shift);
		td_dev_arrive(c, g, l, write);
	} else {
		l->got = TD_DEV_POSTED;
		if (g.rank == 0)
			td_dev_ask(c, l);
	}
}

/* Fetches a page that is ours from where l->from and l->slot say. A page of a file needs a slot
 * too. If some slots are for reads alone, the slot comes first: a warp that gets none has then
 * evicted nothing. Otherwise the frame comes first, because the victim may need that slot. */
TD_DEV_SLOW void td_dev_fetch(struct td_dev_control *c, struct td_dev_lanes g,
			      struct td_dev_load *l, bool write, bool fresh, uint32_t pages,
			      bool may_wait)
{
	struct td_dev_shard *home = &c->shard[tide_hash64(l->page) & (c->shards - 1)];
	uint64_t now = td_dev_time(c, g);
	bool reads = l->from == TD_DEV_ABSENT && !fresh, first = reads && home->read_slots;
	if (g.rank == 0)
		td_dev_begin(c, home, l, now);
	l->learned = 1;
	l->frame = TD_DEV_NONE;
	if (first)
		l->slot = td_dev_read_slot(c, g, l->page, may_wait);
	if (!first || l->slot != TD_DEV_NONE)
		l->frame = td_dev_frame(c, g, l->page, now, pages,
					may_wait && l->from != TD_DEV_WRITING);
	if (g.rank == 0) {
		if (l->frame == TD_DEV_NONE)
			td_dev_give_up(c, l, first && l->slot != TD_DEV_NONE);
		td_dev_leaves(c, l, (uint64_t)-1);
	}
	l->got = TD_DEV_LATER;
	if (l->frame == TD_DEV_NONE)
		return;
	if (reads && !first)
		l->slot = td_dev_read_slot(c, g, l->page, may_wait);
	if (reads && l->slot == TD_DEV_NONE) {
		if (g.rank == 0) {
			td_dev_poke32(&c->owner[l->frame], TD_DEV_NONE);
			td_dev_unclaim(c, l);
		}
		return;
	}
	td_dev_come(c, g, l, write, fresh, pages);
	if (g.rank == 0)
		td_dev_count_fault(home, l);
}

/* Tries once to get the page. */
TD_DEV_SLOW void td_dev_try(struct td_dev_control *c, struct td_dev_lanes g, struct td_dev_load *l,
			    bool write, uint32_t pages, bool may_wait)
{
	bool mine = false;
	uint64_t e = 0;
	if (g.rank == 0)
		e = td_dev_claim(&c->entries[l->page], write, &mine);
	e = td_dev_share64(g, e);
	uint32_t ours = td_dev_share32(g, mine);
	td_dev_meet(g); /* what rank 0 has seen, all have */
	l->from = (uint32_t)td_dev_state(e);
	l->slot = l->frame = td_dev_index(e);
	l->got = l->from == TD_DEV_TIER1 ? TD_DEV_HELD : TD_DEV_LATER;
	if (ours)
		td_dev_fetch(c, g, l, write, (e & TD_DEV_FRESH) != 0, pages, may_wait);
}

#include "remote.h"

/* ---- all lanes: n different pages, at most TD_DEV_WINDOW, pinned; false: something failed, and
 * only those whose got is TD_DEV_HELD are ---- */

TD_DEV_SLOW bool td_dev_hold(struct td_dev_control *c, struct td_dev_lanes g,
			     struct td_dev_load *loads, uint32_t n, bool write)
{
	struct td_dev_wait w = {0, 0};
	if (c->host_orchestrated)
		return td_dev_remote_hold(c, g, loads, n, write);
	for (uint32_t k = 0; k < n; k++) {
		loads[k].got = TD_DEV_LATER;
		loads[k].learned = 0;
	}
	for (;;) {
		uint32_t posted = 0, later = 0, lost = 0, on = 1;
		if (td_dev_share32(g, td_dev_failed(c)))
			return false;
		for (uint32_t k = 0; k < n; k++) {
			if (loads[k].got == TD_DEV_LATER)
				td_dev_try(c, g, &loads[k], write, n, posted == 0);
			posted += loads[k].got == TD_DEV_POSTED;
		}
		for (uint32_t k = 0; k < n; k++) {
			if (loads[k].got == TD_DEV_POSTED)
				td_dev_finish(c, g, &loads[k], write);
			later += loads[k].got == TD_DEV_LATER;
			lost += loads[k].got == TD_DEV_LOST;
		}
		if (lost || !later)
			return !lost;
		if (g.rank == 0) {
			td_dev_count(&c->shard[0], TD_DEV_WAITED, 1);
			on = td_dev_waits(c, &w, loads[0].page, TD_DEV_WAITS_PAGE);
		}
		if (!td_dev_share32(g, on))
			return false;
	}
}

#endif
