/* Results as JSON documents. */
#include <inttypes.h>
#include <math.h>

#include "cli/doctor.h"
#include "show.h"

/* Not a number is no JSON. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *claims_json(const struct td_gpu_table *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->claims_n; i++) {
		const struct td_gpu_claim *c = &t->claims[i];
		json_t *o = json_object();
		json_object_set_new(o, "what", td_cli_json_text(c->what));
		json_object_set_new(o, "target", td_cli_json_text(c->target));
		json_object_set_new(o, "measured", number(c->measured));
		json_object_set_new(o, "ok", json_boolean(c->ok));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *table_json(const struct td_gpu_table *t)
{
	json_t *o = json_object(), *rows = json_array();

	for (size_t i = 0; i < t->rows_n; i++)
		json_array_append_new(rows, td_gpu_fields_json(td_gpu_measure_fields, &t->rows[i]));
	json_object_set_new(o, "rows", rows);
	json_object_set_new(o, "claims", claims_json(t));
	json_object_set_new(o, "ok", json_boolean(t->ok));
	if (*t->error)
		json_object_set_new(o, "error", td_cli_json_text(t->error));
	if (t->time_ns)
		json_object_set_new(o, "time_ns", td_cli_json_u64(t->time_ns));
	return o;
}

/* ---- applications ---- */

static json_t *accuracy(const struct td_gpu_run *r)
{
	const struct tide_gpu_stats *s = &r->stats;

	return s->predictions_judged
		       ? json_real((double)s->predictions_right / (double)s->predictions_judged)
		       : json_null();
}

/* What a run that did not fail has besides. */
static void add_outcome(json_t *o, const struct td_gpu_run *r)
{
	json_t *sizes = json_object(), *times = json_array();
	json_t *stats = r->stats_json ? json_loads(r->stats_json, 0, NULL) : NULL;
	char checksum[24];

	json_object_set_new(o, "config", td_gpu_fields_json(td_gpu_config_fields, r));
	for (unsigned i = 0; i < TD_GPU_SIZES && r->size_names[i]; i++)
		json_object_set_new(sizes, r->size_names[i], td_cli_json_u64(r->sizes[i]));
	json_object_set_new(o, "shape", sizes);
	for (unsigned i = 0; i < r->times_n; i++)
		json_array_append_new(times, td_cli_json_u64(r->times_ns[i]));
	if (r->times_n)
		json_object_set(o, "times_ns", times);
	json_decref(times);
	if (stats) /* "counts", "gpu", and "policy" where the processor decided */
		json_object_update_missing(o, stats);
	json_decref(stats);
	snprintf(checksum, sizeof checksum, "0x%016" PRIx64, r->checksum);
	if (r->has_checksum)
		json_object_set_new(o, "checksum", json_string(checksum));
}

static json_t *run_json(const struct td_gpu_run *r)
{
	json_t *o = td_gpu_fields_json(td_gpu_run_fields, r);

	json_object_set_new(o, "verified",
			    r->verified < 0 ? json_null() : json_boolean(r->verified));
	json_object_set_new(o, "accuracy", accuracy(r));
	if (!*r->error)
		add_outcome(o, r);
	return o;
}

static json_t *runs_json(const struct td_gpu_run *runs, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, run_json(&runs[i]));
	return all;
}

static json_t *apps_json(const struct td_gpu_apps *a)
{
	json_t *o = json_object(), *means = json_array();

	json_object_set_new(o, "ok", json_boolean(a->ok));
	if (*a->error)
		json_object_set_new(o, "error", td_cli_json_text(a->error));
	json_object_set_new(o, "config", td_gpu_fields_json(td_gpu_apps_fields, a));
	json_object_set_new(o, "references", runs_json(a->references, a->references_n));
	json_object_set_new(o, "runs", runs_json(a->runs, a->runs_n));
	for (size_t i = 0; i < a->means_n; i++)
		json_array_append_new(means, td_gpu_fields_json(td_gpu_mean_fields, &a->means[i]));
	json_object_set_new(o, "means", means);
	json_object_set_new(o, "claims", claims_json(&a->claims));
	return o;
}

/* ---- documents ---- */

void td_gpu_info_json(json_t *to, const struct td_gpu_result *r)
{
	struct td_gpu_device d = td_gpu_device_of(&r->device);
	struct td_cli_finding near;

	if (r->has_device) {
		json_object_set_new(to, "device", td_gpu_fields_json(td_gpu_device_fields, &d));
		td_cli_gpu_near(r->device.device, &near);
		json_object_set_new(to, "gpu_near",
				    json_pack("{sb ss ss?}", "ok", near.ok, "detail", near.detail,
					      "fix", near.fix));
	}
	if (r->tables_n)
		json_object_set_new(to, "limits", table_json(&r->tables[0]));
}

void td_gpu_selftest_json(json_t *to, const struct td_gpu_result *r)
{
	json_t *parts = json_array();
	unsigned failed = 0;

	for (size_t i = 0; i < r->tests_n; i++) {
		json_array_append_new(parts, td_gpu_fields_json(td_gpu_test_fields, &r->tests[i]));
		failed += !r->tests[i].ok;
	}
	if (r->has_device)
		json_object_set_new(to, "device", td_cli_json_text(r->device.name));
	json_object_set_new(to, "parts", parts);
	json_object_set_new(to, "failed", json_integer(failed));
	json_object_set_new(to, "ok", json_boolean(!failed));
}

void td_gpu_bench_json(json_t *to, const struct td_gpu_result *r)
{
	struct td_gpu_device d = td_gpu_device_of(&r->device);
	json_t *micro = json_object();
	bool ok = !r->apps || r->apps->ok;

	for (size_t i = 0; i < r->tables_n; i++) {
		json_object_set_new(micro, r->tables[i].name, table_json(&r->tables[i]));
		ok = ok && r->tables[i].ok;
	}
	json_object_set_new(to, "micro", micro);
	json_object_set_new(to, "device",
			    r->has_device ? td_gpu_fields_json(td_gpu_device_fields, &d)
					  : json_null());
	if (r->apps)
		json_object_set_new(to, "apps", apps_json(r->apps));
	json_object_set_new(to, "ok", json_boolean(ok));
}
