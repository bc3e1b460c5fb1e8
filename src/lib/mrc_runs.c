/* The curve of a policy that is no stack algorithm: a run for every size, on several threads. The
 * input is read once and kept in memory (kept.h), and all runs go over it. Of a sampled curve,
 * several samples are kept, each of other pages. The runs over a sample have the same share of the
 * size (miniature simulations). Their mean is the curve, and how they differ gives its error. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/jobs.h"
#include "curves.h"
#include "samples.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */

struct run {
	struct runs *all;
	uint64_t faults;
	uint64_t hit_bytes, fault_bytes, hit_cost, fault_cost; /* of objects */
	_Atomic uint64_t done;                                 /* accesses */
	struct tide_error err;
	int rc;
};

struct runs {
	struct td_lib_curve *curve;
	struct tide_mrc *mrc;
	struct tide_facts facts;
	struct run *run; /* of each size, as many as samples */
	size_t n;
	struct td_lib_samples samples;
	atomic_bool failed;
	pthread_mutex_t lock; /* of progress */
};

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
static int learn(struct runs *r, struct td_trace_source *source, struct tide_error *err)
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
	if (!rc)
		rc = td_lib_samples_choose(&r->samples, r->curve, f.accesses, f.pages, err);
	return rc ? rc : td_lib_samples_take(&r->samples, source, f.accesses, err);
}

static int prepare(struct runs *r, struct td_lib_curve *c, struct tide_error *err)
{
	struct td_trace_source *source;
	if (td_lib_curve_read_once(c))
		return tide_fail(err, -EINVAL,
				 "the curve of %s takes a run per size, and %s can be read only "
				 "once: write it to a file first",
				 c->policy,
				 strcmp(c->options->trace, "-") ? "a pipe" : "standard input");
	int rc = td_lib_curve_source(c, &source, err);
	if (rc)
		return rc;
	c->format = source->ops->format;
	rc = learn(r, source, err);
	memcpy(r->facts.digest, source->facts.digest, sizeof r->facts.digest);
	td_trace_close(source);
	return rc ? rc : td_lib_curve_points(c, r->facts.pages, &r->mrc, err);
}

/* ---- a run ---- */

/* Called by every thread; one that finds another drawing goes on with its run. */
static void show(void *arg, uint64_t done, uint64_t total)
{
	struct run *run = arg;
	struct runs *all = run->all;
	uint64_t sum = 0;
	run->done = done;
	if (!all->curve->progress || pthread_mutex_trylock(&all->lock))
		return;
	for (size_t i = 0; i < all->n; i++)
		sum += all->run[i].done;
	all->curve->progress(all->curve->arg, sum, total * all->n);
	pthread_mutex_unlock(&all->lock);
}

/* The share of the pages that the sample of a run really has. Its runs have as much of the size: at
 * least one page. */
static double rate_of(const struct runs *r, size_t i)
{
	const struct td_lib_samples *s = &r->samples;
	return s->n == 1 ? 1 : (double)s->kept[i % s->n].space.n / (double)r->facts.pages;
}

static int open_run(const struct runs *r, size_t i, struct tide_sim **sim, struct tide_error *err)
{
	const struct tide_mrc_options *o = r->curve->options;
	size_t point = i / r->samples.n;
	double pages = r->mrc->at[point].pages * rate_of(r, i);
	char near[32];
	if (o->objects)
		snprintf(near, sizeof near, "%" PRIu64, r->mrc->objects[point].near_bytes);
	else
		snprintf(near, sizeof near, "%.0fp", fmax(1, round(pages)));
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
static int run_kept(struct run *run, const struct td_lib_kept *k, struct tide_sim *sim)
{
	struct td_engine *e = sim->engine;
	int rc = td_lib_kept_share(k, e, &run->err);
	for (size_t i = 0; i < k->n && !rc; i++) {
		rc = td_trace_stopped(sim->stop, &run->err);
		if (!rc)
			rc = td_lib_kept_run(k, i, e, &run->err);
		if ((i + 1) % PROGRESS_EVERY == 0)
			show(run, e->counts.accesses, k->accesses);
	}
	show(run, e->counts.accesses, k->accesses);
	return rc ? rc : td_engine_finish(e, &run->err);
}

static void do_run(void *arg, size_t i)
{
	struct runs *r = arg;
	struct run *run = &r->run[i];
	struct tide_sim *sim = NULL;
	struct tide_counts counts = {.size = sizeof counts};
	if (r->failed)
		return;
	run->all = r;
	run->rc = open_run(r, i, &sim, &run->err);
	if (!run->rc)
		run->rc = r->samples.kept ? run_kept(run, &r->samples.kept[i % r->samples.n], sim)
					  : tide_sim_run(sim, show, run, &run->err);
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
	run->hit_bytes = counts.hit_bytes;
	run->fault_bytes = counts.fault_bytes;
	run->hit_cost = counts.hit_cost;
	run->fault_cost = counts.fault_cost;
	tide_sim_close(sim);
}

/* ---- all of them ---- */

static int first_failure(const struct runs *r, struct tide_error *err)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->run[i].rc)
			return tide_fail(err, r->run[i].rc, "%s", r->run[i].err.text);
	}
	return 0;
}

/* Divides by the accesses expected of so many pages, not by those of the sample. If a page with
 * very many accesses is in the sample or not, the difference counts as hits at every size
 * (SHARDS-adj). */
static double ratio_of(const struct runs *r, size_t i)
{
	double expected = (double)r->facts.accesses * rate_of(r, i);
	return expected > 0 ? fmin((double)r->run[i].faults / expected, 1) : 0;
}

/* The mean of the samples, and the standard error of the mean. */
static void average(const struct runs *r, size_t first, double *mean, double *error)
{
	double squares = 0;
	*mean = 0;
	for (size_t i = first; i < first + r->samples.n; i++)
		*mean += ratio_of(r, i) / r->samples.n;
	for (size_t i = first; i < first + r->samples.n; i++)
		squares += (ratio_of(r, i) - *mean) * (ratio_of(r, i) - *mean);
	*error = sqrt(squares / (r->samples.n - 1) / r->samples.n);
}

static void fill_exact(struct runs *r)
{
	struct tide_mrc_point *at = td_lib_curve_at(r->mrc);
	r->mrc->sampled_accesses = r->facts.accesses;
	for (size_t i = 0; i < r->mrc->n; i++) {
		at[i].misses = r->run[i].faults;
		at[i].miss_ratio = ratio_of(r, i);
	}
}

static double share(uint64_t missed, uint64_t hit)
{
	double all = (double)missed + (double)hit;
	return all > 0 ? (double)missed / all : 0;
}

static void fill_objects(struct runs *r)
{
	struct tide_mrc_object *at = td_lib_curve_objects(r->mrc);
	for (size_t i = 0; i < r->mrc->n; i++) {
		at[i].byte_miss_ratio = share(r->run[i].fault_bytes, r->run[i].hit_bytes);
		at[i].cost_miss_ratio = share(r->run[i].fault_cost, r->run[i].hit_cost);
	}
}

static void fill_sampled(struct runs *r)
{
	struct tide_mrc *m = r->mrc;
	struct tide_mrc_point *at = td_lib_curve_at(m);
	double *errors = td_lib_curve_errors(m);
	m->sampled_accesses = r->samples.accesses;
	m->samples = r->samples.n;
	m->sample_share = r->curve->rate / r->samples.n;
	for (size_t i = 0; i < m->n; i++) {
		average(r, i * r->samples.n, &at[i].miss_ratio, &errors[i]);
		at[i].misses = (uint64_t)(at[i].miss_ratio * (double)r->facts.accesses + 0.5);
		m->error += errors[i] / (double)m->n;
	}
}

static void fill(struct runs *r)
{
	r->mrc->accesses = r->facts.accesses;
	r->mrc->method = r->samples.kept ? "all sizes over one reading" : "a run per size";
	if (r->mrc->objects)
		fill_objects(r);
	if (r->samples.n == 1)
		fill_exact(r);
	else
		fill_sampled(r);
}

int td_lib_curve_runs(struct td_lib_curve *c, struct tide_mrc **out, struct tide_error *err)
{
	struct runs r = {.curve = c, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = prepare(&r, c, err);
	if (rc)
		goto out;
	r.n = r.mrc->n * r.samples.n;
	r.run = calloc(r.n, sizeof *r.run);
	if (!r.run) {
		rc = tide_fail(err, -ENOMEM, "out of memory");
		goto out;
	}
	td_jobs_run(r.n, c->options->threads, do_run, &r);
	rc = first_failure(&r, err);
	if (!rc) {
		fill(&r);
		*out = r.mrc;
		r.mrc = NULL;
	}
out:
	free(r.run);
	free(r.mrc);
	td_lib_samples_free(&r.samples);
	return rc;
}
