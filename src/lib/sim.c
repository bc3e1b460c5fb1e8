/* A simulated run: from texts to an engine, from a source to counts. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "lib.h"
#include "workload/workload.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */

const char td_lib_sim_kind[] = "tide_sim";

static const char *or_default(const char *text, const char *initial)
{
	return text ? text : initial;
}

static bool is_stdin(const struct tide_sim_options *o)
{
	return o->trace && !strcmp(o->trace, "-");
}

/* With a placement policy the other two are given: see judge_place(). */
static const char *evict_text(const struct tide_sim_options *o)
{
	return or_default(o->evict, o->place ? "clock" : "lrm");
}

static const char *prefetch_text(const struct tide_sim_options *o)
{
	return or_default(o->prefetch, o->place ? "none" : "tree");
}

static unsigned needs_of(const struct td_engine_config *config)
{
	return config->evict.needs | config->prefetch.needs | config->place.needs;
}

/* Sizes as they were asked for. */
struct asked {
	struct td_lib_near near, host;
};

static bool is_share(const struct td_lib_near *amount)
{
	return amount->share_numerator != 0;
}

/* What must be known of the input before the first access. */
static bool facts_suffice(const struct td_trace_facts *f, const struct td_engine_config *config,
			  const struct asked *asked)
{
	unsigned needs = needs_of(config);
	if (f->pages == TD_UNKNOWN && (is_share(&asked->near) || is_share(&asked->host)))
		return false;
	if (f->last_page == TD_UNKNOWN && config->prefetch.policy->plan_prefetch)
		return false;
	if (f->refs == TD_UNKNOWN && needs & TIDE_NEEDS_REFS)
		return false;
	return f->accesses != TD_UNKNOWN || !(needs & TIDE_NEEDS_FUTURE);
}

static int open_source(struct tide_sim *sim, const struct tide_sim_options *o, bool spool,
		       struct tide_error *err)
{
	struct td_trace_options trace = {
		.path = o->trace,
		.format = o->format,
		.columns = o->columns,
		.page_bytes = sim->page_bytes,
		.spool = spool,
	};
	if (o->workload)
		return td_workload_open(&sim->source, o->workload, sim->page_bytes, sim->seed, err);
	return td_trace_open(&sim->source, &trace, err);
}

int td_lib_take_facts(struct td_trace_facts *facts, const struct tide_facts *given,
		      struct tide_error *err)
{
	struct tide_facts own = {sizeof own, TD_UNKNOWN, TD_UNKNOWN, TD_UNKNOWN, TD_UNKNOWN};
	int rc = given ? TD_LIB_TAKE(&own, given, tide_facts, err) : 0;
	*facts = (struct td_trace_facts){own.accesses, own.pages, own.last_page, own.refs};
	return rc;
}

/* What the source itself does not say. */
static void merge_facts(struct td_trace_facts *facts, const struct td_trace_facts *given)
{
	uint64_t *to = (uint64_t *)facts;
	const uint64_t *from = (const uint64_t *)given;
	for (size_t i = 0; i < sizeof *facts / sizeof *to; i++)
		to[i] = to[i] == TD_UNKNOWN ? from[i] : to[i];
}

/* Opens the input and learns what has to be known of it, by a pass of its own if need be. */
static int open_input(struct tide_sim *sim, const struct tide_sim_options *o,
		      const struct td_engine_config *config, const struct asked *asked,
		      struct tide_error *err)
{
	struct td_trace_facts given;
	int rc = td_lib_take_facts(&given, o->facts, err);
	if (rc)
		return rc;
	/* A pipe that has to be read twice is copied first. */
	bool spool = !facts_suffice(&given, config, asked) || needs_of(config) & TIDE_NEEDS_FUTURE;
	rc = open_source(sim, o, spool, err);
	if (rc)
		return rc;
	if (sim->source->marks && o->model)
		return tide_fail(err, -EINVAL,
				 "%s has marks, memory that comes and goes, which no timed model "
				 "follows: leave `model` out, or convert it to txt to drop them",
				 o->trace);
	sim->facts = sim->source->facts;
	merge_facts(&sim->facts, &given);
	if (!facts_suffice(&sim->facts, config, asked))
		rc = td_sim_survey(sim->source, &sim->facts, err);
	return rc;
}

static int choose_policies(struct td_engine_config *config, const struct tide_sim_options *o,
			   struct tide_error *err)
{
	int rc = td_policy_choose(&config->evict, evict_text(o), TIDE_EVICT, err);
	if (!rc)
		rc = td_policy_choose(&config->prefetch, prefetch_text(o), TIDE_PREFETCH, err);
	if (!rc && o->place)
		rc = td_policy_choose(&config->place, o->place, TIDE_PLACE, err);
	return rc;
}

/* Three tiers are GMT's: pages singly, clock, nothing prefetched. */
static int judge_place(const struct tide_sim *sim, const struct tide_sim_options *o,
		       const struct td_engine_config *config, struct asked *asked,
		       struct tide_error *err)
{
	if (!o->place && o->host)
		return tide_fail(err, -EINVAL,
				 "`host` is the size of tier 2, and nothing uses it: add `place`, "
				 "say `place` reuse");
	if (!o->place)
		return 0;
	if (!o->host)
		return tide_fail(err, -EINVAL,
				 "`place` %s has no tier 2: add `host` SIZE, say `host` 50%%",
				 o->place);
	if (strcmp(config->evict.policy->name, "clock") != 0)
		return tide_fail(err, -EINVAL,
				 "`place` works with `evict` clock, not %s: leave `evict` out",
				 config->evict.policy->name);
	if (config->prefetch.policy->plan_prefetch)
		return tide_fail(err, -EINVAL,
				 "`place` works with `prefetch` none, not %s: leave `prefetch` out",
				 config->prefetch.policy->name);
	if (sim->chunk_pages != 1)
		return tide_fail(err, -EINVAL,
				 "`place` works on chunks of one page: leave `chunk` out");
	return td_lib_host_parse(o->host, sim->page_bytes, &asked->host, err);
}

static int keep_texts(struct tide_sim *sim, const struct tide_sim_options *o)
{
	sim->is_workload = o->workload != NULL;
	sim->input = strdup(o->workload ? o->workload : or_default(o->trace, ""));
	sim->evict = strdup(evict_text(o));
	sim->prefetch = strdup(prefetch_text(o));
	sim->place = o->place ? strdup(o->place) : NULL;
	sim->model_text = strdup(or_default(o->model, "functional"));
	sim->batch = calloc(1, sizeof *sim->batch);
	bool all = sim->input && sim->evict && sim->prefetch && sim->batch && sim->model_text;
	return all && !o->place == !sim->place ? 0 : -ENOMEM;
}

static int judge_model(struct tide_sim *sim, const struct tide_sim_options *o,
		       struct tide_error *err)
{
	if (!o->trace && !o->workload)
		return tide_fail(err, -EINVAL,
				 "pushed accesses have no time: leave the model out, or give a "
				 "trace or a workload");
	return td_timed_model(&sim->model, o->model, err);
}

/* A page cache is the host's, and so is whoever moves pages through it. */
static int judge_server(const struct tide_sim *sim, const struct tide_sim_options *o,
			const struct td_engine_config *config, struct tide_error *err)
{
	const struct tide_policy *place = config->place.policy;
	if (!place || !place->inclusive || sim->model.by_driver)
		return 0;
	return tide_fail(
		err, -EINVAL,
		"place policy %s is about a host that moves pages, and in model %.100s the "
		"GPU does: give `model` hmm",
		place->name, o->model);
}

/* Is the order of accesses known beforehand? With a clock, many warps make their own. */
static bool has_future(const struct tide_sim_options *o)
{
	const struct td_workload *w = o->workload ? td_workload_find(o->workload) : NULL;
	return (o->trace || o->workload) && !is_stdin(o) && !(o->model && w && w->arrays);
}

/* Everything that can be judged without the input, so that bad usage costs no reading. */
static int judge_options(struct tide_sim *sim, const struct tide_sim_options *o,
			 struct td_engine_config *config, struct asked *asked,
			 struct tide_error *err)
{
	const char *chunk = o->place && !o->chunk ? "1p" : o->chunk;
	if (o->trace && o->workload)
		return tide_fail(err, -EINVAL,
				 "both a trace and a workload: give one of `trace`, `workload`");
	if (!o->near_size)
		return tide_fail(err, -EINVAL,
				 "no size of near memory: give `near_size`, say `near_size` 75%%");
	int rc = td_lib_seed(o->seed, &sim->seed, err);
	if (!rc)
		rc = td_lib_page_bytes(o->page, &sim->page_bytes, err);
	if (!rc)
		rc = td_lib_chunk_pages(chunk, sim->page_bytes, &sim->chunk_pages, err);
	if (!rc)
		rc = td_lib_near_parse(o->near_size, sim->page_bytes, &asked->near, err);
	if (!rc)
		rc = choose_policies(config, o, err);
	if (!rc)
		rc = judge_place(sim, o, config, asked, err);
	if (!rc && !o->trace && !o->workload && (is_share(&asked->near) || is_share(&asked->host)))
		rc = tide_fail(err, -EINVAL,
			       "memory as a share needs a footprint, and pushed accesses have none "
			       "yet: give pages");
	if (!rc && o->model)
		rc = judge_model(sim, o, err);
	if (!rc && o->model)
		rc = judge_server(sim, o, config, err);
	/* A policy that cannot run at all is refused before the input is read. */
	const struct td_mech *mech = o->model ? &td_mech_timed : &td_mech_functional;
	config->chunk_pages = sim->chunk_pages;
	config->mechanism = mech->name;
	config->gives = mech->gives;
	if (!has_future(o))
		config->gives &= ~(unsigned)TIDE_NEEDS_FUTURE;
	if (!rc)
		rc = td_engine_check_needs(config, err);
	return rc;
}

/* Shows a policy the trace that it learns from. */
static int feed(void *arg, const char *trace, struct td_engine_box *box, struct tide_error *err)
{
	const struct tide_sim *sim = arg;
	const struct tide_policy *p = box->choice.policy;
	struct td_trace_options options = {.path = trace, .page_bytes = sim->page_bytes};
	struct td_trace_source *source;
	int rc = td_trace_open(&source, &options, err);
	if (rc)
		return rc;
	while (!(rc = td_trace_next(source, sim->batch, err)) && sim->batch->n) {
		rc = p->train(box->self, sim->batch, err);
		if (rc)
			break;
	}
	td_trace_close(source);
	return rc ? rc : p->train(box->self, NULL, err);
}

static int open_engine(struct tide_sim *sim, const struct tide_sim_options *o,
		       struct td_engine_config *config, struct tide_error *err)
{
	config->near_pages = sim->near_pages;
	config->host_pages = sim->host_pages;
	config->last_page = sim->facts.last_page;
	config->pages = sim->facts.pages;
	config->length = sim->facts.accesses == TD_UNKNOWN ? 0 : sim->facts.accesses;
	if (sim->source) {
		config->allocations = sim->source->allocations;
		config->allocations_n = sim->source->allocations_n;
		config->maps = sim->source->marks;
	}
	config->seed = sim->seed;
	config->replace_invalid = o->replace_invalid;
	config->log_path = o->log;
	if (sim->facts.refs == 0)
		config->gives &= ~(unsigned)TIDE_NEEDS_REFS;
	int rc = 0;
	if (o->model) {
		rc = td_timed_open(&sim->timed, &sim->model, sim->page_bytes, err);
		if (rc)
			return rc;
		config->carrier = td_timed_carrier(sim->timed);
	}
	rc = td_engine_create(&sim->engine, config, err);
	if (!rc)
		rc = td_engine_train(sim->engine, feed, sim, err);
	if (!rc && sim->engine->wants_future)
		rc = td_sim_foresee(sim->engine, sim->source, err);
	return rc;
}

static int set_up(struct tide_sim *sim, const struct tide_sim_options *o,
		  struct td_engine_config *config, struct tide_error *err)
{
	struct asked asked = {0};
	sim->started_ns = td_clock_ns();
	sim->facts = TD_TRACE_NO_FACTS;
	int rc = judge_options(sim, o, config, &asked, err);
	if (!rc && keep_texts(sim, o))
		rc = tide_fail(err, -ENOMEM, "out of memory");
	if (!rc && (o->trace || o->workload))
		rc = open_input(sim, o, config, &asked, err);
	if (!rc)
		rc = td_lib_near_resolve(&asked.near, sim->facts.pages, sim->chunk_pages,
					 &sim->near_pages, err);
	sim->host_pages = td_lib_host_resolve(&asked.host, sim->facts.pages);
	return rc ? rc : open_engine(sim, o, config, err);
}

int tide_sim_open(struct tide_sim **out, const struct tide_sim_options *options,
		  struct tide_error *err)
{
	struct td_engine_config config = {0};
	struct tide_sim_options own = {0};
	int rc = td_lib_given(out, "out", err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, options, tide_sim_options, err);
	if (rc)
		return rc;
	struct tide_sim *sim = calloc(1, sizeof *sim);
	if (!sim)
		return tide_fail(err, -ENOMEM, "out of memory");
	sim->handle.kind = td_lib_sim_kind;
	rc = set_up(sim, &own, &config, err);
	td_policy_release(&config.evict);
	td_policy_release(&config.prefetch);
	td_policy_release(&config.place);
	if (rc)
		tide_sim_close(sim);
	else
		*out = sim;
	return rc;
}

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

static int run_functional(struct tide_sim *sim, tide_progress *progress, void *arg,
			  struct tide_error *err)
{
	int rc;
	for (uint64_t i = 1;; i++) {
		rc = td_trace_next_marked(sim->source, sim->batch, err);
		if (rc || (!sim->batch->n && !sim->batch->marks_n))
			break;
		rc = td_sim_batch(sim->engine, sim->batch, err);
		if (rc)
			break;
		if (i % PROGRESS_EVERY == 0)
			tell_progress(sim, progress, arg);
	}
	return rc;
}

int tide_sim_run(struct tide_sim *sim, tide_progress *progress, void *arg, struct tide_error *err)
{
	struct told to = {sim, progress, arg};
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (rc)
		return rc;
	if (!sim->source)
		return tide_fail(err, -EINVAL, "there is no input to run: push accesses instead");
	rc = sim->timed ? td_timed_run(sim->timed, sim->engine, sim->source, tell_timed, &to, err)
			: run_functional(sim, progress, arg, err);
	tell_progress(sim, progress, arg);
	sim->finished_ns = td_clock_ns();
	return rc ? rc : td_engine_finish(sim->engine, err);
}

int tide_sim_access(struct tide_sim *sim, const struct tide_event *event, struct tide_error *err)
{
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (!rc)
		rc = td_lib_given(event, "event", err);
	if (rc)
		return rc;
	if (sim->source)
		return tide_fail(
			err, -EINVAL,
			"this run has an input of its own: open one without to push accesses");
	struct tide_batch *b = sim->batch;
	b->n = 1;
	b->page[0] = event->page;
	b->ref[0] = event->ref;
	b->stream[0] = event->stream;
	b->write[0] = event->write;
	return td_sim_batch(sim->engine, b, err);
}

int tide_sim_counts(const struct tide_sim *sim, struct tide_counts *counts, struct tide_error *err)
{
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	return rc ? rc : TD_LIB_GIVE(counts, &sim->engine->counts, tide_counts, err);
}

uint64_t tide_sim_time_ns(const struct tide_sim *sim)
{
	struct td_timed_figures f = {0};
	if (!td_handle_check(sim, td_lib_sim_kind, NULL) && sim->timed)
		td_timed_figures(sim->timed, &f);
	return f.simulated_ns;
}

int tide_sim_facts(const struct tide_sim *sim, struct tide_facts *facts, struct tide_error *err)
{
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (rc)
		return rc;
	const struct td_trace_facts *f = &sim->facts;
	struct tide_facts own = {sizeof own, f->accesses, f->pages, f->last_page, f->refs};
	return TD_LIB_GIVE(facts, &own, tide_facts, err);
}

int tide_sim_close(struct tide_sim *sim)
{
	int rc = sim ? td_handle_check(sim, td_lib_sim_kind, NULL) : 0;
	if (!sim || rc)
		return rc;
	sim->handle.kind = NULL;
	td_engine_destroy(sim->engine);
	td_timed_close(sim->timed);
	td_timed_model_free(&sim->model);
	td_trace_close(sim->source);
	free(sim->batch);
	free(sim->model_text);
	free(sim->input);
	free(sim->evict);
	free(sim->prefetch);
	free(sim->place);
	free(sim);
	return 0;
}
