/* Runs the input of a simulated run, or one access that is pushed. */
#include <errno.h>

#include "core/clock.h"
#include "kept.h"
#include "lib.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */

static void tell_progress(const struct tide_sim *sim, tide_progress *progress, void *arg)
{
	uint64_t total = sim->facts.accesses == TD_UNKNOWN ? 0 : sim->facts.accesses;
	if (progress)
		progress(arg, sim->engine->counts.accesses, total);
}

struct told {
	const struct tide_sim *sim;
	tide_progress *progress;
	void *arg;
};

static void tell_timed(void *arg)
{
	const struct told *to = arg;
	tell_progress(to->sim, to->progress, to->arg);
}

int td_lib_sim_run_functional(struct tide_sim *sim, struct td_trace_source *source,
			      tide_progress *progress, void *arg, struct tide_error *err)
{
	const struct td_lib_kept *numbered;
	int rc = td_lib_reading_share(source, sim->engine, &numbered, err);
	for (uint64_t i = 1; !rc; i++) {
		rc = td_trace_next_marked(source, sim->batch, err);
		if (rc || (!sim->batch->n && !sim->batch->marks_n))
			break;
		rc = numbered ? td_sim_batch_indexed(sim->engine, sim->batch,
						     numbered->at[i - 1]->index, err)
			      : td_sim_batch(sim->engine, sim->batch, err);
		if (rc)
			break;
		if (i % PROGRESS_EVERY == 0)
			tell_progress(sim, progress, arg);
	}
	return rc;
}

static int run_input(struct tide_sim *sim, struct told *to, struct tide_error *err)
{
	if (sim->split)
		return td_lib_parts_run(sim, to->progress, to->arg, err);
	if (sim->timed)
		return td_timed_run(sim->timed, sim->engine, sim->source, tell_timed, to, err);
	return td_lib_sim_run_functional(sim, sim->source, to->progress, to->arg, err);
}

static void flush(struct tide_sim *sim)
{
	if (sim->timed)
		td_timed_flush(sim->timed);
	else
		td_engine_flush(sim->engine);
}

int tide_sim_run(struct tide_sim *sim, tide_progress *progress, void *arg, struct tide_error *err)
{
	struct told to = {sim, progress, arg};
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (rc)
		return rc;
	if (!sim->source)
		return tide_fail(err, -EINVAL, "there is no input to run: push accesses instead");
	rc = run_input(sim, &to, err);
	if (!rc && sim->flush)
		flush(sim);
	tell_progress(sim, progress, arg);
	sim->finished_ns = td_clock_ns();
	if (!rc && sim->facts.accesses == TD_UNKNOWN)
		sim->facts.accesses = sim->engine->counts.accesses;
	return rc || sim->split ? rc : td_engine_finish(sim->engine, err);
}

static int refuse_input(const struct tide_sim *sim, struct tide_error *err)
{
	if (!sim->source)
		return 0;
	return tide_fail(err, -EINVAL,
			 "this run has an input of its own: open one without to push accesses");
}

int tide_sim_access(struct tide_sim *sim, const struct tide_event *event, struct tide_error *err)
{
	struct tide_event own = {0};
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, event, tide_event, err);
	if (!rc)
		rc = refuse_input(sim, err);
	if (rc)
		return rc;
	struct tide_batch *b = sim->batch;
	b->n = 1;
	b->page[0] = own.page;
	b->ref[0] = own.ref;
	b->stream[0] = own.stream;
	b->write[0] = own.write;
	td_lib_put_object(b->object, 0, &own);
	return td_sim_batch(sim->engine, b, err);
}

int tide_sim_push(struct tide_sim *sim, const struct tide_accesses *accesses,
		  struct tide_error *err)
{
	struct tide_accesses own;
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (!rc)
		rc = td_lib_take_accesses(&own, accesses, err);
	if (!rc)
		rc = refuse_input(sim, err);
	for (uint64_t at = 0; !rc && at < own.n; at += TIDE_BATCH) {
		rc = td_trace_stopped(sim->stop, err);
		if (rc)
			break;
		td_lib_arrays_fill(&own, at, TIDE_BATCH, sim->batch);
		rc = td_sim_batch(sim->engine, sim->batch, err);
	}
	return rc;
}
