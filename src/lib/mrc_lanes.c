/* The runs of a curve by a method that has many sizes in one pass (mrc/lanes.h). Each pass has some
 * of the sizes, so that threads share the work, and has one sample. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/jobs.h"
#include "mrc/lanes.h"
#include "mrc_runs.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */
#define SHARE_OF_MEMORY 4

/* Bytes that the pages may take in the passes of all threads, and that their lanes may take. */
static double memory_most(void)
{
	double pages = (double)sysconf(_SC_PHYS_PAGES), page_bytes = (double)sysconf(_SC_PAGESIZE);
	return fmax(pages * page_bytes / SHARE_OF_MEMORY / 2, 1 << 28);
}

int td_lib_lanes_choose(struct td_lib_runs *r, struct tide_error *err)
{
	if (r->curve->options->objects)
		return 0;
	int rc = td_policy_choose(&r->choice, r->curve->policy, TIDE_EVICT, err);
	if (!rc && !r->choice.object)
		r->lanes = td_mrc_lanes_method(r->choice.policy->name);
	return rc;
}

/* Every pass has state of its own for all pages. */
static size_t count_threads(const struct td_lib_runs *r)
{
	size_t threads = td_jobs_threads(r->curve->options->threads);
	double most = memory_most() / (TD_MRC_PAGE_BYTES * (double)r->facts.pages);
	if (r->samples.kept)
		return threads;
	if (r->source || most < 1)
		return 1;
	return most < (double)threads ? (size_t)most : threads;
}

/* Every thread gets a pass. More passes take less memory at a time. */
static size_t count_passes(const struct td_lib_runs *r, size_t threads)
{
	const struct tide_mrc *mrc = r->mrc;
	size_t passes = (mrc->n + TD_MRC_LANES - 1) / TD_MRC_LANES;
	double bytes = 0;
	passes = passes > threads ? passes : threads;
	for (size_t i = 0; i < mrc->n; i++)
		bytes += TD_MRC_LANE_BYTES * fmin(mrc->at[i].pages, (double)r->facts.pages);
	double needed = ceil(bytes * (double)threads / memory_most());
	if (needed > (double)passes)
		passes = needed < (double)mrc->n ? (size_t)needed : mrc->n;
	return passes < mrc->n ? passes : mrc->n;
}

/* ---- a pass: of the points, every so many-th ---- */

struct pass {
	struct td_lib_runs *all;
	size_t first; /* of its runs; the others follow by this step */
	size_t step;
	struct td_mrc *m;
	struct td_mrc_lanes_config config;
	struct td_mrc_point at[TD_MRC_LANES];
};

static void show(const struct pass *p)
{
	uint64_t done = td_mrc_accesses(p->m), total = p->all->facts.accesses;
	struct td_lib_run *runs = &p->all->run[p->first];
	const struct td_lib_kept *kept = p->all->samples.kept;
	for (unsigned i = 1; i < p->config.n; i++)
		runs[i * p->step].done = done;
	if (kept)
		total = kept[p->first % p->all->samples.n].accesses;
	td_lib_runs_show(runs, done, total);
}

static int see(const struct pass *p, const struct tide_batch *batch, uint64_t i,
	       struct tide_error *err)
{
	int rc = td_mrc_batch(p->m, batch, err);
	if (!rc && (i + 1) % PROGRESS_EVERY == 0)
		show(p);
	return rc;
}

static int see_kept(const struct pass *p, struct tide_error *err)
{
	const struct td_lib_samples *s = &p->all->samples;
	const struct td_lib_kept *kept = &s->kept[p->first % s->n];
	int rc = 0;
	for (size_t i = 0; i < kept->n && !rc; i++) {
		rc = td_trace_stopped(p->all->curve->options->stop, err);
		if (!rc)
			rc = see(p, &kept->at[i]->events, i, err);
	}
	return rc;
}

static int see_source(const struct pass *p, struct td_trace_source *source, struct tide_error *err)
{
	struct {
		struct tide_batch batch;
		struct tide_batch_object object;
	} *own = calloc(1, sizeof *own);
	int rc = 0;
	if (!own)
		return tide_fail(err, -ENOMEM, "out of memory");
	own->batch.object = source->groups ? &own->object : NULL;
	for (uint64_t i = 0; !rc; i++) {
		rc = td_trace_next(source, &own->batch, err);
		if (rc || !own->batch.n)
			break;
		rc = see(p, &own->batch, i, err);
	}
	free(own);
	return rc;
}

/* The first pass says what the input was. */
static int see_input(const struct pass *p, struct tide_error *err)
{
	struct td_lib_runs *r = p->all;
	struct td_trace_source *source = r->source;
	if (r->samples.kept)
		return see_kept(p, err);
	int rc = source ? source->ops->rewind(source, err)
			: td_lib_curve_source(r->curve, &source, err);
	if (rc)
		return rc;
	rc = see_source(p, source, err);
	if (!p->first)
		memcpy(r->facts.digest, source->facts.digest, sizeof r->facts.digest);
	if (!r->source)
		td_trace_close(source);
	return rc;
}

static int run_pass(struct pass *p, struct tide_error *err)
{
	double doubt;
	int rc = td_mrc_open(&p->m, p->all->lanes, &p->config, 1, err);
	if (rc)
		return rc;
	rc = see_input(p, err);
	if (!rc && td_mrc_accesses(p->m))
		rc = td_mrc_measure(p->m, p->at, p->config.n, &doubt, err);
	show(p);
	for (unsigned i = 0; i < p->config.n && !rc; i++) {
		struct td_lib_run *run = &p->all->run[p->first + i * p->step];
		run->faults = p->at[i].misses;
		run->prefix_hits = td_mrc_accesses(p->m) - p->at[i].prefix_misses;
	}
	td_mrc_close(p->m);
	return rc;
}

/* Job i is pass i / samples of sample i % samples: its first run is run i. */
static void do_pass(void *arg, size_t i)
{
	struct td_lib_runs *r = arg;
	struct td_lib_run *run = &r->run[i];
	struct pass *p = calloc(1, sizeof *p);
	size_t step = r->passes * r->samples.n;
	if (!p)
		run->rc = tide_fail(&run->err, -ENOMEM, "out of memory");
	if (p && !r->failed) {
		*p = (struct pass){.all = r, .first = i, .step = step};
		p->config.values = r->choice.values;
		for (size_t k = i; k < r->n; k += step) {
			r->run[k].all = r;
			p->config.near_pages[p->config.n++] = (uint64_t)td_lib_runs_pages(r, k);
		}
		run->rc = run_pass(p, &run->err);
	}
	if (run->rc)
		r->failed = true;
	free(p);
}

void td_lib_lanes_run(struct td_lib_runs *r)
{
	size_t threads = count_threads(r);
	r->passes = count_passes(r, r->samples.kept ? 1 : threads);
	td_jobs_run(r->passes * r->samples.n, threads, do_pass, r);
	memcpy(r->mrc->input_digest, r->facts.digest, sizeof r->facts.digest);
}
