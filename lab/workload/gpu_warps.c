/* An application's kernels as warps (trace/warps.h): the resident warps of all multiprocessors in
 * exact mode, one warp that stands for all of them in wave mode. */
#include <errno.h>
#include <stdlib.h>

#include "gpu_run.h"

struct kernels {
	struct td_warps head;
	struct td_gpu_source *gpu;
	struct td_gpu_machine machine;
	const struct td_gpu_machine *machine_before;
	uint64_t rounds; /* of the wave, up to its last turn */
	bool running;    /* of the wave */
};

static bool is_wave(const struct kernels *w)
{
	return w->gpu->app->wave && w->gpu->launch.instr;
}

static int no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "out of memory to generate the workload");
}

static void take_machine(struct kernels *w, const struct td_warps_machine *m)
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

static void close_warps(struct td_warps *warps)
{
	struct kernels *w = (struct kernels *)warps;

	w->gpu->app->machine = w->machine_before;
	free(w);
}

/* ---- launches ---- */

static int launch(struct td_warps *warps, struct td_warps_launch *out, struct tide_error *err)
{
	struct kernels *w = (struct kernels *)warps;
	struct td_gpu_source *s = w->gpu;
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

static bool running(const struct td_warps *warps)
{
	const struct kernels *w = (const struct kernels *)warps;

	return is_wave(w) ? w->running : w->gpu->exact.running != 0;
}

static uint64_t delay(const struct td_warps *warps, uint32_t place)
{
	const struct kernels *w = (const struct kernels *)warps;

	return is_wave(w) ? 0 : w->gpu->exact.delay[place];
}

static enum td_warps_state state(const struct td_warps *warps, uint32_t warp)
{
	const struct kernels *w = (const struct kernels *)warps;

	if (is_wave(w))
		return w->running ? TD_WARPS_READY : TD_WARPS_ENDED;
	const struct td_gpu_warp *at = &w->gpu->exact.warps[warp];
	return at->ended ? TD_WARPS_ENDED : at->waiting ? TD_WARPS_WAITING : TD_WARPS_READY;
}

/* ---- turns ---- */

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

static int turn_wave(struct kernels *w, struct td_warps_turn *out, struct tide_error *err)
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
static void turn_exact(struct kernels *w, uint32_t warp, struct td_warps_turn *out)
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

static int turn(struct td_warps *warps, uint32_t warp, struct td_warps_turn *out,
		struct tide_error *err)
{
	struct kernels *w = (struct kernels *)warps;

	if (is_wave(w))
		return turn_wave(w, out, err);
	turn_exact(w, warp, out);
	return 0;
}

static int open_warps(struct td_warps **out, struct td_trace_source *source,
		      const struct td_warps_machine *machine, struct tide_error *err)
{
	struct kernels *w = calloc(1, sizeof *w);

	if (!w)
		return no_memory(err);
	w->head.ops = &td_gpu_warps;
	w->gpu = (struct td_gpu_source *)source;
	take_machine(w, machine);
	*out = &w->head;
	return 0;
}

const struct td_warps_ops td_gpu_warps = {
	.open = open_warps,
	.close = close_warps,
	.launch = launch,
	.running = running,
	.delay = delay,
	.state = state,
	.turn = turn,
};
