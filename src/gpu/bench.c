/* tide gpu info and tide gpu bench: parts, one after another; one that fails is told, and the next
 * goes on. */
#include "bench.h"
#include "core/clock.h"

#include "lab/gpu/apps.h"

struct part {
	const char *name;
	td_gpu_micro *run;
};

static const struct part parts[] = {
	{"hit", td_gpu_bench_hit},
	{"random", td_gpu_bench_random},
	{"cached", td_gpu_bench_cached},
	{"miss", td_gpu_bench_miss},
	{"storage", td_gpu_bench_storage},
	{"methods", td_gpu_bench_methods},
	{"skew", td_gpu_bench_skew},
	{"batch", td_gpu_bench_batch},
	{"serve", td_gpu_bench_serve},
	{"pool", td_gpu_bench_pool},
	{"signatures", td_gpu_bench_signatures},
	{"sweep", td_gpu_bench_sweep},
};

const struct td_gpu_part td_gpu_micros[] = {
	{"hit", "streams and loops over pages that are near, against raw kernels"},
	{"random", "random reads of elements that are near, against raw ones"},
	{"cached", "random reads with 80% of the data near, against zero-copy without a cache"},
	{"miss", "pages from tier 2 and back, against stock unified memory"},
	{"storage", "cold reads of a file by misses, against a plain io_uring reader"},
	{"methods", "copies of single pages: copy engine, lanes of a warp, hybrid"},
	{"skew", "transfers under pages drawn by Zipf's law"},
	{"batch", "how many pages a warp asks for at once"},
	{"serve", "faults served by the GPU, and by the host with two policies"},
	{"pool", "pages between main and device memory of the buffer pool, so many at once"},
	{"signatures", "XXH3 and MD5 of blocks by the GPU, against one core and the bus"},
	{"sweep", "misses by page size, transfer and number of warps"},
	{NULL, NULL},
};

static const struct part limits[] = {
	{"bus", td_gpu_limits_bus},
	{"zero-copy", td_gpu_limits_zero_copy},
	{"memory", td_gpu_limits_device},
	{"disk", td_gpu_limits_disk},
};

/* ---- device ---- */

int td_gpu_device(const struct td_gpu_setup *s, json_t **out, struct tide_error *err)
{
	struct tide_gpu_info i = {.size = sizeof i};
	int rc = tide_gpu_info(&i, s->device, err);
	if (rc)
		return rc;
	char capability[32];
	snprintf(capability, sizeof capability, "%d.%d", i.major, i.minor);
	*out = json_pack("{s:s,s:i,s:i,s:s,s:s,s:s,s:i,s:I,s:I,s:I,s:I}", "name", i.name, "device",
			 i.device, "devices", i.devices, "driver", i.driver, "runtime", i.runtime,
			 "capability", capability, "multiprocessors", i.multiprocessors, "warps",
			 (json_int_t)i.warps, "memory_bytes", (json_int_t)i.memory_bytes,
			 "free_bytes", (json_int_t)i.free_bytes, "l2_bytes",
			 (json_int_t)i.l2_bytes);
	return 0;
}

int td_gpu_info(const struct td_gpu_setup *s, json_t **out, struct tide_error *err)
{
	json_t *device = NULL, *table;
	*out = json_object();
	int rc = td_gpu_device(s, &device, err);
	if (rc)
		return rc;
	json_object_set_new(*out, "device", device);
	if (s->quick)
		return 0;
	rc = td_gpu_choose(s, err);
	if (rc)
		return rc;
	table = td_gpu_table();
	json_object_set_new(*out, "limits", table);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct tide_error said = {0};
		td_gpu_tell(s, "%s", limits[i].name);
		if (limits[i].run(s, table, &said))
			td_gpu_table_fault(table, s, limits[i].name, &said);
	}
	return 0;
}

/* ---- bench ---- */

static bool run_part(const struct part *p, const struct td_gpu_setup *s, json_t *to)
{
	struct tide_error err = {0};
	json_t *table = td_gpu_table();
	uint64_t since_ns = td_clock_ns();
	td_gpu_tell(s, "%s", p->name);
	if (p->run(s, table, &err)) {
		td_gpu_table_fault(table, s, p->name, &err);
		json_object_set_new(table, "error", json_string(err.text));
	}
	json_object_set_new(table, "time_ns", json_integer((json_int_t)(td_clock_ns() - since_ns)));
	json_object_set_new(to, p->name, table);
	return json_is_true(json_object_get(table, "ok"));
}

static bool run_micro(const struct td_gpu_bench_options *o, json_t *to)
{
	bool ok = true;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (td_gpu_listed(o->micro, parts[i].name))
			ok = run_part(&parts[i], &o->setup, to) && ok;
	}
	return ok;
}

static bool run_apps(const struct td_gpu_bench_options *o, json_t *to)
{
	struct tide_error err = {0};
	json_t *apps = NULL;
	int rc = td_gpu_apps_run(o, &apps, &err);
	apps = apps ? apps : json_object();
	if (rc) {
		json_object_set_new(apps, "error", json_string(err.text));
		json_object_set_new(apps, "ok", json_false());
		td_gpu_tell(&o->setup, "FAILED applications: %s", err.text);
	}
	json_object_set_new(to, "apps", apps);
	return json_is_true(json_object_get(apps, "ok"));
}

int td_gpu_bench(const struct td_gpu_bench_options *o, json_t **out, struct tide_error *err)
{
	json_t *device = NULL, *micro = json_object();
	bool ok = true;
	*out = json_object();
	json_object_set_new(*out, "micro", micro);
	int rc = td_gpu_list_check(o->micro, td_gpu_micros, "micro bench", err);
	if (!rc)
		rc = td_gpu_list_check(o->app, td_gpu_apps, "application", err);
	if (!rc)
		rc = td_gpu_device(&o->setup, &device, err);
	json_object_set_new(*out, "device", device ? device : json_null());
	if (!rc)
		rc = td_gpu_choose(&o->setup, err);
	if (rc)
		return rc;
	if (o->micro || !o->app)
		ok = run_micro(o, micro);
	if (o->app)
		ok = run_apps(o, *out) && ok;
	json_object_set_new(*out, "ok", json_boolean(ok));
	return 0;
}
