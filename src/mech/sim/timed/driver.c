/* The driver is one thread. It takes faults out of a buffer in batches, serves them chunk by chunk
 * in the order of addresses, and then lets the GPU try again.
 *
 *     sleeps --- first entry ---> starts --- batch served ---> replays --- all warps retry ---.
 *        ^                                                                                     |
 *        '-------------------------------- nothing raised since -------------------------------'
 *
 * A replay drops all faults that are still in the buffer. Their accesses fault again if the pages
 * are still absent. */
#include <errno.h>
#include <stdlib.h>

#include "state.h"

int td_driver_init(struct td_timed *t)
{
	t->driver_at = TD_TIMED_NEVER;
	t->entry = calloc((size_t)t->model.buffer, sizeof *t->entry);
	t->reading = calloc((size_t)t->model.depth, sizeof *t->reading);
	return t->entry && t->reading ? 0 : -ENOMEM;
}

void td_driver_raise(struct td_timed *t, uint32_t warp, uint32_t todo)
{
	const struct td_timed_todo *at = &t->warp[warp].todo[todo];

	if (t->entries == (uint32_t)t->model.buffer) {
		t->figures.dropped_faults++;
		return;
	}
	uint64_t time = t->now + td_timed_ps(t->model.fault_ns);
	t->entry[t->entries++] =
		(struct td_timed_entry){at->page, time, warp, todo, at->chunk, at->bit};
	if (t->driver != TD_DRIVER_SLEEPS)
		return;
	t->driver = TD_DRIVER_STARTS;
	t->driver_at = td_timed_later(time + td_timed_ps(t->model.wake_ns), t->driver_free);
}

void td_driver_wait(struct td_timed *t, uint32_t warp)
{
	t->warp[warp].stalled = true;
	t->warp[warp].stalled_since = t->now;
	t->stalled[t->stalled_n++] = warp;
}

static bool is_resident(const struct td_timed *t, uint32_t chunk, unsigned bit)
{
	const struct tide_view *v = &t->engine->box[TD_BOX_EVICT].view;

	return tide_resident(v, (tide_chunk){chunk}) >> bit & 1;
}

int td_driver_fault(struct td_timed *t, uint32_t warp, uint32_t todo)
{
	struct td_timed_warp *w = &t->warp[warp];
	struct td_timed_todo *at = &w->todo[todo];
	struct td_event event = {at->page, w->ref, w->stream, w->write};
	tide_chunk c = {at->chunk};

	t->room_at = t->slot_at = 0;
	td_engine_tick(t->engine, c);
	int rc = td_engine_fault(t->engine, c, at->bit, &event, t->err);
	at->done = true;
	/* A page that stays where it is has to be mapped all the same. */
	if (t->model.by_driver && !is_resident(t, at->chunk, at->bit))
		t->at += td_timed_ps(t->model.block_ns) +
			 td_timed_ps(t->model.page_ns * (double)t->page_bytes / 4096);
	return rc;
}

static int by_page(const void *a, const void *b)
{
	const struct td_timed_entry *x = a, *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	return (x->todo > y->todo) - (x->todo < y->todo);
}

static int serve(struct td_timed *t, struct td_timed_entry *at, uint32_t n)
{
	qsort(at, n, sizeof *at, by_page);
	for (uint32_t i = 0; i < n; i++) {
		t->at += td_timed_ps(t->model.entry_ns);
		if (i && at[i].page == at[i - 1].page) {
			t->figures.duplicate_faults++;
			continue;
		}
		if (is_resident(t, at[i].chunk, at[i].bit))
			continue; /* it came with another one */
		int rc = td_driver_fault(t, at[i].warp, at[i].todo);
		if (rc)
			return rc;
	}
	return 0;
}

/* Takes what had arrived when the driver began. */
static int do_batch(struct td_timed *t)
{
	uint32_t n = 0;

	while (n < t->entries && n < (uint32_t)t->model.batch && t->entry[n].time <= t->now)
		n++;
	t->figures.batches++;
	t->figures.raised_faults += n;
	t->figures.dropped_faults += t->entries - n;
	t->at = t->now + td_timed_ps(t->model.batch_ns);
	uint64_t up_before = t->up.free;
	int rc = serve(t, t->entry, n);
	/* The replay is after the batch's copies. */
	uint64_t copied = t->up.free != up_before ? t->up.free : t->at;
	t->entries = 0;
	t->figures.driver_ns += t->at - t->now;
	t->driver = TD_DRIVER_REPLAYS;
	t->driver_at = td_timed_later(t->at, copied) + td_timed_ps(t->model.replay_ns);
	t->driver_free = t->driver_at;
	return rc;
}

/* Entries raised while the batch was served are dropped: their warps are among those that retry. */
static void replay(struct td_timed *t)
{
	uint32_t n = t->stalled_n;

	t->figures.dropped_faults += t->entries;
	t->entries = 0;
	t->driver = TD_DRIVER_SLEEPS;
	t->driver_at = TD_TIMED_NEVER;
	t->stalled_n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t warp = t->stalled[i];
		t->warp[warp].stalled = false;
		t->figures.stalled_ns += t->now - t->warp[warp].stalled_since;
		t->warp[warp].queued = true;
		td_queue_push(&t->queue, t->now, warp);
	}
}

int td_driver_act(struct td_timed *t)
{
	if (t->driver == TD_DRIVER_STARTS)
		return do_batch(t);
	replay(t);
	return 0;
}
