/* What warps say becomes events of the engine, and what it decides becomes steps of pages. */
#include "orchestrator.h"

/* ---- the engine's decisions, while it makes them ---- */

static void note(struct td_cuda_orchestrator *o, tide_chunk c, uint64_t pages, bool comes)
{
	if (o->changes_n < o->changes_room) /* as many as near memory and a plan can have */
		o->changes[o->changes_n++] = (struct td_orch_change){c.index, comes, pages};
}

static void leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	struct td_cuda_orchestrator *o = arg;
	(void)to;
	note(o, c, was->resident, false);
	o->samples_due++;
}

static void come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from)
{
	(void)fault_bit, (void)from;
	note(arg, c, pages, true);
}

/* Only with a placement policy. */
static void spill(void *arg, tide_chunk c, bool dirty)
{
	(void)arg, (void)c, (void)dirty;
}

static void watch_pages(struct td_cuda_orchestrator *o, uint32_t chunk, uint64_t pages)
{
	for (; pages; pages &= pages - 1)
		td_orch_watch(o, chunk * o->chunk_pages + (uint32_t)__builtin_ctzll(pages));
}

/* Who was touched meanwhile tells once too often, which is an access like any other. */
static void watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	if (armed)
		watch_pages(arg, c.index, pages);
}

void td_orch_carrier(struct td_cuda_orchestrator *o, struct td_engine_carrier *carrier)
{
	*carrier = (struct td_engine_carrier){
		.arg = o, .leave = leave, .come = come, .spill = spill, .watch = watch};
}

/* ---- and afterwards ---- */

/* A page that had not left yet stays, and nobody has touched it since. */
static void settle_pages(struct td_cuda_orchestrator *o, const struct td_orch_change *c,
			 uint32_t asked)
{
	for (uint64_t left = c->pages; left; left &= left - 1) {
		uint32_t page = c->chunk * o->chunk_pages + (uint32_t)__builtin_ctzll(left);
		if (c->comes && page != asked && o->pages[page].state == TD_ORCH_NEAR)
			td_orch_watch(o, page);
		td_orch_settle(o, page);
	}
}

static void settle_changes(struct td_cuda_orchestrator *o, bool comes, uint32_t asked)
{
	for (size_t i = 0; i < o->changes_n; i++) {
		if (o->changes[i].comes == comes)
			settle_pages(o, &o->changes[i], asked);
	}
}

/* First what makes room. What a warp waits for goes before what it did not ask for, unless they are
 * read together. */
static void carry_out(struct td_cuda_orchestrator *o, uint32_t asked)
{
	settle_changes(o, false, asked);
	if (asked != TD_DEV_NONE && o->pages[asked].bits & (TD_ORCH_HOMED | TD_ORCH_FRESH))
		td_orch_settle(o, asked);
	settle_changes(o, true, asked);
	if (asked != TD_DEV_NONE)
		td_orch_settle(o, asked);
	o->changes_n = 0;
}

/* As many chunks as leave are watched, round and round, so that their next touch is an access. */
static void take_samples(struct td_cuda_orchestrator *o)
{
	uint32_t chunks = o->engine->near.chunks;
	for (uint32_t looked = 0; o->samples_due && looked < 64 && chunks; looked++) {
		o->sample_hand = (o->sample_hand + 1) % chunks;
		uint64_t resident = td_orch_lanes(o, o->sample_hand).resident;
		if (!resident)
			continue;
		watch_pages(o, o->sample_hand, resident);
		o->samples_due--;
	}
}

/* ---- what warps say ---- */

static int ask_engine(struct td_cuda_orchestrator *o, const struct td_dev_request *q, bool *absent)
{
	tide_chunk c = {q->page / o->chunk_pages};
	unsigned bit = q->page % o->chunk_pages;
	struct td_event event = {.page = q->page, .stream = q->sm, .write = q->slot != 0};
	enum td_engine_touched what = TD_ABSENT;
	int rc = td_engine_touch(o->engine, c, bit, &event, &what, NULL);
	*absent = what == TD_ABSENT;
	if (!rc && what == TD_NOTICE)
		rc = td_engine_notice(o->engine, c, &event, NULL);
	if (!rc && *absent && q->op == TD_DEV_FAULT) {
		td_engine_tick(o->engine, c);
		rc = td_engine_fault(o->engine, c, bit, &event, NULL);
	}
	return rc;
}

/* A fault that was posted before its page arrived by prefetch may be seen after it. */
static void serve_fault(struct td_cuda_orchestrator *o, const struct td_dev_request *q)
{
	struct td_orch_page *p = &o->pages[q->page];
	bool near = p->state == TD_ORCH_NEAR, homed = p->bits & TD_ORCH_HOMED, absent;
	if (!near)
		p->bits |= TD_ORCH_WANTED;
	int rc = ask_engine(o, q, &absent);
	if (rc)
		td_cuda_failed(o->g, rc, q->page, TD_DEV_FAULT);
	o->tier2_hits += absent && homed;
	o->tier2_misses += absent && !homed;
	o->waited += !absent;
	td_orch_hurry(o, q->page);
	carry_out(o, q->page);
}

static void serve_notice(struct td_cuda_orchestrator *o, const struct td_dev_request *q)
{
	bool absent;
	int rc = ask_engine(o, q, &absent);
	if (rc)
		td_cuda_failed(o->g, rc, q->page, TD_DEV_NOTICE);
	carry_out(o, TD_DEV_NONE);
}

static void serve_reply(struct td_cuda_orchestrator *o, uint32_t page, uint32_t how)
{
	switch (how) {
	case TD_DEV_ARRIVED: td_orch_arrived(o, page); break;
	case TD_DEV_LEFT: td_orch_left(o, page, false); break;
	case TD_DEV_LEFT_DIRTY: td_orch_left(o, page, true); break;
	case TD_DEV_TO_COPY: td_orch_copy(o, TD_ORCH_OUT, page, o->pages[page].frame); break;
	case TD_DEV_PINNED: td_orch_pinned(o, page); break;
	}
}

void td_orch_serve(struct td_cuda_orchestrator *o, const struct td_dev_request *q)
{
	if (q->page >= o->g->pages_used)
		return;
	if (q->op == TD_DEV_FAULT)
		serve_fault(o, q);
	else if (q->op == TD_DEV_NOTICE)
		serve_notice(o, q);
	else if (q->op == TD_DEV_REPLY)
		serve_reply(o, q->page, q->slot);
	if (o->samples)
		take_samples(o);
}
