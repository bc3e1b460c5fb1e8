/* A warp's instruction. The warp issues it, translates and accesses its pages, and waits for
 * missing pages. */
#include <errno.h>
#include <stdlib.h>

#include "state.h"

#define LINE_BYTES 128  /* what one access of a warp moves at most */
#define SECTOR_BYTES 32 /* and per page, where its lanes are on several */
#define REGION_BYTES 2097152

/* ---- one page ---- */

static int find_chunk(struct td_timed *t, struct td_timed_todo *at)
{
	struct td_engine *e = t->engine;
	uint64_t number = td_space_number(&e->space, at->page);

	at->bit = (uint8_t)(at->page - number * e->near.chunk_pages);
	if (e->space.identity && number < e->near.chunks)
		at->chunk = (uint32_t)number;
	else if (td_engine_index(e, number, &at->chunk))
		return tide_fail(t->err, -ENOMEM, "out of memory for the state of the chunks");
	return 0;
}

/* Accesses that are told as one move their lines, and no line twice. */
static uint64_t bytes_of(const struct td_timed *t, uint64_t each, const struct td_timed_todo *at)
{
	return each * at->count < t->page_bytes ? each * at->count : t->page_bytes;
}

/* From near memory, when it is there. */
static uint64_t load(struct td_timed *t, const struct td_timed_warp *w,
		     const struct td_timed_todo *at, uint64_t bytes)
{
	struct td_timed_flight *f = td_timed_flight(t, at->chunk);
	uint64_t from = t->now, region = at->page * t->page_bytes / REGION_BYTES;

	if (f->pages && f->there <= t->now)
		f->pages = 0;
	if (f->pages >> at->bit & 1) {
		from = f->there;
		t->figures.stalled_ns += from - t->now;
	}
	from = td_tlb_find(&t->tlb, w->sm, at->page, f->stamp, region, from);
	/* Bandwidth is taken now, whenever the page is there: it holds up nobody else. */
	from = td_timed_later(from, td_transfer(&t->memory, t->now, 0, bytes));
	/* Nobody waits for a store. */
	return w->write ? from : from + t->memory_ps;
}

/* A few bytes go between the copies: they make these a little later, and wait for none. */
static uint64_t load_remotely(struct td_timed *t, uint64_t bytes)
{
	uint64_t queued = t->up.free;

	t->figures.remote_bytes += bytes;
	uint64_t takes = td_transfer(&t->up, t->now, 0, bytes) - td_timed_later(queued, t->now);
	return t->now + takes + td_timed_ps(t->model.remote_ns);
}

/* The access, if the page is there; otherwise *absent. */
static int touch(struct td_timed *t, struct td_timed_warp *w, const struct td_timed_todo *at,
		 uint64_t bytes, bool *absent)
{
	struct td_event event = {at->page, w->ref, w->stream, w->write};
	enum td_engine_touched what;

	t->at = td_timed_later(t->now, t->driver_free);
	t->room_at = 0;
	int rc =
		td_engine_touch(t->engine, (tide_chunk){at->chunk}, at->bit, &event, &what, t->err);
	*absent = what == TD_ABSENT;
	if (rc || *absent)
		return rc;
	uint64_t done = what == TD_HIT ? load(t, w, at, bytes) : load_remotely(t, bytes);
	w->done = td_timed_later(w->done, done);
	if (what == TD_NOTICE)
		return td_notice_give(t, &(struct td_timed_notice){event, at->chunk, at->bit});
	/* Where the policy brought the page in the driver was at work. */
	if (what == TD_REMOTE && t->at > td_timed_later(t->now, t->driver_free))
		td_notice_end(t);
	return 0;
}

/* ---- pages that are missing ---- */

static int remember(struct td_timed_warp *w, const struct td_timed_todo *at, struct tide_error *err)
{
	if (w->n == w->room) {
		uint32_t room = w->room ? w->room * 2 : 8;
		struct td_timed_todo *todo = realloc(w->todo, room * sizeof *todo);
		if (!todo)
			return tide_fail(err, -ENOMEM, "out of memory for the warps that wait");
		w->todo = todo;
		w->room = room;
	}
	w->todo[w->n++] = *at;
	return 0;
}

/* The warp's miss is served by itself, at once. */
static int serve_itself(struct td_timed *t, uint32_t warp, uint32_t todo)
{
	struct td_timed_warp *w = &t->warp[warp];

	t->at = t->now + td_timed_ps(t->model.lookup_ns);
	int rc = td_driver_fault(t, warp, todo);
	const struct td_timed_flight *f = td_timed_flight(t, w->todo[todo].chunk);
	t->figures.stalled_ns += f->there - t->now;
	w->done = td_timed_later(w->done, f->there + t->memory_ps);
	return rc;
}

/* Is the page absent still, and is its fault under way then? */
static int miss(struct td_timed *t, uint32_t warp, uint32_t todo)
{
	if (!t->model.by_driver)
		return serve_itself(t, warp, todo);
	td_driver_raise(t, warp, todo);
	return 0;
}

/* What is left of the instruction: accesses what is there, raises faults for what is not. */
static int retry(struct td_timed *t, uint32_t warp)
{
	struct td_timed_warp *w = &t->warp[warp];
	uint32_t left = 0;

	w->done = td_timed_later(w->done, t->now);
	for (uint32_t i = 0; i < w->n; i++) {
		struct td_timed_todo at = w->todo[i];
		bool absent = true;
		if (at.done) /* by the fault's service */
			continue;
		if (left < (uint32_t)t->model.misses) {
			int rc = touch(t, w, &at, bytes_of(t, LINE_BYTES, &at), &absent);
			if (rc)
				return rc;
		}
		if (!absent)
			continue;
		w->todo[left] = at;
		if (left < (uint32_t)t->model.misses) {
			int rc = miss(t, warp, left);
			if (rc)
				return rc;
		}
		left += !w->todo[left].done;
	}
	w->n = left;
	return 0;
}

/* ---- the instruction ---- */

static void queue(struct td_timed *t, uint32_t warp, uint64_t time)
{
	if (t->warp[warp].queued || t->warp[warp].stalled ||
	    td_warps_state(t->warps, warp) != TD_WARPS_READY)
		return;
	t->warp[warp].queued = true;
	td_queue_push(&t->queue, time, warp);
}

/* The others of its place: a barrier has opened for them, or a block began. They go on together. */
static void wake_place(struct td_timed *t, uint32_t warp, uint64_t time)
{
	uint32_t first = warp / t->place_warps * t->place_warps;

	for (uint32_t i = first; i < first + t->place_warps; i++) {
		if (i != warp && !t->warp[i].n)
			queue(t, i, time + t->cycle_ps);
	}
}

/* All its pages were accessed: on to the next one. */
static void end_instruction(struct td_timed *t, uint32_t warp)
{
	struct td_timed_warp *w = &t->warp[warp];
	uint64_t next = w->issued + w->rounds * (t->stands_for > 1 ? t->wave_ps : t->cycle_ps);

	next = td_timed_later(next, w->done);
	t->launch_end = td_timed_later(t->launch_end, next);
	if (w->changed)
		wake_place(t, warp, w->done);
	queue(t, warp, next);
}

static int first_try(struct td_timed *t, uint32_t warp, const struct td_warps_turn *turn)
{
	struct td_timed_warp *w = &t->warp[warp];
	uint64_t each = turn->n > 1 && t->stands_for == 1 ? SECTOR_BYTES : LINE_BYTES;

	for (uint32_t i = 0; i < turn->n; i++) {
		struct td_timed_todo at = {.page = turn->at[i].page, .count = turn->at[i].count};
		bool absent = true;
		int rc = find_chunk(t, &at);
		if (!rc && w->n < (uint32_t)t->model.misses)
			rc = touch(t, w, &at, bytes_of(t, each, &at), &absent);
		if (!rc && absent)
			rc = remember(w, &at, t->err);
		if (!rc && absent && w->n <= (uint32_t)t->model.misses)
			rc = miss(t, warp, w->n - 1);
		if (rc)
			return rc;
		w->n -= w->n && w->todo[w->n - 1].done;
	}
	return 0;
}

static int next_instruction(struct td_timed *t, uint32_t warp)
{
	struct td_timed_warp *w = &t->warp[warp];
	struct td_warps_turn turn;
	int rc = td_warps_turn(t->warps, warp, &turn, t->err);

	if (rc)
		return rc;
	if (t->stands_for == 1) /* one slot it had */
		t->sm_free[w->sm] += t->issue_ps * (turn.rounds - (turn.rounds != 0));
	w->issued = w->done = t->now;
	w->write = turn.write;
	w->ref = turn.ref;
	w->stream = turn.stream;
	w->rounds = turn.rounds;
	w->changed = turn.changed;
	return first_try(t, warp, &turn);
}

/* Has the multiprocessor a slot to issue now? If not, the warp gets the next one. */
static bool may_issue(struct td_timed *t, uint32_t warp)
{
	struct td_timed_warp *w = &t->warp[warp];
	uint64_t *free = &t->sm_free[w->sm];

	if (w->granted || !t->issue_ps || t->stands_for > 1) {
		w->granted = false;
		return true;
	}
	uint64_t slot = td_timed_later(*free, t->now);
	*free = slot + t->issue_ps;
	if (slot == t->now)
		return true;
	w->granted = w->queued = true;
	td_queue_push(&t->queue, slot, warp);
	return false;
}

int td_warp_act(struct td_timed *t, uint32_t warp)
{
	struct td_timed_warp *w = &t->warp[warp];
	int rc;

	w->queued = false;
	if (w->n)
		rc = retry(t, warp);
	else if (may_issue(t, warp))
		rc = next_instruction(t, warp);
	else
		return 0;
	if (rc)
		return rc;
	if (w->n)
		td_driver_wait(t, warp);
	else
		end_instruction(t, warp);
	return t->no_memory ? tide_fail(t->err, -ENOMEM, "out of memory for pages on their way")
			    : 0;
}
