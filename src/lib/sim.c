/* A simulated run: makes an engine from texts, and counts from a source. */
#include <errno.h>
#include <stdlib.h>

#include "core/clock.h"
#include "record.h"
#include "sim_judge.h"
#include "watch.h"
#include "workload/workload.h"

const char td_lib_sim_kind[] = "tide_sim";

static const char *or_default(const char *text, const char *initial)
{
	return text ? text : initial;
}

/* With a placement policy the other two are given: see sim_judge.c. */
static const char *evict_text(const struct tide_sim_options *o)
{
	return or_default(o->evict, o->place ? "clock" : o->objects ? "lru" : "lrm");
}

static const char *prefetch_text(const struct tide_sim_options *o)
{
	return or_default(o->prefetch, o->place || o->objects ? "none" : "tree");
}

static unsigned needs_of(const struct td_engine_config *config)
{
	return config->evict.needs | config->prefetch.needs | config->place.needs;
}

/* What must be known of the input before the first access. */
static bool facts_suffice(const struct td_trace_facts *f, const struct td_engine_config *config,
			  const struct td_lib_asked *asked)
{
	unsigned needs = needs_of(config);
	if (f->pages == TD_UNKNOWN &&
	    (td_lib_is_share(&asked->near) || td_lib_is_share(&asked->host)))
		return false;
	if (f->last_page == TD_UNKNOWN && config->prefetch.policy->plan_prefetch)
		return false;
	if (f->refs == TD_UNKNOWN && needs & TIDE_NEEDS_REFS)
		return false;
	return f->accesses != TD_UNKNOWN || !(needs & TIDE_NEEDS_FUTURE);
}

static bool has_digest(const struct td_trace_facts *f)
{
	return f->digest[0] || f->digest[1];
}

static int open_source(struct tide_sim *sim, const struct tide_sim_options *o, bool spool,
		       struct tide_error *err)
{
	struct td_lib_input in = {
		.accesses = o->accesses,
		.stop = o->stop,
		.workload = o->workload,
		.seed = sim->seed,
		.trace = {.path = o->trace,
			  .format = o->format,
			  .columns = o->columns,
			  .page_bytes = sim->page_bytes,
			  .spool = spool,
			  .digest = !o->no_digest && !has_digest(&sim->facts)},
	};
	/* With a clock, a workload is its warps, which are not kept. */
	if (sim->reading && !(o->model && o->workload) &&
	    td_lib_reading_open(sim->reading, &in, &sim->source))
		return 0;
	return td_lib_input_open(&sim->source, &in, err);
}

int td_lib_take_facts(struct td_trace_facts *facts, const struct tide_facts *given,
		      struct tide_error *err)
{
	struct tide_facts own = {sizeof own, TD_UNKNOWN, TD_UNKNOWN,
				 TD_UNKNOWN, TD_UNKNOWN, {0, 0}};
	int rc = given ? TD_LIB_TAKE(&own, given, tide_facts, err) : 0;
	*facts = (struct td_trace_facts){
		own.accesses, own.pages, own.last_page, own.refs, {own.digest[0], own.digest[1]}};
	return rc;
}

/* What the source itself does not say. */
static void merge_facts(struct td_trace_facts *facts, const struct td_trace_facts *given)
{
	uint64_t *to = (uint64_t *)facts;
	const uint64_t *from = (const uint64_t *)given;
	for (size_t i = 0; i < offsetof(struct td_trace_facts, digest) / sizeof *to; i++)
		to[i] = to[i] == TD_UNKNOWN ? from[i] : to[i];
}

/* A share of near memory is one of all objects' sizes. */
static int survey(struct tide_sim *sim, const struct td_engine_config *config,
		  const struct td_lib_asked *asked, struct tide_error *err)
{
	if (config->sized && td_lib_is_share(&asked->near))
		return td_sim_survey_objects(sim->source, sim->page_bytes, &sim->facts,
					     &sim->object_bytes, err);
	if (!facts_suffice(&sim->facts, config, asked))
		return td_sim_survey(sim->source, &sim->facts, err);
	return 0;
}

/* Opens the input and learns what has to be known of it, by a pass of its own if need be. */
static int open_input(struct tide_sim *sim, const struct tide_sim_options *o,
		      const struct td_engine_config *config, const struct td_lib_asked *asked,
		      struct tide_error *err)
{
	struct td_trace_facts given;
	int rc = td_lib_take_facts(&given, o->facts, err);
	if (rc)
		return rc;
	/* A pipe that has to be read twice is copied first. */
	sim->facts = given;
	bool spool = !facts_suffice(&given, config, asked) ||
		     needs_of(config) & TIDE_NEEDS_FUTURE ||
		     (config->sized && td_lib_is_share(&asked->near));
	rc = open_source(sim, o, spool, err);
	if (rc)
		return rc;
	if (sim->source->marks && o->model)
		return tide_fail(
			err, -EINVAL,
			"%s has marks, memory that comes and goes, which no timed model "
			"follows: leave `model` out, or convert it to txt (tide trace convert) to drop them",
			o->trace);
	sim->facts = sim->source->facts;
	merge_facts(&sim->facts, &given);
	rc = survey(sim, config, asked, err);
	if (!has_digest(&sim->source->facts))
		memcpy(sim->source->facts.digest, given.digest, sizeof given.digest);
	return rc;
}

/* The input is read once, into its parts. */
static int open_split(struct tide_sim *sim, const struct tide_sim_options *o,
		      struct tide_error *err)
{
	struct td_trace_facts given;
	int rc = td_lib_take_facts(&given, o->facts, err);
	if (rc)
		return rc;
	sim->facts = given;
	rc = open_source(sim, o, false, err);
	if (!rc)
		rc = td_lib_split_read(sim->split, sim->source, &sim->facts, err);
	if (!rc && !has_digest(&sim->source->facts))
		memcpy(sim->source->facts.digest, given.digest, sizeof given.digest);
	return rc;
}

/* A policy of the program or of a shared object may be asked for its needs. */
static int choose(struct tide_sim *sim, struct td_policy_choice *out, const char *spec,
		  enum tide_role role, struct tide_error *err)
{
	td_engine_begin_call(sim->engine, TD_CALL_needs_with, role);
	int rc = td_policy_choose_own(out, sim->own, spec, role, err);
	td_engine_end_call(sim->engine);
	return rc;
}

int td_lib_sim_choose(struct tide_sim *sim, struct td_engine_config *config,
		      const struct tide_sim_options *o, struct tide_error *err)
{
	int rc = choose(sim, &config->evict, evict_text(o), TIDE_EVICT, err);
	if (!rc)
		rc = choose(sim, &config->prefetch, prefetch_text(o), TIDE_PREFETCH, err);
	if (!rc && o->place)
		rc = choose(sim, &config->place, o->place, TIDE_PLACE, err);
	return rc;
}

static int keep_texts(struct tide_sim *sim, const struct tide_sim_options *o)
{
	sim->is_workload = o->workload != NULL;
	sim->stop = o->stop;
	sim->own = o->own;
	sim->flush = o->flush;
	sim->input = strdup(o->workload ? o->workload : or_default(o->trace, ""));
	sim->evict = strdup(evict_text(o));
	sim->prefetch = strdup(prefetch_text(o));
	sim->place = o->place ? strdup(o->place) : NULL;
	sim->model_text = strdup(or_default(o->model, "functional"));
	sim->batch = calloc(1, sizeof *sim->batch);
	bool all = sim->input && sim->evict && sim->prefetch && sim->batch && sim->model_text;
	return all && !o->place == !sim->place ? 0 : -ENOMEM;
}

/* Shows a policy the trace that it learns from. */
static int feed(void *arg, const char *trace, struct td_engine_box *box, struct tide_error *err)
{
	struct tide_sim *sim = arg;
	struct td_trace_options options = {
		.path = trace, .page_bytes = sim->page_bytes, .digest = true};
	struct td_trace_source *source;
	int rc = td_trace_open(&source, &options, err);
	if (rc)
		return rc;
	while (!(rc = td_trace_next(source, sim->batch, err)) && sim->batch->n) {
		rc = td_engine_teach(sim->engine, box, sim->batch, err);
		if (rc)
			break;
	}
	td_lib_learned(sim->learned, source);
	td_trace_close(source);
	return rc ? rc : td_engine_teach(sim->engine, box, NULL, err);
}

/* What the engine knows of the input, and the policies from their traces. */
int td_lib_sim_start(struct tide_sim *sim, struct td_engine_config *config,
		     const struct td_trace_source *source, const struct td_trace_facts *facts,
		     struct tide_error *err)
{
	config->last_page = facts->last_page;
	config->pages = facts->pages;
	config->length = facts->accesses == TD_UNKNOWN ? 0 : facts->accesses;
	if (source) {
		config->allocations = source->allocations;
		config->allocations_n = source->allocations_n;
		config->maps = source->marks;
	}
	if (facts->refs == 0)
		config->gives &= ~(unsigned)TIDE_NEEDS_REFS;
	int rc = td_engine_start(sim->engine, config, err);
	return rc ? rc : td_engine_train(sim->engine, feed, sim, err);
}

int td_lib_sim_foresee(struct tide_sim *sim, struct td_trace_source *source, struct tide_error *err)
{
	return sim->engine->wants_future ? td_sim_foresee(sim->engine, source, err) : 0;
}

static int open_engine(struct tide_sim *sim, const struct tide_sim_options *o,
		       struct td_engine_config *config, struct tide_error *err)
{
	config->near_pages = config->sized ? sim->near_bytes : sim->near_pages;
	config->host_pages = sim->host_pages;
	config->seed = sim->seed;
	config->replace_invalid = o->replace_invalid;
	config->log_path = o->log;
	int rc = 0;
	if (o->model) {
		rc = td_timed_open(&sim->timed, &sim->model, sim->page_bytes, err);
		if (rc)
			return rc;
		config->carrier = td_timed_carrier(sim->timed);
		td_timed_stop_by(sim->timed, o->stop);
	}
	rc = td_lib_sim_start(sim, config, sim->source, &sim->facts, err);
	if (!rc)
		rc = td_lib_sim_settings(sim, config, err);
	return rc ? rc : td_lib_sim_foresee(sim, sim->source, err);
}

/* ---- parts ---- */

static int open_parts(struct tide_sim *sim, const struct tide_sim_options *o,
		      struct td_engine_config *config, struct tide_error *err)
{
	struct td_lib_split *s = sim->split;
	const struct td_lib_part *first = s->part[0];
	int rc = td_lib_split_share(s, sim->near_pages, sim->chunk_pages, err);
	config->seed = sim->seed;
	config->replace_invalid = o->replace_invalid;
	s->config = *config;
	s->config.evict = s->config.prefetch = (struct td_policy_choice){0};
	config->near_pages = first->near_pages;
	/* The first part starts now: what is wrong with the policies is said before the run. */
	if (!rc)
		rc = td_lib_sim_start(sim, config, &first->head, &first->head.facts, err);
	return rc ? rc : td_lib_sim_settings(sim, config, err);
}

/* Pushed accesses may have groups and sizes; of an input it is known. */
static int make_object(struct tide_sim *sim, bool sized, struct tide_error *err)
{
	const struct td_trace_source *source = sim->source;
	if (source && !source->groups && !(sized && (source->sizes || source->costs)))
		return 0;
	sim->batch->object = calloc(1, sizeof *sim->batch->object);
	return sim->batch->object ? 0 : tide_fail(err, -ENOMEM, "out of memory");
}

static int resolve_near(struct tide_sim *sim, const struct td_engine_config *config,
			const struct td_lib_near *near, struct tide_error *err)
{
	sim->near_share = td_lib_share(near);
	if (!config->sized)
		return td_lib_near_resolve(near, sim->facts.pages, sim->chunk_pages,
					   &sim->near_pages, err);
	int rc = td_lib_near_resolve(near, sim->object_bytes, 1, &sim->near_bytes, err);
	sim->near_pages =
		sim->near_bytes / sim->page_bytes + (sim->near_bytes % sim->page_bytes != 0);
	return rc;
}

static int set_up(struct tide_sim *sim, const struct tide_sim_options *o,
		  struct td_engine_config *config, struct tide_error *err)
{
	struct td_lib_asked asked = {0};
	sim->started_ns = td_clock_ns();
	sim->facts = TD_TRACE_NO_FACTS;
	int rc = keep_texts(sim, o) ? tide_fail(err, -ENOMEM, "out of memory")
				    : td_engine_new(&sim->engine, err);
	if (!rc)
		rc = td_lib_watch(sim, o, err);
	if (!rc)
		rc = td_lib_sim_judge(sim, o, config, &asked, err);
	if (!rc && sim->split)
		rc = open_split(sim, o, err);
	else if (!rc && td_lib_sim_has_input(o))
		rc = open_input(sim, o, config, &asked, err);
	if (!rc)
		rc = make_object(sim, config->sized, err);
	if (!rc)
		rc = resolve_near(sim, config, &asked.near, err);
	sim->host_pages = td_lib_host_resolve(&asked.host, sim->facts.pages);
	if (rc)
		return rc;
	return sim->split ? open_parts(sim, o, config, err) : open_engine(sim, o, config, err);
}

int td_lib_sim_open(struct tide_sim **out, const struct tide_sim_options *options,
		    struct td_lib_reading *reading, struct tide_error *err)
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
	sim->reading = reading;
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

int tide_sim_open(struct tide_sim **out, const struct tide_sim_options *options,
		  struct tide_error *err)
{
	return td_lib_sim_open(out, options, NULL, err);
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
	struct tide_facts own = {.size = sizeof own,
				 .accesses = f->accesses,
				 .pages = f->pages,
				 .last_page = f->last_page,
				 .refs = f->refs};
	if (sim->source)
		memcpy(own.digest, sim->source->facts.digest, sizeof own.digest);
	return TD_LIB_GIVE(facts, &own, tide_facts, err);
}

int tide_sim_close(struct tide_sim *sim)
{
	int rc = sim ? td_handle_check(sim, td_lib_sim_kind, NULL) : 0;
	if (!sim || rc)
		return rc;
	sim->handle.kind = NULL;
	if (sim->engine)
		td_engine_dismiss(sim->engine);
	td_lib_unwatch(sim);
	td_engine_destroy(sim->engine);
	td_timed_close(sim->timed);
	td_timed_model_free(&sim->model);
	td_trace_close(sim->source);
	td_lib_split_free(sim->split);
	td_lib_batch_free(sim->batch);
	free(sim->model_text);
	free(sim->input);
	free(sim->evict);
	free(sim->prefetch);
	free(sim->place);
	free(sim);
	return 0;
}
