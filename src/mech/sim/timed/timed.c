/* The clock: runs launches one after another, and in a launch the warp or driver whose turn is
 * earliest. */
#include "timed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

#define TELL_EVERY 1048576 /* turns */

const struct td_mech td_mech_timed = {
	.name = "the timed simulator",
	.gives = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_NOTICES | TIDE_NEEDS_REFS | TIDE_NEEDS_FUTURE |
		 TIDE_NEEDS_PAGES | TIDE_NEEDS_CLOCK | TIDE_NEEDS_TOUCHED | TIDE_TAKES_SAMPLES |
		 TIDE_NEEDS_REMOTE,
};

static int no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "out of memory for the timed model");
}

int td_timed_open(struct td_timed **out, const struct td_timed_model *model, uint64_t page_bytes,
		  struct tide_error *err)
{
	struct td_timed *t = calloc(1, sizeof *t);

	if (!t)
		return no_memory(err);
	t->model = *model;
	t->page_bytes = page_bytes;
	t->cycle_ps = (uint64_t)(1e6 / model->clock_mhz + 0.5);
	t->issue_ps = (uint64_t)(1e6 / model->clock_mhz * model->issue_cycles + 0.5);
	t->memory_ps = td_timed_ps(model->memory_ns);
	/* Blocks go round the multiprocessors; of an unknown number of them there are enough. */
	t->sms = model->sms ? (uint32_t)model->sms : 1024;
	tide_vec_init(&t->flights, sizeof(struct td_timed_flight));
	td_transfer_init(t);
	t->sm_free = calloc(t->sms, sizeof *t->sm_free);
	int rc = t->sm_free ? td_tlb_init(&t->tlb, model, t->sms) : -ENOMEM;
	if (!rc)
		rc = td_driver_init(t);
	if (rc) {
		td_timed_close(t);
		return no_memory(err);
	}
	*out = t;
	return 0;
}

static void free_warps(struct td_timed *t)
{
	for (uint32_t i = 0; i < t->warps_room; i++)
		free(t->warp[i].todo);
	free(t->warp);
	free(t->stalled);
	free(t->queue.at);
	t->warp = NULL;
	t->stalled = NULL;
	t->queue.at = NULL;
	t->warps_room = 0;
}

void td_timed_close(struct td_timed *t)
{
	if (!t)
		return;
	free_warps(t);
	td_warps_close(t->warps);
	td_tlb_free(&t->tlb);
	tide_vec_free(&t->flights);
	free(t->sm_free);
	free(t->entry);
	free(t->reading);
	free(t);
}

static int make_warps(struct td_timed *t, uint32_t n)
{
	if (n <= t->warps_room)
		return 0;
	free_warps(t);
	t->warp = calloc(n, sizeof *t->warp);
	t->stalled = calloc(n, sizeof *t->stalled);
	t->queue.at = calloc(n, sizeof *t->queue.at);
	if (!t->warp || !t->stalled || !t->queue.at)
		return no_memory(t->err);
	t->warps_room = n;
	return 0;
}

/* All its warps get their first turns. */
static int begin_launch(struct td_timed *t, const struct td_warps_launch *l)
{
	uint32_t n = l->places * l->place_warps;
	int rc = make_warps(t, n);

	if (rc)
		return rc;
	t->place_warps = l->place_warps;
	t->stands_for = l->stands_for;
	t->wave_ps = (l->stands_for + t->sms - 1) / t->sms * t->issue_ps;
	t->now += td_timed_ps(t->model.launch_ns);
	t->launch_end = t->now;
	t->figures.launches++;
	for (uint32_t i = 0; i < n; i++) {
		struct td_timed_warp *w = &t->warp[i];
		uint32_t place = i / l->place_warps;
		*w = (struct td_timed_warp){.todo = w->todo, .room = w->room};
		w->sm = place % t->sms;
		if (td_warps_state(t->warps, i) != TD_WARPS_READY)
			continue;
		w->queued = true;
		td_queue_push(&t->queue, t->now + td_warps_delay(t->warps, place) * t->cycle_ps, i);
	}
	return 0;
}

/* What must never be; tests rely on being told. */
static int broken(struct td_timed *t, const char *what)
{
	return tide_fail(t->err, -EDEADLK,
			 "the timed model is broken: %s: report it with the command line", what);
}

/* The driver comes first where times are equal: a fault that takes no time is served before
 * anybody else accesses. */
static int step(struct td_timed *t)
{
	uint64_t warps_at = t->queue.n ? t->queue.at[0].time : TD_TIMED_NEVER;
	uint64_t notice_at = td_notice_at(t);

	if (t->driver_at < t->now || warps_at < t->now)
		return broken(t, "time went back");
	if (t->driver_at <= warps_at && t->driver_at != TD_TIMED_NEVER) {
		t->now = t->driver_at;
		return td_driver_act(t);
	}
	if (notice_at <= warps_at && notice_at != TD_TIMED_NEVER) {
		t->now = notice_at;
		return td_notice_act(t);
	}
	struct td_timed_turn turn = td_queue_pop(&t->queue);
	if (t->warp[turn.warp].stalled)
		return broken(t, "a warp that waits was to issue");
	t->now = turn.time;
	return td_warp_act(t, turn.warp);
}

static int run_launch(struct td_timed *t, uint64_t *steps, void (*tell)(void *arg), void *arg)
{
	while (t->queue.n || t->driver_at != TD_TIMED_NEVER || t->notices_n) {
		int rc = step(t);
		if (rc)
			return rc;
		if (++*steps % TELL_EVERY)
			continue;
		if (tell)
			tell(arg);
		rc = td_trace_stopped(t->stop, t->err);
		if (rc)
			return rc;
	}
	t->now = td_timed_later(t->now, t->launch_end);
	if (!td_warps_running(t->warps) && !t->stalled_n)
		return 0;
	return broken(t, "warps wait for nothing");
}

int td_timed_run(struct td_timed *t, struct td_engine *e, struct td_trace_source *source,
		 void (*tell)(void *arg), void *arg, struct tide_error *err)
{
	struct td_warps_machine machine = {(unsigned)t->model.sms, (unsigned)t->model.blocks_per_sm,
					   (unsigned)t->model.threads_per_sm};
	struct td_warps_launch launch;
	uint64_t steps = 0;

	t->engine = e;
	t->err = err;
	int rc = td_warps_open(&t->warps, source, &machine, err);
	while (!rc) {
		rc = td_warps_launch(t->warps, &launch, err);
		if (rc <= 0)
			break;
		rc = begin_launch(t, &launch);
		if (!rc)
			rc = run_launch(t, &steps, tell, arg);
		if (!rc)
			td_engine_boundary(e, launch.number);
	}
	/* What was copied ahead of its use may still be on its way. */
	t->now = td_timed_later(t->now, td_timed_later(t->up.free, t->down.free));
	td_engine_count_hits(e);
	td_warps_close(t->warps);
	t->warps = NULL;
	return rc;
}

void td_timed_flush(struct td_timed *t)
{
	t->at = t->cleaned_at = t->now;
	td_engine_flush(t->engine);
	t->now = t->cleaned_at;
}

void td_timed_stop_by(struct td_timed *t, const int *stop)
{
	t->stop = stop;
}

void td_timed_figures(const struct td_timed *t, struct td_timed_figures *out)
{
	*out = t->figures;
	out->simulated_ns = t->now / 1000;
	out->stalled_ns /= 1000;
	out->driver_ns /= 1000;
	out->up_ns = t->up.busy / 1000;
	out->down_ns = t->down.busy / 1000;
	out->up_bytes = t->up.bytes;
	out->down_bytes = t->down.bytes;
	out->read_bytes = t->reads.bytes;
	out->write_bytes = t->writes.bytes;
	out->tlb1_misses = t->tlb.first_misses;
	out->tlb2_misses = t->tlb.second_misses;
}
