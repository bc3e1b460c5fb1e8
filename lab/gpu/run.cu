/* One run of one application: files, launches, figures, and whether what came out is right. */
#include <cinttypes>
#include <cstdlib>
#include <cstring>

#include "core/clock.h"
#include "outcome.cuh"

/* ---- the table ---- */

static const struct td_gpu_kernels *const kernels[] = {
	&td_gpu_kernels_lavamd,         &td_gpu_kernels_pathfinder, &td_gpu_kernels_bfs,
	&td_gpu_kernels_multivectoradd, &td_gpu_kernels_srad,       &td_gpu_kernels_backprop,
	&td_gpu_kernels_pagerank,       &td_gpu_kernels_sssp,       &td_gpu_kernels_hotspot,
};

#define PART(which) \
	{ \
		td_app_plan_##which.name, td_app_plan_##which.summary \
	}
const struct td_gpu_part td_gpu_apps[] = {
	PART(lavamd),   PART(pathfinder), PART(bfs),  PART(multivectoradd), PART(srad),
	PART(backprop), PART(pagerank),   PART(sssp), PART(hotspot),        {NULL, NULL},
};

const struct td_gpu_kernels *td_gpu_kernels_find(const char *name)
{
	for (const struct td_gpu_kernels *k : kernels) {
		if (name && !strcmp(k->plan->name, name))
			return k;
	}
	return NULL;
}

/* ---- the run ---- */

static int run_timed(struct td_app_running *x, const struct td_gpu_kernels *k,
		     struct td_app_outcome *o, struct tide_error *err)
{
	uint64_t since = td_clock_ns();
	int rc = x->run.gpu ? k->tide(&x->run, err) : k->plain(&x->run, err);

	if (!rc)
		rc = td_app_sum_results(x, true, err);
	o->time_ns = td_clock_ns() - since;
	o->launches = x->run.launches;
	return rc;
}

static int take_stats(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err)
{
	o->stats.size = sizeof o->stats;
	int rc = x->run.gpu ? tide_gpu_stats(x->run.gpu, &o->stats, err) : 0;

	if (!rc && x->run.gpu)
		rc = tide_gpu_stats_json(x->run.gpu, &o->stats_json, err);
	o->has_stats = !rc && x->run.gpu;
	return rc;
}

static int verify(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err)
{
	int rc = 0;

	if (x->job->verify != TD_GPU_APP_NOT)
		rc = td_app_take_checksum(x, o, err);
	if (!rc && x->job->verify == TD_GPU_APP_REFERENCE)
		rc = td_app_compare(x, o, err);
	if (!rc && x->run.gpu)
		rc = tide_gpu_check(x->run.gpu, err);
	if (!rc && x->run.gpu)
		rc = tide_gpu_sync(x->run.gpu, err);
	return rc;
}

static int run_opened(struct td_app_running *x, const struct td_gpu_kernels *k,
		      struct td_app_outcome *o, struct tide_error *err)
{
	int rc = run_timed(x, k, o, err);

	if (!rc)
		rc = take_stats(x, o, err);
	if (!rc)
		rc = verify(x, o, err);
	if (!rc)
		rc = td_app_close_tide(x, err);
	if (!rc && x->job->memory == TD_GPU_APP_TIDE && x->job->verify != TD_GPU_APP_NOT)
		rc = td_app_check_files(x, o, err);
	return rc;
}

/* ---- as a row ---- */

static void take_config(const struct td_app_running *x, struct td_gpu_run *to)
{
	static const char *const memories[] = {"tide", "raw", "zero-copy", "unified"};
	const struct td_gpu_app_job *job = x->job;

	to->memory = memories[job->memory];
	to->near_bytes = x->shape.near_bytes;
	to->host_bytes = x->shape.host_bytes;
	to->page_bytes = x->shape.page_bytes;
	to->oversubscribe = x->shape.oversubscription;
	to->resident = job->resident;
	to->iterations = x->shape.iterations;
	to->seed = x->shape.seed;
	snprintf(to->place, sizeof to->place, "%s", job->place ? job->place : "");
	to->transfer = job->transfer;
	to->orchestrate = job->orchestrate;
	to->evict = job->evict;
	to->prefetch = job->prefetch;
}

static void take_sizes(const struct td_app_shape *s, struct td_gpu_run *to)
{
	static_assert(TD_APP_SIZES <= TD_GPU_SIZES, "a row has room for all sizes");
	unsigned n = 0;

	for (unsigned i = 0; i < TD_APP_SIZES; i++) {
		if (!s->size_names[i])
			continue;
		to->size_names[n] = s->size_names[i];
		to->sizes[n++] = s->size[i];
	}
}

/* Takes the text over. */
static void take_outcome(const struct td_app_running *x, struct td_app_outcome *o,
			 struct td_gpu_run *to)
{
	take_config(x, to);
	take_sizes(&x->shape, to);
	to->app = x->shape.plan->name;
	to->data_bytes = x->shape.data_bytes;
	to->launches = o->launches;
	to->time_ns = o->time_ns;
	to->has_stats = o->has_stats;
	to->stats = o->stats;
	to->stats_json = o->stats_json;
	o->stats_json = NULL;
	to->has_checksum = o->has_checksum;
	to->checksum = o->checksum;
	to->verified = o->verified;
	snprintf(to->reason, sizeof to->reason, "%s", o->reason);
}

/* ---- from a job ---- */

static int shape_job(const struct td_gpu_app_job *job, const struct td_gpu_kernels **k,
		     struct td_app_shape *s, struct tide_error *err)
{
	*k = td_gpu_kernels_find(job->app);
	memset(s, 0, sizeof *s);
	if (!*k)
		return tide_fail(err, -EINVAL,
				 "there is no application %s: see tide gpu bench --help",
				 job->app ? job->app : "without a name");
	s->near_bytes = job->near_bytes;
	s->host_bytes = job->host_bytes;
	s->page_bytes = job->page_bytes;
	s->oversubscription = job->oversubscription;
	s->scale = job->scale;
	s->iterations = job->iterations;
	s->seed = td_gpu_seed(&job->setup);
	return td_app_shape(s, (*k)->plan, err);
}

/* The checksum that a run in plain memory of the GPU has. */
static int expect(const struct td_gpu_app_job *job, uint64_t *sum, struct tide_error *err)
{
	struct td_gpu_app_job raw = *job;
	struct td_gpu_run result = {};

	raw.memory = TD_GPU_APP_RAW;
	raw.warps = 0;
	raw.keep_files = true;
	int rc = td_gpu_app_run(&raw, &result, err);
	*sum = result.checksum;
	if (!rc && !result.has_checksum)
		rc = tide_fail(err, -EIO, "%s: there is no checksum to compare with", job->app);
	free(result.stats_json);
	return rc;
}

void td_gpu_app_clean(const struct td_gpu_app_job *job, bool graph)
{
	const struct td_gpu_kernels *k;
	struct td_app_shape s;

	if (!shape_job(job, &k, &s, NULL))
		td_app_remove(&s, &job->setup, graph);
}

int td_gpu_app_run(const struct td_gpu_app_job *job, struct td_gpu_run *out, struct tide_error *err)
{
	struct td_gpu_app_job own = *job;
	struct td_app_running x;
	struct td_app_outcome o;
	const struct td_gpu_kernels *k;
	uint64_t expected = 0;

	memset(&x, 0, sizeof x);
	memset(&o, 0, sizeof o);
	x.job = &own;
	o.verified = -1;
	int rc = shape_job(job, &k, &x.shape, err);
	if (!rc && own.verify == TD_GPU_APP_CHECKSUM && !own.expected &&
	    own.memory != TD_GPU_APP_RAW) {
		rc = expect(job, &expected, err);
		own.expected = &expected;
	}
	if (!rc)
		rc = td_app_open(&x, err);
	if (!rc)
		rc = run_opened(&x, k, &o, err);
	if (!rc)
		take_outcome(&x, &o, out);
	td_app_close(&x);
	if (!own.keep_files && x.shape.plan)
		td_app_remove(&x.shape, &own.setup, true);
	free(o.stats_json);
	return rc;
}
