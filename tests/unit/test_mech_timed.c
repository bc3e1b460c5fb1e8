/* The timed simulator: its counts where time must not matter, what is conserved where it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tide/tide.h"

struct result {
	struct tide_counts counts;
	json_t *json;
};

static struct result run(struct tide_sim_options options)
{
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};
	struct result r;
	char *text = NULL;

	if (tide_sim_open(&sim, &options, &err) || tide_sim_run(sim, NULL, NULL, &err) ||
	    tide_sim_json(sim, &text, &err))
		fail_msg("%s %s+%s: %s", options.workload, options.evict, options.prefetch,
			 err.text);
	r.counts.size = sizeof r.counts;
	tide_sim_counts(sim, &r.counts, NULL);
	tide_sim_close(sim);
	r.json = json_loads(text, 0, NULL);
	assert_non_null(r.json);
	free(text);
	return r;
}

static uint64_t figure(const struct result *r, const char *key)
{
	const json_t *value = json_object_get(json_object_get(r->json, "time"), key);

	if (!json_is_integer(value))
		fail_msg("no %s in time", key);
	return (uint64_t)json_integer_value(value);
}

/* ---- the counts of the functional simulator ---- */

static const char *const workloads[] = {
	"cyclic:pages=700,accesses=6000",
	"zipf:pages=900,accesses=8000",
	"mvt:scale=0.005",
	"mvt:scale=0.005,mode=wave",
	"hot:scale=0.05",
	"nw:scale=0.02",
	"dwt:scale=0.02",
	"bfs:scale=0.005",
	"spv:scale=0.01,iters=2",
	"mvt:scale=0.005,jitter=64",
};

static const struct {
	const char *evict, *prefetch;
} pairs[] = {
	{"lrm", "tree"}, {"mhpe", "pattern"},           {"lru", "none"},  {"tournament", "rgp"},
	{"cp", "fdp"},   {"random", "sequential:n=40"}, {"fifo", "acbm"},
};

/* No time but turns: every fault is served before the next access, as without a clock. */
static void test_ideal_is_functional(void **state)
{
	(void)state;
	for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++) {
		for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
			struct tide_sim_options o = {.size = sizeof o,
						     .workload = workloads[w],
						     .near_size = "60%",
						     .evict = pairs[p].evict,
						     .prefetch = pairs[p].prefetch};
			struct result a = run(o);
			o.model = "ideal";
			struct result b = run(o);
			if (memcmp(&a.counts, &b.counts, sizeof a.counts))
				fail_msg("%s %s+%s: %llu faults without a clock, %llu with",
					 workloads[w], pairs[p].evict, pairs[p].prefetch,
					 (unsigned long long)a.counts.faults,
					 (unsigned long long)b.counts.faults);
			json_decref(a.json);
			json_decref(b.json);
		}
	}
}

/* One access at a time has one order, however long each takes. */
static void test_one_warp_has_one_order(void **state)
{
	static const char *const models[] = {"cppe", "uvmsmart", "observuvm", "gmt", "h200"};

	(void)state;
	for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
		struct tide_sim_options o = {.size = sizeof o,
					     .workload = "zipf:pages=900,accesses=8000",
					     .near_size = "40%",
					     .evict = "mhpe",
					     .prefetch = "pattern"};
		struct result a = run(o);
		o.model = models[m];
		struct result b = run(o);
		assert_memory_equal(&a.counts, &b.counts, sizeof a.counts);
		assert_true(figure(&b, "simulated_ns") > 0);
		json_decref(a.json);
		json_decref(b.json);
	}
}

/* ---- what is conserved ---- */

#define PAGE 4096

static void test_bytes_are_conserved(void **state)
{
	static const char *const apps[] = {"mvt:scale=0.02", "bfs:scale=0.01", "srd:scale=0.02",
					   "mvt:scale=0.02,mode=wave"};

	(void)state;
	for (size_t i = 0; i < sizeof apps / sizeof *apps; i++) {
		struct result r =
			run((struct tide_sim_options){.size = sizeof(struct tide_sim_options),
						      .workload = apps[i],
						      .near_size = "60%",
						      .evict = "lrm",
						      .prefetch = "locality",
						      .model = "cppe"});
		uint64_t in = figure(&r, "up_bytes"), out = figure(&r, "down_bytes");
		const json_t *config = json_object_get(r.json, "config");
		uint64_t near_pages =
			(uint64_t)json_integer_value(json_object_get(config, "near_pages"));
		assert_int_equal(in, r.counts.migrated_pages * PAGE);
		assert_int_equal(out, r.counts.evicted_pages * PAGE);
		assert_true(in - out <= near_pages * PAGE);
		assert_int_equal(figure(&r, "prefetch_bytes"), r.counts.prefetched_pages * PAGE);
		/* Never over its bandwidth: 16 GB/s, and one copy after another. */
		assert_true(figure(&r, "up_ns") <= figure(&r, "simulated_ns"));
		assert_true(figure(&r, "down_ns") <= figure(&r, "simulated_ns"));
		assert_true((double)in / 16 <= (double)figure(&r, "up_ns") + 1);
		assert_true(figure(&r, "driver_ns") <= figure(&r, "simulated_ns"));
		assert_int_equal(r.counts.accesses, r.counts.hits + r.counts.faults);
		assert_true(figure(&r, "raised_faults") >= r.counts.faults);
		json_decref(r.json);
	}
}

/* An access to an armed page is a hit; one to a remote page is neither hit nor fault. */
static void test_every_access_is_counted_once(void **state)
{
	static const char *const pairs[][2] = {
		{"lrm", "fdp"}, {"observ-lru", "tree"}, {"lrm", "acbm"}, {"tournament", "rgp"}};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct result r =
			run((struct tide_sim_options){.size = sizeof(struct tide_sim_options),
						      .workload = "zipf:pages=900,accesses=8000",
						      .near_size = "50%",
						      .evict = pairs[i][0],
						      .prefetch = pairs[i][1],
						      .model = "h200"});
		const struct tide_counts *c = &r.counts;
		uint64_t remote = c->remote_accesses - c->notices;
		assert_true(c->hits && c->faults && c->remote_accesses);
		assert_true(c->notices <= c->hits);
		assert_int_equal(remote > 0, strcmp(pairs[i][1], "acbm") == 0);
		assert_int_equal(c->accesses, c->hits + c->faults + remote);
		json_decref(r.json);
	}
}

/* Only what is dirty goes back, where the model says so. */
static void test_clean_pages_need_no_copy(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "mvt:scale=0.02",
				     .near_size = "60%",
				     .model = "cppe:writeback=dirty"};

	(void)state;
	struct result r = run(o);
	assert_int_equal(figure(&r, "down_bytes"), r.counts.writeback_pages * PAGE);
	json_decref(r.json);
}

static void test_three_tiers(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "hotspot:scale=0.001",
				     .near_size = "10%",
				     .host = "40%",
				     .page = "64K",
				     .place = "reuse",
				     .model = "gmt"};

	(void)state;
	struct result r = run(o);
	assert_true(r.counts.tier3_reads > 0);
	assert_int_equal(figure(&r, "read_bytes"), r.counts.tier3_reads * 65536);
	assert_int_equal(figure(&r, "write_bytes"), r.counts.tier3_writes * 65536);
	assert_int_equal(figure(&r, "batches"), 0);
	json_decref(r.json);
}

/* ---- time ---- */

static void test_same_command_same_nanoseconds(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "bfs:scale=0.01",
				     .near_size = "50%",
				     .evict = "random",
				     .prefetch = "tree",
				     .model = "h200"};

	(void)state;
	struct result a = run(o), b = run(o);
	assert_true(json_equal(json_object_get(a.json, "time"), json_object_get(b.json, "time")));
	assert_true(
		json_equal(json_object_get(a.json, "counts"), json_object_get(b.json, "counts")));
	json_decref(a.json);
	json_decref(b.json);
}

static uint64_t time_with(const char *model)
{
	struct result r = run((struct tide_sim_options){.size = sizeof(struct tide_sim_options),
							.workload = "srd:scale=0.02",
							.near_size = "60%",
							.evict = "lrm",
							.prefetch = "locality",
							.model = model});
	uint64_t ns = figure(&r, "simulated_ns");

	json_decref(r.json);
	return ns;
}

/* What is made slower takes longer; an access that misses nothing waits for nothing. */
static void test_figures_matter(void **state)
{
	uint64_t ns = time_with("cppe");

	(void)state;
	assert_true(time_with("cppe:batch_ns=45000") > ns);
	assert_true(time_with("cppe:up_gbs=2") > ns);
	assert_true(time_with("cppe:memory_ns=20000") > ns);
	assert_true(time_with("cppe:batch=1") > ns);
	assert_true(time_with("cppe:batch_ns=0,up_gbs=0,down_gbs=0") < ns);
	assert_true(time_with("cppe:replay_ns=50000") > ns);
}

static void test_everything_fits(void **state)
{
	struct result r = run((struct tide_sim_options){.size = sizeof(struct tide_sim_options),
							.workload = "cyclic:pages=64,accesses=64",
							.near_size = "64p",
							.prefetch = "none",
							.model = "cppe:memory_ns=0,walk_ns=0"});

	(void)state;
	/* Each access is a batch of its own: 1 us to wake the driver, 20 us, and a page at 16 GB/s.
	 */
	uint64_t each = 1000 + 20000 + PAGE / 16;
	assert_int_equal(figure(&r, "batches"), 64);
	assert_in_range(figure(&r, "simulated_ns"), 64 * each, 64 * (each + 10));
	json_decref(r.json);
}

/* ---- refusals ---- */

static void assert_refused(struct tide_sim_options options, const char *said)
{
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};

	assert_int_equal(tide_sim_open(&sim, &options, &err), -EINVAL);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
}

static void test_refusals(void **state)
{
	struct tide_sim_options o = {
		.size = sizeof o, .workload = "mvt:scale=0.01", .near_size = "50%"};

	(void)state;
	o.model = "h100";
	assert_refused(o, "no model is called h100: give one of cppe");
	o.model = "h200:sms=-1";
	assert_refused(o, "sms=-1");
	o.model = "h200:wings=2";
	assert_refused(o, "wings");
	o.model = "h200:service=maid";
	assert_refused(o, "service=maid is none: give driver or gpu");
	o.model = "h200";
	o.evict = "opt";
	assert_refused(o, "future");
	o.workload = NULL;
	o.near_size = "64p";
	o.evict = NULL;
	assert_refused(o, "pushed accesses have no time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ideal_is_functional),
		cmocka_unit_test(test_one_warp_has_one_order),
		cmocka_unit_test(test_bytes_are_conserved),
		cmocka_unit_test(test_every_access_is_counted_once),
		cmocka_unit_test(test_clean_pages_need_no_copy),
		cmocka_unit_test(test_three_tiers),
		cmocka_unit_test(test_same_command_same_nanoseconds),
		cmocka_unit_test(test_figures_matter),
		cmocka_unit_test(test_everything_fits),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
