/* A libtide_gpu.so without CUDA: gives a result of its own, up to what FAKE_RESULT says (none,
 * device, all), fails with the text of FAKE_ERROR, and says what it was asked for. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef API
#define API TD_GPU_API
#endif

static void tell(const struct td_gpu_setup *s, const char *what, const char *value)
{
	char line[200];

	if (!s->say || !value)
		return;
	snprintf(line, sizeof line, "%s %s", what, value);
	s->say(s->who, line);
}

/* ---- results ---- */

static struct td_gpu_measure limits_rows[] = {
	{.what = "copy", .bytes = 4096, .gbps = 1.25, .time_ns = 2600},
	{.what = "copy", .bytes = 65536, .gbps = 16.0, .time_ns = 4100},
	{.what = "flag", .count = 1000, .time_ns = 1600000, .per_second = 625000},
};
static struct td_gpu_claim limits_claims[] = {
	{"bulk copy", ">= 45", 44.5, false},
	{"disk", "no file", NAN, false},
};
static struct td_gpu_table limits[] = {
	{.name = "limits",
	 .rows = limits_rows,
	 .rows_n = 3,
	 .claims = limits_claims,
	 .claims_n = 2},
};

static struct td_gpu_measure hit_rows[] = {
	{.what = "cursor", .bytes = 1 << 20, .gbps = 4000, .ratio = 0.925, .of = "raw"},
};
static struct td_gpu_claim hit_claims[] = {{"cursor / raw", ">= 0.9", 0.925, true}};
static struct td_gpu_table micros_made[] = {
	{.name = "hit",
	 .rows = hit_rows,
	 .rows_n = 1,
	 .claims = hit_claims,
	 .claims_n = 1,
	 .ok = true},
	{.name = "storage", .error = "no space"},
};

static struct td_gpu_test tests[] = {
	{.name = "pressure", .ok = true, .accesses = 1000000, .time_ns = 1500000000},
	{.name = "errors", .detail = "a read that failed gave 7", .accesses = 10, .time_ns = 12},
};

#define COUNTS(...) .has_stats = true, .stats = {.counts = {__VA_ARGS__}
#define GIB25 UINT64_C(2684354560)
static struct td_gpu_run runs[] = {
	{.app = "srad",
	 .label = "bam",
	 .oversubscribe = 2,
	 .data_bytes = GIB25,
	 .time_ns = 2000000000,
	 .verified = 1,
	 .speedup = 1,
	 COUNTS(.accesses = 1000, .hits = 900, .tier2_misses = 100, .tier3_reads = 100)}},
{
	.app = "srad", .label = "reuse", .oversubscribe = 2, .data_bytes = GIB25,
	.time_ns = 1000000000, .verified = 1, .speedup = 2, .has_checksum = true, .checksum = 255,
	.stats_json = (char[]){"{\"verb\": \"gpu\", \"config\": 1, \"counts\": {\"hits\": 900}, "
			       "\"policy\": {\"ejected\": \"mine\"}}"},
	COUNTS(.accesses = 1000, .hits = 900, .tier2_hits = 60, .tier2_misses = 40,
	       .tier3_reads = 40),
	.predictions_judged = 8, .predictions_right = 7, .ejected = "mine"
}
}
,
	{.app = "bfs",
	 .label = "bam",
	 .oversubscribe = 2,
	 .data_bytes = GIB25,
	 .time_ns = 3000000000,
	 .verified = 0,
	 .speedup = 1},
	{.app = "bfs", .label = "reuse", .oversubscribe = 2, .verified = -1, .error = "disk full"},
}
;
static struct td_gpu_mean means[] = {{"reuse", 2, 2, 1}};
static struct td_gpu_apps apps_made = {.near_bytes = 268435456,
				       .host_bytes = 1073741824,
				       .page_bytes = 65536,
				       .rounds = 1,
				       .transfer = "zero-copy",
				       .runs = runs,
				       .runs_n = 4,
				       .means = means,
				       .means_n = 1};

static struct td_gpu_result result = {.size = sizeof result,
				      .has_device = true,
				      .device = {.name = "Fake GPU",
						 .driver = "13.0",
						 .runtime = "13.0",
						 .devices = 1,
						 .major = 9,
						 .multiprocessors = 2,
						 .warps = 128,
						 .memory_bytes = 1 << 30,
						 .free_bytes = 1 << 29,
						 .l2_bytes = 1 << 20}};

static bool wants(const char *what)
{
	const char *given = getenv("FAKE_RESULT");

	return given && strcmp(given, what) == 0;
}

static int give(const struct td_gpu_setup *s, struct td_gpu_result **out, struct tide_error *err)
{
	const char *error = getenv("FAKE_ERROR");

	tell(s, "folder", s->dir);
	tell(s, "seed", s->seed);
	tell(s, "quick", s->quick ? "yes" : NULL);
	*out = wants("none") ? NULL : &result;
	return error ? tide_fail(err, -EIO, "%s", error) : 0;
}

static void free_result(struct td_gpu_result *r)
{
	(void)r;
}

/* ---- the calls ---- */

static int info(const struct td_gpu_setup *options, struct td_gpu_result **out,
		struct tide_error *err)
{
	result.tables = limits;
	result.tables_n = wants("all");
	return give(options, out, err);
}

static int selftest(const struct td_gpu_selftest_options *o, struct td_gpu_result **out,
		    struct tide_error *err)
{
	tell(&o->setup, "part", o->part);
	tell(&o->setup, "thorough", o->thorough ? "yes" : NULL);
	result.tests = tests;
	result.tests_n = 2;
	return give(&o->setup, out, err);
}

static int bench(const struct td_gpu_bench_options *o, struct td_gpu_result **out,
		 struct tide_error *err)
{
	tell(&o->setup, "micro", o->micro);
	tell(&o->setup, "app", o->app);
	tell(&o->setup, "place", o->place);
	tell(&o->setup, "oversubscribe", o->oversubscribe);
	tell(&o->setup, "near", o->near_size);
	tell(&o->setup, "host", o->host);
	tell(&o->setup, "page", o->page);
	tell(&o->setup, "transfer", o->transfer);
	tell(&o->setup, "timeout", o->timeout);
	tell(&o->setup, "orchestrate", o->orchestrate);
	tell(&o->setup, "evict", o->evict);
	tell(&o->setup, "prefetch", o->prefetch);
	result.tables = micros_made;
	result.tables_n = wants("all") ? 2 : 0;
	result.apps = wants("all") ? &apps_made : NULL;
	return give(&o->setup, out, err);
}

static const struct td_gpu_part parts[] = {{"pressure", "near memory close to its minimum"},
					   {"errors", "reads that fail"},
					   {NULL, NULL}};
static const struct td_gpu_part micros[] = {{"hit", "all is near"}, {NULL, NULL}};
static const struct td_gpu_part apps[] = {{"srad", "an image"}, {NULL, NULL}};

extern const struct td_gpu_module tide_gpu_module;
const struct td_gpu_module tide_gpu_module = {
	API, sizeof(struct td_gpu_module), info, selftest, bench, free_result, parts, micros, apps};
