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
	char *text = NULL;
	int rc = x->run.gpu ? tide_gpu_stats_json(x->run.gpu, &text, err) : 0;

	if (text)
		o->stats = json_loads(text, 0, NULL);
	free(text);
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

/* ---- as JSON ---- */

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text)
		json_object_set_new(o, key, json_string(text));
}

static json_t *config_of(const struct td_app_running *x)
{
	static const char *const memories[] = {"tide", "raw", "zero-copy", "unified"};
	const struct td_gpu_app_job *job = x->job;
	json_t *c = json_object();

	set_text(c, "memory", memories[job->memory]);
	json_object_set_new(c, "near_bytes", integer(x->shape.near_bytes));
	json_object_set_new(c, "host_bytes", integer(x->shape.host_bytes));
	json_object_set_new(c, "page_bytes", integer(x->shape.page_bytes));
	json_object_set_new(c, "oversubscribe", json_real(x->shape.oversubscription));
	json_object_set_new(c, "resident", json_boolean(job->resident));
	json_object_set_new(c, "iterations", integer(x->shape.iterations));
	json_object_set_new(c, "seed", integer(x->shape.seed));
	set_text(c, "place", job->place);
	set_text(c, "transfer", job->transfer);
	set_text(c, "orchestrate", job->orchestrate);
	set_text(c, "evict", job->evict);
	set_text(c, "prefetch", job->prefetch);
	return c;
}

static json_t *shape_of(const struct td_app_shape *s)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < TD_APP_SIZES; i++) {
		if (s->size_names[i])
			json_object_set_new(o, s->size_names[i], integer(s->size[i]));
	}
	return o;
}

static json_t *result_of(const struct td_app_running *x, const struct td_app_outcome *o)
{
	json_t *result = json_object();
	char checksum[24];

	json_object_set_new(result, "app", json_string(x->shape.plan->name));
	json_object_set_new(result, "config", config_of(x));
	json_object_set_new(result, "shape", shape_of(&x->shape));
	json_object_set_new(result, "data_bytes", integer(x->shape.data_bytes));
	json_object_set_new(result, "launches", integer(o->launches));
	json_object_set_new(result, "time_ns", integer(o->time_ns));
	if (o->stats) /* "counts", "gpu", and what else it has */
		json_object_update_missing(result, o->stats);
	if (o->has_checksum) {
		snprintf(checksum, sizeof checksum, "0x%016" PRIx64, o->checksum);
		json_object_set_new(result, "checksum", json_string(checksum));
	}
	json_object_set_new(result, "verified",
			    o->verified < 0 ? json_null() : json_boolean(o->verified));
	if (o->reason[0])
		json_object_set_new(result, "reason", json_string(o->reason));
	return result;
}

bool td_gpu_app_checksum(const json_t *result, uint64_t *sum)
{
	const char *text = json_string_value(json_object_get(result, "checksum"));

	*sum = text ? strtoull(text, NULL, 16) : 0;
	return text != NULL;
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
	json_t *result = NULL;

	raw.memory = TD_GPU_APP_RAW;
	raw.warps = 0;
	raw.keep_files = true;
	int rc = td_gpu_app_run(&raw, &result, err);
	if (!rc && !td_gpu_app_checksum(result, sum))
		rc = tide_fail(err, -EIO, "%s: there is no checksum to compare with", job->app);
	json_decref(result);
	return rc;
}

void td_gpu_app_clean(const struct td_gpu_app_job *job, bool graph)
{
	const struct td_gpu_kernels *k;
	struct td_app_shape s;

	if (!shape_job(job, &k, &s, NULL))
		td_app_remove(&s, &job->setup, graph);
}

int td_gpu_app_run(const struct td_gpu_app_job *job, json_t **out, struct tide_error *err)
{
	struct td_gpu_app_job own = *job;
	struct td_app_running x;
	struct td_app_outcome o;
	const struct td_gpu_kernels *k;
	uint64_t expected = 0;

	*out = NULL;
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
		*out = result_of(&x, &o);
	td_app_close(&x);
	if (!own.keep_files && x.shape.plan)
		td_app_remove(&x.shape, &own.setup, true);
	json_decref(o.stats);
	return rc;
}
