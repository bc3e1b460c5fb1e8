#include "sim_judge.h"

#include <errno.h>
#include <sys/stat.h>

static bool is_stdin(const struct tide_sim_options *o)
{
	return o->trace && !strcmp(o->trace, "-");
}

static int judge_flush(const struct tide_sim_options *o, struct tide_error *err)
{
	if (!o->flush)
		return 0;
	if (!o->place)
		return tide_fail(err, -EINVAL,
				 "`flush` writes what is dirty to tier 3, and there is none: add "
				 "`place`, say `place` reuse");
	if (!td_lib_sim_has_input(o))
		return tide_fail(
			err, -EINVAL,
			"pushed accesses have no end at which to flush: leave `flush` out");
	return 0;
}

/* Three tiers are GMT's: pages singly, clock, nothing prefetched. */
static int judge_place(const struct tide_sim *sim, const struct tide_sim_options *o,
		       const struct td_engine_config *config, struct td_lib_asked *asked,
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

static int judge_model(struct tide_sim *sim, const struct tide_sim_options *o,
		       struct tide_error *err)
{
	if (!td_lib_sim_has_input(o))
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
	return td_lib_sim_has_input(o) && !is_stdin(o) && !(o->model && w && w->arrays);
}

/* A log that is the trace would be empty before the first event is read. */
static int judge_log(const struct tide_sim_options *o, struct tide_error *err)
{
	struct stat log, trace;
	if (!o->log || !o->trace || is_stdin(o) || stat(o->log, &log) || stat(o->trace, &trace))
		return 0;
	if (log.st_dev != trace.st_dev || log.st_ino != trace.st_ino || !S_ISREG(log.st_mode))
		return 0;
	return tide_fail(err, -EINVAL, "`log` %s is the trace itself: give another file", o->log);
}

/* Parts are runs without a clock, each with its own near memory and nothing behind it. */
static int judge_split(struct tide_sim *sim, const struct tide_sim_options *o,
		       struct tide_error *err)
{
	const char *with = o->model ? "model" : o->place ? "place" : o->log ? "log" : NULL;
	if (!o->split)
		return 0;
	if (with)
		return tide_fail(err, -EINVAL, "`split` and `%s` do not go together: leave one out",
				 with);
	if (!td_lib_sim_has_input(o))
		return tide_fail(err, -EINVAL,
				 "pushed accesses cannot be split: give a trace or a workload");
	int rc = td_lib_split_new(&sim->split, o->split, err);
	if (!rc)
		sim->split->threads = o->threads;
	return rc;
}

/* Objects are for caches: single pages, nothing prefetched, and no tier behind them. */
static int judge_objects(const struct tide_sim *sim, const struct tide_sim_options *o,
			 const struct td_engine_config *config, struct tide_error *err)
{
	const char *with = o->model             ? "model"
			   : o->place           ? "place"
			   : o->split           ? "split"
			   : o->log             ? "log"
			   : o->replace_invalid ? "replace_invalid"
						: NULL;
	if (!o->objects)
		return 0;
	if (with)
		return tide_fail(err, -EINVAL,
				 "`objects` and `%s` do not go together: leave one out", with);
	if (config->prefetch.policy->plan_prefetch)
		return tide_fail(
			err, -EINVAL,
			"`objects` works with `prefetch` none, not %s: leave `prefetch` out",
			config->prefetch.policy->name);
	if (sim->chunk_pages != 1)
		return tide_fail(err, -EINVAL,
				 "`objects` works on chunks of one page: leave `chunk` out");
	return 0;
}

/* Everything that can be judged without the input, so that bad usage costs no reading. */
int td_lib_sim_judge(struct tide_sim *sim, const struct tide_sim_options *o,
		     struct td_engine_config *config, struct td_lib_asked *asked,
		     struct tide_error *err)
{
	const char *chunk = (o->place || o->objects) && !o->chunk ? "1p" : o->chunk;
	if (!!o->trace + !!o->workload + !!o->accesses > 1)
		return tide_fail(err, -EINVAL, "%s: give one of `trace`, `workload`%s",
				 o->accesses ? "several inputs" : "both a trace and a workload",
				 o->accesses ? ", `accesses`" : "");
	if (!o->near_size)
		return tide_fail(err, -EINVAL,
				 "no size of near memory: give `near_size`, say `near_size` 75%%");
	int rc = judge_log(o, err);
	if (!rc)
		rc = judge_split(sim, o, err);
	if (!rc)
		rc = td_lib_seed(o->seed, &sim->seed, err);
	if (!rc)
		rc = td_lib_page_bytes(o->page, &sim->page_bytes, err);
	if (!rc)
		rc = td_lib_chunk_pages(chunk, sim->page_bytes, &sim->chunk_pages, err);
	if (!rc)
		rc = (o->objects ? td_lib_near_bytes_parse : td_lib_near_parse)(
			o->near_size, sim->page_bytes, &asked->near, err);
	if (!rc)
		rc = td_lib_sim_choose(sim, config, o, err);
	if (!rc)
		rc = judge_place(sim, o, config, asked, err);
	if (!rc)
		rc = judge_flush(o, err);
	if (!rc)
		rc = judge_objects(sim, o, config, err);
	if (!rc && !td_lib_sim_has_input(o) &&
	    (td_lib_is_share(&asked->near) || td_lib_is_share(&asked->host)))
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
	config->page_bytes = sim->page_bytes;
	config->sized = o->objects;
	config->mechanism = mech->name;
	config->gives = mech->gives;
	if (!has_future(o))
		config->gives &= ~(unsigned)TIDE_NEEDS_FUTURE;
	if (!rc)
		rc = td_engine_check_needs(config, err);
	return rc;
}
