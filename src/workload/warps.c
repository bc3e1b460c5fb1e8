#include "warps.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu_run.h"

struct td_warps {
	struct td_trace_source *source;
	struct td_gpu_source *gpu; /* NULL: the source is a trace or a plain pattern */
	struct td_gpu_machine machine;
	const struct td_gpu_machine *machine_before;
	uint64_t rounds; /* of the wave, up to its last turn */
	/* One warp that takes its accesses from batches. */
	struct tide_batch *batch;
	uint32_t taken;
	bool running, ended;
	struct td_gpu_event one;
};

static bool is_wave(const struct td_warps *w)
{
	return w->gpu->app->wave && w->gpu->launch.instr;
}

static int no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "out of memory to generate the workload");
}

static void take_machine(struct td_warps *w, const struct td_warps_machine *m)
{
	struct td_gpu_app *app = w->gpu->app;

	w->machine_before = app->machine;
	w->machine = *app->machine;
	if (m->sms)
		w->machine.sms = m->sms;
	if (m->blocks_per_sm)
		w->machine.blocks_per_sm = m->blocks_per_sm;
	if (m->threads_per_sm)
		w->machine.threads_per_sm = m->threads_per_sm;
	app->machine = &w->machine;
}

int td_warps_open(struct td_warps **out, struct td_trace_source *source,
		  const struct td_warps_machine *machine, struct tide_error *err)
{
	struct td_warps *w = calloc(1, sizeof *w);

	if (!w)
		return no_memory(err);
	w->source = source;
	if (td_gpu_of(source)) {
		w->gpu = (struct td_gpu_source *)source;
		take_machine(w, machine);
	} else if (!(w->batch = calloc(1, sizeof *w->batch))) {
		free(w);
		return no_memory(err);
	}
	*out = w;
	return 0;
}

void td_warps_close(struct td_warps *w)
{
	if (!w)
		return;
	if (w->gpu)
		w->gpu->app->machine = w->machine_before;
	free(w->batch);
	free(w);
}

/* ---- launches ---- */

static int launch_plain(struct td_warps *w, struct td_warps_launch *out)
{
	if (w->ended)
		return 0;
	w->running = true;
	*out = (struct td_warps_launch){.places = 1, .place_warps = 1, .stands_for = 1};
	return 1;
}

int td_warps_launch(struct td_warps *w, struct td_warps_launch *out, struct tide_error *err)
{
	struct td_gpu_source *s = w->gpu;

	if (!s)
		return launch_plain(w, out);
	int rc = td_gpu_begin(s);
	if (rc <= 0)
		return rc ? no_memory(err) : 0;
	w->rounds = 0;
	w->running = true;
	*out = (struct td_warps_launch){s->launches - 1, 1, 1, 1};
	if (is_wave(w)) {
		const struct td_gpu_launch *l = &s->launch;
		uint64_t blocks =
			s->wave.all_blocks < s->wave.width ? s->wave.all_blocks : s->wave.width;
		out->stands_for =
			blocks * ((l->block_x * l->block_y + TD_GPU_LANES - 1) / TD_GPU_LANES);
	} else {
		out->places = s->exact.blocks;
		out->place_warps = s->exact.block_warps;
	}
	return td_gpu_room(&s->ready, TD_GPU_LANES * 2) ? no_memory(err) : 1;
}

bool td_warps_running(const struct td_warps *w)
{
	return w->gpu && !is_wave(w) ? w->gpu->exact.running != 0 : w->running;
}

uint64_t td_warps_delay(const struct td_warps *w, uint32_t place)
{
	return w->gpu && !is_wave(w) ? w->gpu->exact.delay[place] : 0;
}

enum td_warps_state td_warps_state(const struct td_warps *w, uint32_t warp)
{
	if (!w->gpu || is_wave(w))
		return w->running ? TD_WARPS_READY : TD_WARPS_ENDED;
	const struct td_gpu_warp *at = &w->gpu->exact.warps[warp];
	return at->ended ? TD_WARPS_ENDED : at->waiting ? TD_WARPS_WAITING : TD_WARPS_READY;
}

/* ---- turns ---- */

static int turn_plain(struct td_warps *w, struct td_warps_turn *out, struct tide_error *err)
{
	struct tide_batch *b = w->batch;

	if (w->taken == b->n) {
		int rc = w->source->ops->next(w->source, b, err);
		if (rc)
			return rc;
		w->taken = 0;
	}
	if (!b->n) {
		w->running = false;
		w->ended = true;
		out->changed = true;
		return 0;
	}
	uint32_t i = w->taken++;
	w->one = (struct td_gpu_event){.page = b->page[i], .count = 1};
	out->at = &w->one;
	out->n = 1;
	out->write = b->write[i];
	out->ref = b->ref[i];
	out->stream = b->stream[i];
	return 0;
}

static void take_ready(const struct td_gpu_source *s, struct td_warps_turn *out)
{
	const struct td_gpu_ready *r = &s->ready;

	out->at = r->at;
	out->n = r->n;
	out->write = r->write;
	out->ref = (uint64_t)r->pc + 1;
	out->stream = r->n ? (uint64_t)r->at[0].block << 6 | r->at[0].warp : 0;
	out->array = r->array;
}

static int turn_wave(struct td_warps *w, struct td_warps_turn *out, struct tide_error *err)
{
	struct td_gpu_source *s = w->gpu;

	s->ready.n = 0;
	int rc = td_gpu_wave_next(s);
	if (rc < 0)
		return no_memory(err);
	take_ready(s, out);
	out->rounds = s->wave.rounds - w->rounds;
	w->rounds = s->wave.rounds;
	w->running = rc > 0;
	out->changed = !rc;
	return 0;
}

/* Where a warp's last instructions were merged its end comes that much later, by a turn of its own
 * without accesses. */
static void turn_exact(struct td_warps *w, uint32_t warp, struct td_warps_turn *out)
{
	struct td_gpu_source *s = w->gpu;
	struct td_gpu_exact *e = &s->exact;
	struct td_gpu_warp *at = &e->warps[warp];
	uint64_t changes = e->changes, next_block = e->next_block, running = e->running;

	at->rest = at->over;
	s->ready.n = 0;
	if (td_gpu_exact_turn(s, warp))
		take_ready(s, out);
	out->changed = e->changes != changes || at->ended || at->waiting;
	bool began = e->next_block != next_block || e->running != running;
	out->rounds = began ? 1 : at->over ? at->rest : 1 + at->rest;
}

int td_warps_turn(struct td_warps *w, uint32_t warp, struct td_warps_turn *out,
		  struct tide_error *err)
{
	*out = (struct td_warps_turn){.rounds = 1};
	if (!w->gpu)
		return turn_plain(w, out, err);
	if (is_wave(w))
		return turn_wave(w, out, err);
	turn_exact(w, warp, out);
	return 0;
}
