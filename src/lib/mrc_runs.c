/* The curve of a policy that is no stack algorithm: a run for every size, on several threads. With
 * a sample, its accesses are kept in memory, and a run is over them, with as small a share of the
 * size (a miniature simulation). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/jobs.h"
#include "curves.h"
#include "mrc/sample.h"

/* The runs of a size: over all of the sample, and over each half of it. */
enum { WHOLE, HALVES, PARTS = HALVES + 2 };

struct run {
	struct runs *all;
	uint64_t faults;
	_Atomic uint64_t done; /* accesses */
	struct tide_error err;
	int rc;
};

struct runs {
	const struct td_lib_curve *curve;
	struct tide_mrc *mrc;
	struct tide_facts facts;
	struct run *run; /* parts to a size */
	size_t n, parts;
	atomic_bool failed;
	pthread_mutex_t lock; /* of progress */
	/* The sampled accesses. */
	struct tide_vec page, ref, write;
	uint64_t sampled;
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

static int keep(struct runs *r, struct td_mrc_sample *sample, const struct tide_batch *batch)
{
	struct td_mrc_accesses a = td_mrc_sample_batch(sample, batch, 0);
	uint64_t room = r->sampled + a.n;
	if (tide_vec_reserve(&r->page, room) || tide_vec_reserve(&r->ref, room) ||
	    tide_vec_reserve(&r->write, room))
		return -ENOMEM;
	for (uint32_t i = 0; i < a.n; i++, r->sampled++) {
		((uint64_t *)(void *)r->page.at)[r->sampled] = a.page[i];
		((uint64_t *)(void *)r->ref.at)[r->sampled] = a.ref[i];
		r->write.at[r->sampled] = batch->write[a.at[i]];
	}
	return 0;
}

static int keep_all(struct runs *r, struct td_trace_source *source, struct tide_error *err)
{
	struct {
		struct tide_batch batch;
		struct td_mrc_sample sample;
	} *own = calloc(1, sizeof *own);
	if (!own)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = 0;
	td_mrc_sample_init(&own->sample, r->curve->rate);
	while (!rc && !(rc = td_trace_next(source, &own->batch, err)) && own->batch.n) {
		if (keep(r, &own->sample, &own->batch))
			rc = tide_fail(err, -ENOMEM, "no memory for the sample: make it smaller");
	}
	free(own);
	if (!rc && !r->sampled)
		rc = tide_fail(err, -ENODATA,
			       "a share of %g of the pages is none of them: give a larger `sample`",
			       r->curve->rate);
	return rc;
}

static bool is_known(const struct td_trace_facts *f)
{
	return f->accesses != TD_UNKNOWN && f->pages != TD_UNKNOWN && f->last_page != TD_UNKNOWN &&
	       f->refs != TD_UNKNOWN;
}

/* Whatever is not known of the input, so that no run has to look for it. */
static int learn(struct runs *r, struct td_trace_source *source, struct tide_error *err)
{
	struct td_trace_facts f = is_known(&source->facts) ? source->facts : r->curve->given;
	int rc = 0;
	if (!is_known(&f)) {
		f = source->facts;
		rc = td_sim_survey(source, &f, err);
	}
	r->facts = (struct tide_facts){sizeof r->facts, f.accesses, f.pages, f.last_page, f.refs};
	if (!rc && r->curve->rate < 1)
		rc = keep_all(r, source, err);
	return rc;
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

/* Of the rate of pages that a part has, as much of the size: at least one page. */
static double part_rate(const struct runs *r, size_t part)
{
	return part == WHOLE ? r->curve->rate : r->curve->rate / 2;
}

static int open_run(const struct runs *r, size_t i, struct tide_sim **sim, struct tide_error *err)
{
	const struct tide_mrc_options *o = r->curve->options;
	double pages = r->mrc->at[i / r->parts].pages * part_rate(r, i % r->parts);
	char near[32];
	snprintf(near, sizeof near, "%.0fp", fmax(1, round(pages)));
	return tide_sim_open(sim,
			     &(struct tide_sim_options){.size = sizeof(struct tide_sim_options),
							.trace = o->trace,
							.workload = o->workload,
							.format = o->format,
							.columns = o->columns,
							.near_size = near,
							.page = o->page,
							.chunk = "1p",
							.evict = r->curve->policy,
							.prefetch = "none",
							.seed = o->seed,
							.facts = &r->facts},
			     err);
}

static bool is_in(uint64_t page, size_t part)
{
	return part == WHOLE || td_mrc_half(page) == part - HALVES;
}

/* The kept accesses of a part, in place of the input that the run has opened. */
static int run_sample(const struct runs *r, size_t part, struct tide_sim *sim,
		      struct tide_error *err)
{
	const uint64_t *page = (const uint64_t *)(void *)r->page.at;
	const uint64_t *ref = (const uint64_t *)(void *)r->ref.at;
	struct tide_batch *batch = sim->batch;
	int rc = 0;
	for (uint64_t i = 0; i < r->sampled && !rc;) {
		for (batch->n = 0; i < r->sampled && batch->n < TIDE_BATCH; i++) {
			batch->page[batch->n] = page[i];
			batch->ref[batch->n] = ref[i];
			batch->write[batch->n] = r->write.at[i];
			batch->n += is_in(page[i], part);
		}
		rc = td_sim_batch(sim->engine, batch, err);
	}
	return rc;
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
		run->rc = r->curve->rate < 1 ? run_sample(r, i % r->parts, sim, &run->err)
					     : tide_sim_run(sim, show, run, &run->err);
	if (run->rc)
		r->failed = true;
	else
		tide_sim_counts(sim, &counts, NULL);
	run->faults = counts.faults;
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

static double ratio_of(const struct runs *r, size_t i)
{
	double expected = (double)r->facts.accesses * part_rate(r, i % r->parts);
	return fmin((double)r->run[i].faults / expected, 1);
}

static void fill(struct runs *r)
{
	struct tide_mrc *m = r->mrc;
	struct tide_mrc_point *at = td_lib_curve_at(m);
	m->accesses = r->facts.accesses;
	m->sampled_accesses = r->parts == 1 ? r->facts.accesses : r->sampled;
	m->method = "a run per size";
	for (size_t i = 0; i < m->n; i++) {
		size_t first = i * r->parts;
		at[i].miss_ratio = ratio_of(r, first);
		at[i].misses = r->run[first].faults;
		if (r->parts == 1)
			continue;
		at[i].misses = (uint64_t)(at[i].miss_ratio * (double)r->facts.accesses + 0.5);
		m->error += fabs(ratio_of(r, first + HALVES) - ratio_of(r, first + HALVES + 1)) /
			    2 / (double)m->n;
	}
}

int td_lib_curve_runs(struct td_lib_curve *c, struct tide_mrc **out, struct tide_error *err)
{
	struct runs r = {.curve = c, .lock = PTHREAD_MUTEX_INITIALIZER};
	tide_vec_init(&r.page, sizeof(uint64_t));
	tide_vec_init(&r.ref, sizeof(uint64_t));
	tide_vec_init(&r.write, 1);
	int rc = prepare(&r, c, err);
	if (rc)
		goto out;
	r.parts = c->rate < 1 ? PARTS : 1;
	r.n = r.mrc->n * r.parts;
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
	tide_vec_free(&r.page);
	tide_vec_free(&r.ref);
	tide_vec_free(&r.write);
	return rc;
}
