/* tide gpu info and tide gpu bench: parts, one after another; one that fails is told, and the next
 * goes on. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>

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

static int take_device(const struct td_gpu_setup *s, struct td_gpu_result **out,
		       struct tide_error *err)
{
	struct tide_gpu_info info = {.size = sizeof info};
	int rc = tide_gpu_info(&info, s->device, err);
	struct td_gpu_result *r = *out = td_gpu_result_make();
	if (!r)
		return rc ? rc : tide_fail(err, -ENOMEM, "no memory for results: free some");
	r->device = info;
	r->has_device = !rc;
	return rc;
}

int td_gpu_info(const struct td_gpu_setup *s, struct td_gpu_result **out, struct tide_error *err)
{
	int rc = take_device(s, out, err);
	if (rc || s->quick)
		return rc;
	rc = td_gpu_choose(s, err);
	if (rc)
		return rc;
	struct td_gpu_table *table = td_gpu_table(*out, "limits");
	if (!table)
		return tide_fail(err, -ENOMEM, "no memory for results: free some");
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct tide_error said = {0};
		td_gpu_tell(s, "%s", limits[i].name);
		if (limits[i].run(s, table, &said))
			td_gpu_table_fault(table, s, limits[i].name, &said);
	}
	return 0;
}

/* ---- bench ---- */

static int run_part(const struct part *p, const struct td_gpu_setup *s, struct td_gpu_result *to,
		    struct tide_error *err)
{
	struct tide_error said = {0};
	uint64_t since_ns = td_clock_ns();
	struct td_gpu_table *table = td_gpu_table(to, p->name);
	if (!table)
		return tide_fail(err, -ENOMEM, "no memory for results: free some");
	td_gpu_tell(s, "%s", p->name);
	if (p->run(s, table, &said)) {
		td_gpu_table_fault(table, s, p->name, &said);
		snprintf(table->error, sizeof table->error, "%s", said.text);
	}
	table->time_ns = td_clock_ns() - since_ns;
	return 0;
}

static int run_micro(const struct td_gpu_bench_options *o, struct td_gpu_result *to,
		     struct tide_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts && !rc; i++) {
		if (td_gpu_listed(o->micro, parts[i].name))
			rc = run_part(&parts[i], &o->setup, to, err);
	}
	return rc;
}

static int run_apps(const struct td_gpu_bench_options *o, struct td_gpu_result *to,
		    struct tide_error *err)
{
	struct tide_error said = {0};
	struct td_gpu_apps *apps = to->apps = calloc(1, sizeof *apps);
	if (!apps)
		return tide_fail(err, -ENOMEM, "no memory for results: free some");
	if (td_gpu_apps_run(o, apps, &said)) {
		snprintf(apps->error, sizeof apps->error, "%s", said.text);
		apps->ok = false;
		td_gpu_tell(&o->setup, "FAILED applications: %s", said.text);
	}
	return 0;
}

int td_gpu_bench(const struct td_gpu_bench_options *o, struct td_gpu_result **out,
		 struct tide_error *err)
{
	int rc = td_gpu_list_check(o->micro, td_gpu_micros, "micro bench", err);
	*out = NULL;
	if (!rc)
		rc = td_gpu_list_check(o->app, td_gpu_apps, "application", err);
	if (!rc)
		rc = take_device(&o->setup, out, err);
	if (!rc)
		rc = td_gpu_choose(&o->setup, err);
	if (!rc && (o->micro || !o->app))
		rc = run_micro(o, *out, err);
	return !rc && o->app ? run_apps(o, *out, err) : rc;
}
