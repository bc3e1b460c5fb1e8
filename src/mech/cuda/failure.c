/* What failed while a kernel ran: the first, in words. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "runtime.h"
#include "tide/device/queue.h"

void td_cuda_failed(struct tide_gpu *g, int error, uint32_t page, uint32_t op)
{
	pthread_mutex_lock(&g->lock);
	g->io_errors += op == TD_DEV_READ || op == TD_DEV_WRITE;
	if (!g->failure.error)
		g->failure = (struct td_cuda_failure){error, page, op};
	pthread_mutex_unlock(&g->lock);
}

static const char *action(uint32_t op)
{
	switch (op) {
	case TD_DEV_READ: return "be read";
	case TD_DEV_WRITE: return "be written";
	case TD_DEV_COPY_IN: return "be copied to near memory";
	case TD_DEV_COPY_OUT: return "be copied to host memory";
	case TD_DEV_FAULT: return "be brought in by the processor";
	case TD_DEV_WAITS_FRAME: return "get a frame of near memory";
	case TD_DEV_WAITS_SLOT: return "get a slot of host memory";
	default: return "arrive";
	}
}

static const char *advice(int error, uint32_t op)
{
	switch (error) {
	case -EROFS: return "the array is not writable: give writable";
	case -ENOSPC: return "make room there, and sync again: what was written is kept";
	case -ETIMEDOUT:
		if (op == TD_DEV_WAITS_FRAME)
			return "fewer warps or pins at once, or more near memory";
		return "storage is slower than the timeout, or a warp holds what another waits for";
	default: break;
	}
	return op == TD_DEV_WRITE ? "what was written is kept, sync tries again"
				  : "the kernel saw zeros there";
}

static int tell(const struct tide_gpu *g, const struct td_cuda_failure *f, uint64_t entry,
		struct tide_error *err)
{
	const struct td_cuda_array *a = td_cuda_array_of(g, f->page);
	char seconds[32] = "";
	if (f->error == -ETIMEDOUT)
		snprintf(seconds, sizeof seconds, " within %.3g s",
			 (double)g->set.timeout_ns / 1e9);
	if (!a)
		return tide_fail(err, f->error,
				 "page %" PRIu32 ", which no array has, could not %s: %s", f->page,
				 action(f->op), strerror(-f->error));
	return tide_fail(err, f->error,
			 "page %" PRIu32 " (byte %" PRIu64
			 " of %s) could not %s%s: %s (entry %016" PRIx64 "): %s",
			 f->page - a->first_page, td_cuda_offset_of(g, a, f->page), a->file->name,
			 action(f->op), seconds, strerror(-f->error), entry,
			 advice(f->error, f->op));
}

/* ---- rules that kernels break ---- */

static const char *call_name(uint32_t call)
{
	static const char *const names[] = {
#define NAME(name, text) text,
		TD_DEV_CALLS(NAME)
#undef NAME
	};
	return call < TD_DEV_CALLS_N ? names[call] : "a call";
}

static int tell_misuse(const struct tide_gpu *g, struct tide_error *err)
{
	const struct td_dev_failure *f = g->control.failure;
	char where[64];
	snprintf(where, sizeof where, "warp %" PRIu32 " of block %" PRIu64, f->warp, f->block);
	switch (f->op) {
	case TD_DEV_DIVERGED:
		return tide_fail(err, f->error,
				 "%s: lanes %08" PRIx32 " called %s, and the others did not come "
				 "within %.3g s: let all 32 lanes call it together, with active "
				 "false where a lane wants nothing",
				 where, f->lanes, call_name(f->call),
				 (double)g->set.timeout_ns / 1e9);
	case TD_DEV_MIXED:
		return tide_fail(err, f->error,
				 "%s: some lanes called %s while others made another call: let all "
				 "32 lanes make the same calls together",
				 where, call_name(f->call));
	case TD_DEV_DIFFERENT:
		return tide_fail(err, f->error,
				 "%s: lanes gave %s different elements, one of them %" PRIu64
				 ": give it the same one in all lanes",
				 where, call_name(f->call), f->number);
	case TD_DEV_BEYOND:
		return tide_fail(err, f->error,
				 "%s: lane %d called %s for element %" PRIu64
				 ", which is beyond the end of the array: pass active false there",
				 where, __builtin_ffs((int)f->lanes) - 1, call_name(f->call),
				 f->number);
	default:
		return tide_fail(err, f->error,
				 "%s holds %" PRIu64 " pages at a call of %s, and the launch was "
				 "told %" PRIu32 ": launch it with more pins",
				 where, f->number, call_name(f->call), g->control.pins);
	}
}

bool td_cuda_misused(const struct tide_gpu *g)
{
	const struct td_dev_failure *f = g->control.failure;
	return __atomic_load_n(&f->said, __ATOMIC_ACQUIRE) && f->op >= TD_DEV_DIVERGED;
}

/* ---- where everything is ---- */

struct census {
	uint64_t state[8], pinned, pins, free_frames, free_slots, host_used;
};

static void take_census(const struct tide_gpu *g, const struct td_cuda_tables *t, struct census *c)
{
	for (uint64_t i = 0; i < g->pages_used; i++) {
		c->state[td_dev_state(t->entries[i])]++;
		c->pins += td_dev_pins(t->entries[i]);
		c->pinned += td_dev_pins(t->entries[i]) != 0;
	}
	for (uint32_t i = 0; i < g->control.frames; i++)
		c->free_frames += t->owner[i] == TD_DEV_NONE;
	for (uint32_t i = 0; i < g->control.slots; i++)
		c->free_slots += t->slot_page[i] == TD_DEV_NONE;
	for (uint32_t i = 0; i < g->control.shards; i++)
		c->host_used += t->shard[i].host_used;
}

void td_cuda_describe(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_tables t;
	struct census c = {0};
	if (!err || td_cuda_tables_load(g, &t, NULL))
		return;
	take_census(g, &t, &c);
	td_cuda_tables_free(&t);
	size_t n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n,
		 "; frames: %" PRIu32 ", %" PRIu64 " free, %" PRIu64 " pages with %" PRIu64
		 " pins; slots: %" PRIu32 ", %" PRIu64 " free, %" PRIu64 " of tier 2, %" PRIu64
		 " being written; pages loading %" PRIu64 ", promoting %" PRIu64
		 ", evicting %" PRIu64,
		 g->control.frames, c.free_frames, c.pinned, c.pins, g->control.slots, c.free_slots,
		 c.host_used, c.state[TD_DEV_WRITING], c.state[TD_DEV_LOADING],
		 c.state[TD_DEV_PROMOTING], c.state[TD_DEV_EVICTING]);
}

int td_cuda_tell_failure(struct tide_gpu *g, struct tide_error *err)
{
	const struct td_dev_failure *said = g->control.failure;
	uint64_t entry = 0;
	pthread_mutex_lock(&g->lock);
	struct td_cuda_failure f = g->failure;
	g->failure = (struct td_cuda_failure){0};
	pthread_mutex_unlock(&g->lock);
	if (td_cuda_misused(g))
		return tell_misuse(g, err);
	if (__atomic_load_n(&said->said, __ATOMIC_ACQUIRE)) {
		entry = said->entry;
		/* The thread that served the file knew it first. */
		if (!f.error)
			f = (struct td_cuda_failure){said->error, said->page, said->op};
	}
	return f.error ? tell(g, &f, entry, err) : 0;
}
