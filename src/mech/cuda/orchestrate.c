/* Host orchestration: launches, and the thread that serves their faults. */
#include "orchestrate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/report.h"
#include "orchestrator.h"
#include "stats/json.h"

#define SPARE_SHARE 8 /* of near memory, one part is for pages that leave and are still held */

/* ---- the thread ---- */

static bool take_batch(struct td_cuda_orchestrator *o)
{
	struct td_cuda_ring *ring = &o->g->rings[o->g->set.proxies + 1];
	struct td_dev_request q;
	unsigned n = 0;
	while (n < TD_ORCH_BATCH && td_cuda_take(ring, &q)) {
		td_orch_serve(o, &q);
		td_cuda_done(ring);
		n++;
	}
	return n != 0;
}

static void *run(void *arg)
{
	struct td_cuda_orchestrator *o = arg;
	unsigned idle = 0;
	int rc = td_cuda_device.choose(o->g->set.device, NULL);
	if (rc)
		td_cuda_failed(o->g, rc, 0, TD_DEV_FAULT);
	for (;;) {
		bool ending = atomic_load(&o->ending), any = take_batch(o);
		td_orch_deal(o, any);
		any |= td_orch_push(o);
		if (ending && !any)
			break;
		idle = any ? 0 : idle + 1;
		if (idle)
			td_cuda_rest(o->g, idle);
	}
	td_orch_drain(o);
	td_engine_boundary(o->engine, o->launches++);
	td_orch_say_done(o);
	return NULL;
}

/* ---- arrays ---- */

int td_cuda_orchestrate_place(const struct tide_gpu *g, uint64_t pages, uint64_t *first,
			      struct tide_error *err)
{
	uint32_t each = g->orchestrator->chunk_pages;
	uint64_t at = (*first + each - 1) / each * each;
	if (at > g->set.host_pages || pages > g->set.host_pages - at)
		return tide_fail(err, -ENOSPC,
				 "orchestrate=host keeps all arrays in host memory, which has "
				 "%" PRIu64 " pages, and with this one they have %" PRIu64
				 ": give host of at least %" PRIu64 "p",
				 g->set.host_pages, at + pages, at + pages);
	*first = at;
	return 0;
}

static int map_arrays(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	int rc = 0;
	while (o->arrays_mapped < o->g->arrays_n && !rc) {
		const struct td_cuda_array *a = &o->g->arrays[o->arrays_mapped];
		rc = td_engine_map(o->engine, a->first_page, a->pages, err);
		o->arrays_mapped += !rc;
	}
	return rc;
}

/* ---- room for pins ---- */

static int refuse(const struct td_cuda_orchestrator *o, uint64_t warps, unsigned pins,
		  uint64_t needed, struct tide_error *err)
{
	uint64_t frames = o->g->control.frames, least = needed + o->chunk_pages;
	if (o->engine && least <= frames)
		return tide_fail(err, -ENOSPC,
				 "%" PRIu64 " warps with %u pages each need %" PRIu64
				 " frames that the policies do not use, more than the first launch "
				 "set aside, and the decision log is of one size: reset before",
				 warps, pins, needed);
	return tide_fail(err, -ENOSPC,
			 "near memory has %" PRIu64 " frames, and %" PRIu64
			 " warps with %u pages each need %" PRIu64 " besides a chunk of %" PRIu32
			 ": launch fewer warps, or give near memory of at least %" PRIu64 "p",
			 frames, warps, pins, needed, o->chunk_pages, least);
}

static int finish(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	int rc = o->engine ? td_engine_finish(o->engine, err) : 0;
	int closed = td_orch_close_engine(o, rc ? NULL : err);
	return rc ? rc : closed;
}

/* With less near memory than it had the engine begins anew; what was counted so far stays. */
static int make_engine(struct td_cuda_orchestrator *o, uint64_t near_pages, struct tide_error *err)
{
	o->renewed = o->engine != NULL;
	if (o->engine) {
		o->before = o->engine->counts;
		memcpy(o->replaced, o->engine->replaced, sizeof o->replaced);
	}
	int rc = finish(o, err);
	return rc ? rc : td_orch_open_engine(o, near_pages, err);
}

/* The engine fills near memory less what is spare: pages that it evicts stay as long as a warp
 * holds them. A warp that waits for a page holds at most its other pins; that many, of all warps,
 * must leave a frame for the page that one of them waits for. */
static int judge_pins(struct td_cuda_orchestrator *o, uint64_t warps, unsigned pins,
		      uint32_t *window, struct tide_error *err)
{
	uint64_t frames = o->g->control.frames, most = frames - o->chunk_pages, held = 0;
	uint64_t spare = o->engine ? frames - o->engine->near.capacity_pages : frames / SPARE_SHARE;
	bool huge = __builtin_mul_overflow(warps, (uint64_t)(pins ? pins - 1 : 0), &held);
	uint64_t needed = huge || held >= UINT32_MAX ? UINT32_MAX : held + 1;
	bool fits = o->engine && needed <= spare;
	if (needed > most || (o->engine && !fits && o->log_path))
		return refuse(o, warps, pins, needed, err);
	spare = needed > spare ? needed : spare > most ? most : spare;
	uint64_t more = warps ? (spare - needed) / warps : spare - needed;
	*window = more < TD_DEV_WINDOW - 1 ? (uint32_t)more + 1 : TD_DEV_WINDOW;
	return fits ? 0 : make_engine(o, frames - spare, err);
}

/* Who was ejected stays out. */
static int keep_out(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	int rc = 0;
	for (unsigned i = 0; i < TD_BOXES && !rc; i++) {
		o->engine->replaced[i] = o->replaced[i];
		if (o->replaced[i] >= TD_ENGINE_EJECT_AFTER)
			rc = td_engine_eject(o->engine, i, err);
	}
	return rc;
}

/* A new engine is told what is near, as far as it has room. */
static int keep_near(struct td_cuda_orchestrator *o, void *arg, struct tide_error *err)
{
	struct td_engine *e = o->engine;
	int rc = keep_out(o, err);
	(void)arg;
	for (uint32_t chunk = 0; chunk < e->near.chunks && !rc; chunk++) {
		uint64_t pages = 0;
		for (uint32_t i = 0; i < o->chunk_pages; i++) {
			uint64_t page = (uint64_t)chunk * o->chunk_pages + i;
			if (page < o->g->pages_used && o->pages[page].state == TD_ORCH_NEAR)
				pages |= UINT64_C(1) << i;
		}
		if (pages && td_lanes_count(pages) <= e->near.free_pages)
			rc = td_engine_bring(e, (tide_chunk){chunk}, pages, err);
	}
	o->changes_n = 0; /* they are there already */
	o->renewed = false;
	e->counts = o->before;
	return rc;
}

/* ---- launches ---- */

/* What the engine decided in the last launch and nobody was there to carry out. */
static void settle_all(struct td_cuda_orchestrator *o)
{
	for (uint32_t page = 0; page < o->g->pages_used; page++) {
		uint64_t resident = td_orch_lanes(o, page / o->chunk_pages).resident;
		bool near = o->pages[page].state == TD_ORCH_NEAR;
		if (near != (resident >> page % o->chunk_pages & 1))
			td_orch_settle(o, page);
	}
}

static int empty_ring(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	struct td_dev_remote r = {
		.commands = o->commands, .posted = o->posted, .entries = TD_ORCH_COMMANDS};
	td_orch_forget_commands(o);
	tide_list_init(&o->queues[0]);
	tide_list_init(&o->queues[1]);
	tide_list_init(&o->reading);
	tide_list_init(&o->lingering);
	o->retried = 0;
	return td_cuda_device.copy(o->remote, &r, sizeof r, err);
}

int td_cuda_orchestrate_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, uint32_t *window,
			      struct tide_error *err)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	int rc = judge_pins(o, warps, pins, window, err);
	if (!rc)
		rc = map_arrays(o, err);
	if (!rc)
		rc = empty_ring(o, err);
	if (!rc)
		rc = td_orch_look(o, err);
	if (!rc && o->renewed)
		rc = td_orch_call(o, keep_near, NULL, err);
	if (rc)
		return rc;
	atomic_store(&o->ending, 0);
	settle_all(o);
	rc = td_cuda_start(&o->thread, "tide-engine", run, o, err);
	o->started = !rc;
	return rc;
}

int td_cuda_orchestrate_end(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	atomic_store(&o->ending, 1);
	int rc = o->started ? td_orch_join(o, err) : 0;
	return rc ? rc : td_orch_tidy(o, err);
}

int td_cuda_orchestrate_finish(struct tide_gpu *g, struct tide_error *err)
{
	int rc = td_cuda_orchestrate_late(g, err);
	return rc ? rc : finish(g->orchestrator, err);
}

int td_cuda_orchestrate_reset(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	int rc = finish(o, err);
	for (uint64_t page = 0; page < g->pages_used; page++)
		o->pages[page] = (struct td_orch_page){.frame = TD_DEV_NONE};
	o->launches = o->waited = o->brought = o->saved = o->read_pages = 0;
	o->tier2_hits = o->tier2_misses = o->samples_due = 0;
	return rc;
}

/* ---- what happened ---- */

/* The engine sees faults and notices; accesses are counted by the GPU, and what was dirty is known
 * when it leaves. */
void td_cuda_orchestrate_stats(struct tide_gpu *g, struct tide_gpu_stats *stats)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	struct tide_counts *c = &stats->counts;
	uint64_t accesses = c->accesses, page = g->set.page_bytes;
	*c = o->engine ? o->engine->counts : (struct tide_counts){0};
	c->accesses = accesses;
	c->hits = accesses > c->faults ? accesses - c->faults : 0;
	c->writeback_pages = o->saved;
	c->tier2_hits = o->tier2_hits;
	c->tier2_misses = o->tier2_misses;
	c->tier3_reads = o->read_pages;
	stats->from_tier2_bytes = o->brought * page;
	stats->to_tier2_bytes = o->saved * page;
	stats->read_bytes += o->read_pages * page;
	stats->waited_faults = o->waited;
	if (o->engine)
		snprintf(stats->ejected, sizeof stats->ejected, "%s", o->engine->ejected);
}

static int report(struct td_cuda_orchestrator *o, void *to, struct tide_error *err)
{
	(void)err;
	td_engine_report(o->engine, to);
	return 0;
}

int td_cuda_orchestrate_policy(struct tide_gpu *g, json_t *to, struct tide_error *err)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	int rc = o->engine ? td_orch_call(o, report, to, err) : 0;
	if (rc)
		return rc;
	json_object_set_new(to, "evict", td_stats_text(o->evict));
	json_object_set_new(to, "prefetch", td_stats_text(o->prefetch));
	json_object_set_new(to, "chunk_pages", td_stats_integer(o->chunk_pages));
	if (o->engine)
		json_object_set_new(to, "near_pages",
				    td_stats_integer(o->engine->near.capacity_pages));
	return 0;
}
