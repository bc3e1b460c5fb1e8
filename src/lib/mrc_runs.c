/* The curve of a policy that is no stack algorithm: a run for every size, on several threads. The
 * input is read once and kept in memory (kept.h), and all runs go over it. Of a sampled curve,
 * several samples are kept, each of other pages. The runs over a sample have the same share of the
 * size (miniature simulations). Their mean is the curve, and how they differ gives its error.
 *
 * Some policies have a method for many sizes in one pass (mrc_lanes.c). Then only samples are kept.
 */
#include "mrc_runs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/jobs.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */
#define LANES_ACCESSES_MOST (UINT32_MAX - TIDE_BATCH)

/* ---- before any run ---- */

bool td_lib_curve_read_once(const struct td_lib_curve *c)
{
	const char *path = c->options->trace;
	struct stat st;
	if (!path || !strcmp(path, "-"))
		return path != NULL;
	return !stat(path, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool is_known(const struct td_trace_facts *f)
{
	return f->accesses != TD_UNKNOWN && f->pages != TD_UNKNOWN && f->last_page != TD_UNKNOWN &&
	       f->refs != TD_UNKNOWN;
}

/* Sizes of curves go through floating point, which is exact up to here. */
#define BYTES_MOST (UINT64_C(1) << 53)

static int survey_objects(struct td_lib_curve *c, struct td_trace_source *source,
			  struct td_trace_facts *facts, struct tide_error *err)
{
	int rc = td_sim_survey_objects(source, c->page_bytes, facts, &c->object_bytes, err);
	if (!rc && c->object_bytes > BYTES_MOST)
		rc = tide_fail(err, -EOVERFLOW,
			       "all objects together have more than 8 PiB, too much for a curve: "
			       "look at the sizes in the input");
	return rc;
}

/* Whatever is not known of the input, so that no run has to look for it. */
static int learn(struct td_lib_runs *r, struct td_trace_source *source, struct tide_error *err)
{
	struct td_trace_facts f = is_known(&source->facts) ? source->facts : r->curve->given;
	int rc = 0;
	if (r->curve->options->objects) {
		f = source->facts;
		rc = survey_objects(r->curve, source, &f, err);
	} else if (!is_known(&f)) {
		f = source->facts;
		rc = td_sim_survey(source, &f, err);
	}
	r->facts = (struct tide_facts){.size = sizeof r->facts,
				       .accesses = f.accesses,
				       .pages = f.pages,
				       .last_page = f.last_page,
				       .refs = f.refs};
	if (f.accesses > LANES_ACCESSES_MOST)
		r->lanes = NULL;
	r->samples.lanes = r->lanes != NULL;
	if (!rc)
		rc = td_lib_samples_choose(&r->samples, r->curve, f.accesses, f.pages, err);
	if (rc || (r->lanes && r->samples.n == 1))
		return rc;
	return td_lib_samples_take(&r->samples, source, f.accesses, err);
}

static int refuse_pipe(const struct td_lib_curve *c, struct tide_error *err)
{
	return tide_fail(err, -EINVAL,
			 "the curve of %s takes a run per size, and %s can be read only once: "
			 "write it to a file first",
			 c->policy, strcmp(c->options->trace, "-") ? "a pipe" : "standard input");
}

static int prepare(struct td_lib_runs *r, struct tide_error *err)
{
	struct td_lib_curve *c = r->curve;
	int rc = td_lib_lanes_choose(r, err);
	if (rc)
		return rc;
	c->spool = td_lib_curve_read_once(c);
	if (c->spool && !r->lanes)
		return refuse_pipe(c, err);
	rc = td_lib_curve_source(c, &r->source, err);
	if (rc)
		return rc;
	c->format = r->source->ops->format;
	r->has_groups = r->source->groups;
	rc = learn(r, r->source, err);
	memcpy(r->facts.digest, r->source->facts.digest, sizeof r->facts.digest);
	if (!rc && c->spool && !r->lanes)
		rc = refuse_pipe(c, err);
	if (!c->spool) {
		td_trace_close(r->source);
		r->source = NULL;
	}
	return rc ? rc : td_lib_curve_points(c, r->facts.pages, &r->mrc, err);
}

/* ---- a run ---- */

/* Called by every thread; one that finds another drawing goes on with its run. */
void td_lib_runs_show(void *arg, uint64_t done, uint64_t total)
{
	struct td_lib_run *run = arg;
	struct td_lib_runs *all = run->all;
	uint64_t sum = 0;
	run->done = done;
	if (!all->curve->progress || pthread_mutex_trylock(&all->lock))
		return;
	for (size_t i = 0; i < all->n; i++)
		sum += all->run[i].done;
	all->curve->progress(all->curve->arg, sum, total * all->n);
	pthread_mutex_unlock(&all->lock);
}

double td_lib_runs_rate(const struct td_lib_runs *r, size_t i)
{
	const struct td_lib_samples *s = &r->samples;
	return s->n == 1 ? 1 : (double)s->kept[i % s->n].space.n / (double)r->facts.pages;
}

double td_lib_runs_pages(const struct td_lib_runs *r, size_t i)
{
	return fmax(1, round(r->mrc->at[i / r->samples.n].pages * td_lib_runs_rate(r, i)));
}

static int open_run(const struct td_lib_runs *r, size_t i, struct tide_sim **sim,
		    struct tide_error *err)
{
	const struct tide_mrc_options *o = r->curve->options;
	char near[32];
	if (o->objects)
		snprintf(near, sizeof near, "%" PRIu64,
			 r->mrc->objects[i / r->samples.n].near_bytes);
	else
		snprintf(near, sizeof near, "%.0fp", td_lib_runs_pages(r, i));
	struct tide_sim_options options = {.size = sizeof options,
					   .trace = o->trace,
					   .workload = o->workload,
					   .accesses = o->accesses,
					   .stop = o->stop,
					   .format = o->format,
					   .columns = o->columns,
					   .near_size = near,
					   .page = o->page,
					   .chunk = "1p",
					   .evict = r->curve->policy,
					   .prefetch = "none",
					   .seed = o->seed,
					   .facts = &r->facts,
					   .objects = o->objects,
					   .no_digest = i != 0};
	return td_lib_sim_open(sim, &options, r->curve->reading, err);
}

/* The kept accesses of a part, in place of the input that the run has opened. */
static int run_kept(struct td_lib_run *run, const struct td_lib_kept *k, struct tide_sim *sim)
{
	struct td_engine *e = sim->engine;
	int rc = td_lib_kept_share(k, e, &run->err);
	for (size_t i = 0; i < k->n && !rc; i++) {
		rc = td_trace_stopped(sim->stop, &run->err);
		if (!rc)
			rc = td_lib_kept_run(k, i, e, &run->err);
		if ((i + 1) % PROGRESS_EVERY == 0)
			td_lib_runs_show(run, e->counts.accesses, k->accesses);
	}
	td_lib_runs_show(run, e->counts.accesses, k->accesses);
	return rc ? rc : td_engine_finish(e, &run->err);
}

static void do_run(void *arg, size_t i)
{
	struct td_lib_runs *r = arg;
	struct td_lib_run *run = &r->run[i];
	struct tide_sim *sim = NULL;
	struct tide_counts counts = {.size = sizeof counts};
	if (r->failed)
		return;
	run->all = r;
	run->rc = open_run(r, i, &sim, &run->err);
	if (!run->rc)
		run->rc = r->samples.kept ? run_kept(run, &r->samples.kept[i % r->samples.n], sim)
					  : tide_sim_run(sim, td_lib_runs_show, run, &run->err);
	if (run->rc)
		r->failed = true;
	else
		tide_sim_counts(sim, &counts, NULL);
	/* One run speaks for all. */
	if (!run->rc && i == 0) {
		memcpy(r->curve->learned, sim->learned, sizeof sim->learned);
		memcpy(r->mrc->input_digest, sim->source->facts.digest,
		       sizeof r->mrc->input_digest);
	}
	run->faults = counts.faults;
	run->prefix_hits = counts.prefix_hits;
	run->hit_bytes = counts.hit_bytes;
	run->fault_bytes = counts.fault_bytes;
	run->hit_cost = counts.hit_cost;
	run->fault_cost = counts.fault_cost;
	tide_sim_close(sim);
}

/* ---- all of them ---- */

static int first_failure(const struct td_lib_runs *r, struct tide_error *err)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->run[i].rc)
			return tide_fail(err, r->run[i].rc, "%s", r->run[i].err.text);
	}
	return 0;
}

int td_lib_curve_runs(struct td_lib_curve *c, struct tide_mrc **out, struct tide_error *err)
{
	struct td_lib_runs r = {.curve = c, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = prepare(&r, err);
	if (rc)
		goto out;
	r.n = r.mrc->n * r.samples.n;
	r.run = calloc(r.n, sizeof *r.run);
	if (!r.run) {
		rc = tide_fail(err, -ENOMEM, "out of memory");
		goto out;
	}
	if (r.lanes)
		td_lib_lanes_run(&r);
	else
		td_jobs_run(r.n, c->options->threads, do_run, &r);
	rc = first_failure(&r, err);
	if (!rc) {
		td_lib_runs_fill(&r);
		*out = r.mrc;
		r.mrc = NULL;
	}
out:
	free(r.run);
	free(r.mrc);
	td_lib_samples_free(&r.samples);
	td_trace_close(r.source);
	if (r.choice.policy)
		td_policy_release(&r.choice);
	return rc;
}
