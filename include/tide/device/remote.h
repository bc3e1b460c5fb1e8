/* Host orchestration: the processor decides, warps that wait for a page carry it out.
 *
 *     warp          claims the page (absent -> loading, tier 2 -> promoting), posts a fault, waits
 *     processor     asks the policies, writes commands to a ring in pinned memory
 *     any warp      that waits takes commands: copies pages, changes entries, posts how it went
 *
 * The processor cannot change an entry while a kernel runs, since pins are atomic operations of the
 * GPU. A command that no warp waits for is left to the next warp that waits. Slot p of host memory
 * is the home of page p. If the copy engine copies pages, commands only change entries.
 *
 * A page that a warp claimed arrives with a pin for that warp, so it is there when the warp looks.
 * A page that came by prefetch, or is watched, is not referenced. The warp that sets that bit tells
 * the processor. */
#ifndef TIDE_DEVICE_REMOTE_H
#define TIDE_DEVICE_REMOTE_H

#include "control.h"
#include "lanes.h"

struct td_dev_load;

/* Does the work of td_dev_hold() in fault.h. The two files need each other. */
TD_DEV_SLOW bool td_dev_remote_hold(struct td_dev_control *c, struct td_dev_lanes g,
				    struct td_dev_load *loads, uint32_t n, bool write);

#include "fault.h"

enum td_dev_command {
	TD_DEV_BRING = 1, /* home -> frame, and it is in tier 1 */
	TD_DEV_MAKE_ZERO, /* the same for a page that no file has: dirty */
	TD_DEV_SHOW,      /* it is in the frame: it is in tier 1 */
	TD_DEV_EVICT,     /* frame -> home if dirty, and it is in tier 2 */
	TD_DEV_TAKE,  /* the same, but a dirty page is only evicting, and the processor copies it */
	TD_DEV_DROP,  /* it was evicting, and is at home: it is in tier 2 */
	TD_DEV_WATCH, /* not referenced any more */
	TD_DEV_REFUSE, /* the page cannot be had: it goes back to its old state, and everything
			  stops; index: the errno */
};

/* Answers go through the ring of faults too. slot says how the command went. */
#define TD_DEV_REPLY 16
enum td_dev_reply {
	TD_DEV_ARRIVED,
	TD_DEV_LEFT,       /* it was clean */
	TD_DEV_LEFT_DIRTY, /* it was copied */
	TD_DEV_TO_COPY,    /* it is to be copied */
	TD_DEV_PINNED,     /* it stayed */
};

struct td_dev_remote {
	uint64_t *commands;     /* pinned; 0: taken */
	const uint64_t *posted; /* pinned: how many there were so far */
	uint64_t entries;       /* of the ring, a power of two */
	uint64_t seen;          /* as posted was when last looked at */
	uint64_t next;          /* the first that nobody has taken */
	uint32_t looking;       /* one warp at a time looks over the bus */
	uint32_t unused;
};

TD_DEV uint64_t td_dev_command(enum td_dev_command what, uint32_t page, uint32_t index)
{
	return (uint64_t)what << 60 | (uint64_t)page << 28 | index;
}

/* ---- one lane: to the processor ---- */

TD_DEV void td_dev_tell(struct td_dev_control *c, uint32_t op, uint32_t page, uint32_t what)
{
	td_dev_post(c, c->proxies + 1, (enum td_dev_op)op, page, what, TD_DEV_NONE);
}

TD_DEV void td_dev_reply(struct td_dev_control *c, uint32_t page, enum td_dev_reply how)
{
	td_dev_tell(c, TD_DEV_REPLY, page, (uint32_t)how);
}

TD_DEV_SLOW void td_dev_notice(struct td_dev_control *c, uint32_t page, bool write)
{
	td_dev_tell(c, TD_DEV_NOTICE, page, write);
}

/* After a pin: e is the entry as it was before. */
TD_DEV void td_dev_first(struct td_dev_control *c, uint32_t page, uint64_t e, bool write)
{
	if (!(e & TD_DEV_REFERENCED) && td_dev_state(e) == TD_DEV_TIER1 && c->host_orchestrated)
		td_dev_notice(c, page, write);
}

/* After a read without a pin of a page that is not referenced. */
TD_DEV_SLOW void td_dev_refer(struct td_dev_control *c, uint64_t *at, uint32_t page)
{
	if (!c->host_orchestrated) {
		td_dev_or(at, TD_DEV_REFERENCED);
		return;
	}
	uint64_t old = td_dev_load(at);
	while (td_dev_state(old) == TD_DEV_TIER1 && !(old & TD_DEV_REFERENCED)) {
		uint64_t seen = td_dev_cas(at, old, old | TD_DEV_REFERENCED);
		if (seen == old)
			td_dev_notice(c, page, false);
		old = seen;
	}
}

/* ---- one lane: a command, or 0 ---- */

TD_DEV void td_dev_remote_look(struct td_dev_remote *r)
{
	if (td_dev_peek32(&r->looking) || td_dev_cas32(&r->looking, 0, 1) != 0)
		return;
	uint64_t posted = td_dev_load_far(r->posted), seen = td_dev_peek(&r->seen);
	if (posted > seen)
		td_dev_cas(&r->seen, seen, posted);
	td_dev_store32(&r->looking, 0);
}

/* A warp that loses the race for one command may win the next. */
TD_DEV_SLOW uint64_t td_dev_remote_take(struct td_dev_remote *r)
{
	uint64_t next = td_dev_peek(&r->next);
	if (next >= td_dev_peek(&r->seen))
		td_dev_remote_look(r);
	if (next >= td_dev_peek(&r->seen))
		return 0;
	uint64_t seen = td_dev_load(&r->seen);
	for (uint32_t tries = 0; tries < 4 && next < seen; tries++) {
		uint64_t found = td_dev_cas(&r->next, next, next + 1);
		if (found == next) {
			uint64_t *at = &r->commands[next & (r->entries - 1)];
			uint64_t command = td_dev_load_far(at);
			td_dev_store_far(at, 0);
			return command;
		}
		next = found;
	}
	return 0;
}

/* ---- one lane: entries ---- */

/* Did a warp claim the page that is coming, and does it wait for it? */
TD_DEV bool td_dev_remote_claim(uint64_t *at)
{
	for (;;) {
		enum td_dev_state state = td_dev_state(td_dev_load(at));
		enum td_dev_state to = state == TD_DEV_ABSENT ? TD_DEV_LOADING : TD_DEV_PROMOTING;
		if (state != TD_DEV_ABSENT && state != TD_DEV_TIER2)
			return true;
		if (td_dev_move(at, state, TD_DEV_STATE, td_dev_entry(to, 0)))
			return false;
	}
}

TD_DEV void td_dev_remote_publish(uint64_t *at, uint32_t frame, bool asked, bool dirty)
{
	uint64_t clear = TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_FRESH | TD_DEV_REFERENCED;
	uint64_t set = td_dev_entry(TD_DEV_TIER1, frame) | (asked ? TD_DEV_REFERENCED : 0) |
		       (dirty ? TD_DEV_DIRTY : 0);
	uint64_t old = td_dev_peek(at), seen;
	for (;; old = seen) {
		seen = td_dev_cas(at, old, ((old & ~clear) | set) + (asked ? TD_DEV_PIN : 0));
		if (seen == old)
			return;
	}
}

/* Makes the page evicting, unless it is pinned. Gives the entry as it was. */
TD_DEV uint64_t td_dev_remote_evict(uint64_t *at, bool *ours)
{
	uint64_t e = td_dev_load(at);
	*ours = false;
	while (td_dev_state(e) == TD_DEV_TIER1 && !td_dev_pins(e)) {
		uint64_t gone = (e & ~(TD_DEV_STATE | TD_DEV_GENERATION)) |
				((e + TD_DEV_GENERATION_ONE) & TD_DEV_GENERATION) |
				td_dev_entry(TD_DEV_EVICTING, 0);
		uint64_t seen = td_dev_cas(at, e, gone);
		*ours = seen == e;
		if (*ours)
			break;
		e = seen;
	}
	return e;
}

TD_DEV void td_dev_remote_drop(uint64_t *at, uint32_t page)
{
	td_dev_change(at, TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_DIRTY | TD_DEV_REFERENCED,
		      td_dev_entry(TD_DEV_TIER2, page));
}

TD_DEV void td_dev_remote_refuse(struct td_dev_control *c, uint32_t page, uint32_t error)
{
	uint64_t *at = &c->entries[page];
	td_dev_fail(c, -(int)error, page, TD_DEV_READ);
	if (!td_dev_move(at, TD_DEV_LOADING, TD_DEV_STATE, td_dev_entry(TD_DEV_ABSENT, 0)))
		td_dev_move(at, TD_DEV_PROMOTING, TD_DEV_STATE, td_dev_entry(TD_DEV_TIER2, 0));
}

/* ---- all lanes: commands ---- */

TD_DEV_SLOW void td_dev_remote_bring(struct td_dev_control *c, struct td_dev_lanes g,
				     enum td_dev_command what, uint32_t page, uint32_t frame)
{
	uint64_t *at = &c->entries[page], bytes = (uint64_t)1 << c->page_shift;
	bool asked = false;
	if (g.rank == 0)
		asked = td_dev_remote_claim(at);
	td_dev_meet(g); /* what rank 0 has seen, all have */
	if (what == TD_DEV_BRING)
		td_dev_copy(g, td_dev_frame_memory(c, frame), td_dev_slot_memory(c, page), bytes);
	else if (what == TD_DEV_MAKE_ZERO)
		td_dev_zero(g, td_dev_frame_memory(c, frame), bytes);
	td_dev_fence();
	td_dev_meet(g);
	if (g.rank != 0)
		return;
	td_dev_remote_publish(at, frame, asked, what == TD_DEV_MAKE_ZERO);
	td_dev_reply(c, page, TD_DEV_ARRIVED);
}

TD_DEV_SLOW void td_dev_remote_leave(struct td_dev_control *c, struct td_dev_lanes g,
				     enum td_dev_command what, uint32_t page)
{
	uint64_t *at = &c->entries[page], e = 0;
	bool mine = false;
	if (g.rank == 0)
		e = td_dev_remote_evict(at, &mine);
	e = td_dev_share64(g, e);
	td_dev_meet(g); /* what rank 0 has seen, all have */
	uint32_t ours = td_dev_share32(g, mine), dirty = (e & TD_DEV_DIRTY) != 0;
	enum td_dev_reply how = !ours                 ? TD_DEV_PINNED
				: !dirty              ? TD_DEV_LEFT
				: what == TD_DEV_TAKE ? TD_DEV_TO_COPY
						      : TD_DEV_LEFT_DIRTY;
	if (how == TD_DEV_LEFT_DIRTY) {
		td_dev_copy(g, td_dev_slot_memory(c, page), td_dev_frame_memory(c, td_dev_index(e)),
			    (uint64_t)1 << c->page_shift);
		td_dev_fence_far();
		td_dev_meet(g);
	}
	if (g.rank != 0)
		return;
	if (how == TD_DEV_LEFT || how == TD_DEV_LEFT_DIRTY)
		td_dev_remote_drop(at, page);
	td_dev_reply(c, page, how);
}

/* Carries out one command. False: there is none. */
TD_DEV_SLOW bool td_dev_remote_serve(struct td_dev_control *c, struct td_dev_lanes g)
{
	uint64_t command = 0;
	if (g.rank == 0)
		command = td_dev_remote_take(c->remote);
	command = td_dev_share64(g, command);
	enum td_dev_command what = (enum td_dev_command)(command >> 60);
	uint32_t page = (uint32_t)(command >> 28), index = td_dev_index(command);
	switch (what) {
	case TD_DEV_BRING:
	case TD_DEV_MAKE_ZERO:
	case TD_DEV_SHOW: td_dev_remote_bring(c, g, what, page, index); break;
	case TD_DEV_EVICT:
	case TD_DEV_TAKE: td_dev_remote_leave(c, g, what, page); break;
	case TD_DEV_DROP:
		if (g.rank == 0) {
			td_dev_remote_drop(&c->entries[page], page);
			td_dev_reply(c, page, TD_DEV_LEFT_DIRTY);
		}
		break;
	case TD_DEV_WATCH:
		if (g.rank == 0)
			td_dev_and(&c->entries[page], ~TD_DEV_REFERENCED);
		break;
	case TD_DEV_REFUSE:
		if (g.rank == 0)
			td_dev_remote_refuse(c, page, index);
		break;
	}
	td_dev_meet(g);
	return command != 0;
}

/* ---- all lanes: pages ---- */

/* One lane: one step. */
TD_DEV_SLOW void td_dev_remote_try(struct td_dev_control *c, struct td_dev_load *l, bool write)
{
	uint64_t *at = &c->entries[l->page], e = td_dev_peek(at);
	enum td_dev_state state = td_dev_state(e);
	bool ours = false;
	if (state == TD_DEV_LOADING || state == TD_DEV_PROMOTING || state == TD_DEV_EVICTING)
		return;
	if (l->got == TD_DEV_POSTED) { /* it arrives with a pin for us */
		e = td_dev_load(at);
		if (td_dev_state(e) != TD_DEV_TIER1)
			return; /* it was refused */
		if (write && !(e & TD_DEV_DIRTY))
			td_dev_or(at, TD_DEV_DIRTY);
	} else {
		e = td_dev_claim(at, write, &ours);
		td_dev_first(c, l->page, e, write);
		if (ours) {
			td_dev_tell(c, TD_DEV_FAULT, l->page, write);
			l->got = TD_DEV_POSTED;
		}
		if (td_dev_state(e) != TD_DEV_TIER1)
			return;
	}
	l->got = TD_DEV_HELD;
	l->frame = td_dev_index(e);
}

TD_DEV_SLOW bool td_dev_remote_hold(struct td_dev_control *c, struct td_dev_lanes g,
				    struct td_dev_load *loads, uint32_t n, bool write)
{
	struct td_dev_wait w = {0, 0};
	for (uint32_t k = 0; k < n; k++) {
		loads[k].got = TD_DEV_LATER;
		loads[k].frame = 0;
	}
	for (;;) {
		uint32_t held = 0, on = 1;
		for (uint32_t k = 0; k < n; k++) {
			if (g.rank == 0 && loads[k].got != TD_DEV_HELD)
				td_dev_remote_try(c, &loads[k], write);
			loads[k].got = td_dev_share32(g, loads[k].got);
			loads[k].frame = td_dev_share32(g, loads[k].frame);
			held += loads[k].got == TD_DEV_HELD;
		}
		td_dev_meet(g); /* what rank 0 has seen, all have */
		if (held == n)
			return true;
		if (td_dev_remote_serve(c, g))
			w.since_ns = 0;
		else if (g.rank == 0)
			on = td_dev_waits(c, &w, loads[0].page, TD_DEV_FAULT);
		if (!td_dev_share32(g, on))
			return false;
	}
}

#endif
