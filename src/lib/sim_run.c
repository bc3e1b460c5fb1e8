/* Runs the input of a simulated run, or one access that is pushed. */
#include <errno.h>

#include "core/clock.h"
#include "kept.h"
#include "lib.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */

static void tell_progress(const struct tide_sim *sim, tide_progress *progress, void *arg)
{
	uint64_t total = sim->facts.accesses == TD_UNKNOWN ? 0 : sim->facts.accesses;
	uint64_t before = sim->split ? sim->split->done : 0;
	if (progress)
		progress(arg, before + sim->engine->counts.accesses, total);
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

static int run_functional(struct tide_sim *sim, struct td_trace_source *source,
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

/* ---- parts ---- */

static int next_part(struct tide_sim *sim, struct td_lib_part *part, struct tide_error *err)
{
	struct tide_sim_options texts = {.evict = sim->evict, .prefetch = sim->prefetch};
	struct td_engine_config config = sim->split->config;
	td_engine_reset(sim->engine);
	int rc = td_lib_sim_choose(sim, &config, &texts, err);
	config.near_pages = part->near_pages;
	if (!rc)
		rc = td_lib_sim_start(sim, &config, &part->head, &part->head.facts, err);
	td_policy_release(&config.evict);
	td_policy_release(&config.prefetch);
	return rc;
}

static void add_counts(struct tide_counts *to, const struct tide_counts *part)
{
#define TIDE_COUNTER(name, help) to->name += part->name;
#include "tide/counters.def"
#undef TIDE_COUNTER
}

/* Part by part, with one engine. In the end it has the counts of all. */
static int run_parts(struct tide_sim *sim, tide_progress *progress, void *arg,
		     struct tide_error *err)
{
	struct td_lib_split *s = sim->split;
	struct tide_counts sum = {.size = sizeof sum};
	int rc = 0;
	if (s->ran)
		return 0;
	s->ran = true;
	for (uint32_t i = 0; i < s->n && !rc; i++) {
		struct td_lib_part *part = s->part[i];
		rc = i ? next_part(sim, part, err) : 0;
		if (!rc)
			rc = td_lib_sim_foresee(sim, &part->head, err);
		if (!rc)
			rc = run_functional(sim, &part->head, progress, arg, err);
		part->counts = sim->engine->counts;
		s->done += part->counts.accesses;
		add_counts(&sum, &part->counts);
		if (!rc)
			rc = td_engine_finish(sim->engine, err);
	}
	td_engine_reset(sim->engine);
	sim->engine->counts = sum;
	s->done = 0;
	return rc;
}

static int run_input(struct tide_sim *sim, struct told *to, struct tide_error *err)
{
	if (sim->split)
		return run_parts(sim, to->progress, to->arg, err);
	if (sim->timed)
		return td_timed_run(sim->timed, sim->engine, sim->source, tell_timed, to, err);
	return run_functional(sim, sim->source, to->progress, to->arg, err);
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
	tell_progress(sim, progress, arg);
	sim->finished_ns = td_clock_ns();
	if (!rc && sim->facts.accesses == TD_UNKNOWN)
		sim->facts.accesses = sim->engine->counts.accesses;
	return rc || sim->split ? rc : td_engine_finish(sim->engine, err);
}

int tide_sim_access(struct tide_sim *sim, const struct tide_event *event, struct tide_error *err)
{
	struct tide_event own = {0};
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, event, tide_event, err);
	if (rc)
		return rc;
	if (sim->source)
		return tide_fail(
			err, -EINVAL,
			"this run has an input of its own: open one without to push accesses");
	struct tide_batch *b = sim->batch;
	b->n = 1;
	b->page[0] = own.page;
	b->ref[0] = own.ref;
	b->stream[0] = own.stream;
	b->write[0] = own.write;
	td_lib_put_object(b->object, 0, &own);
	return td_sim_batch(sim->engine, b, err);
}
