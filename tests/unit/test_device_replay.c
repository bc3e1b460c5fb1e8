/* One warp on the page cache of the GPU and the simulator, access by access: the same counts after
 * each, the same victims in the same order, the same predictor at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A warp that waits has the processor's part done. */
static void serve_all(void);
#define TD_DEV_PAUSE() serve_all()
#include "tide/device/access.h"

#include "core/params.h"
#include "device_world.h"
#include "tide/policy.h"
#include "tide/tide.h"

/* ---- the processor's part: requests, and the regression ---- */

static struct device_world world;
static uint64_t heads[2];

static struct regression {
	double rate;
	uint64_t taken, accesses;
	uint64_t *last; /* of each page: time of its last access */
	uint32_t *tree; /* by time: 1 where a page was last used, summed as Fenwick does */
	uint32_t in_tree;
	struct tide_sums sums;
	struct tide_line line;
} fit;

static void mark(uint64_t time, uint32_t change)
{
	for (; time <= fit.accesses; time += time & -time)
		fit.tree[time] += change;
	fit.in_tree += change;
}

static uint32_t used_until(uint64_t time)
{
	uint32_t n = 0;
	for (; time; time -= time & -time)
		n += fit.tree[time];
	return n;
}

static void add_pair(uint64_t last, uint64_t now)
{
	uint64_t above = fit.in_tree - used_until(last);
	uint64_t distance = fit.rate < 1 ? (uint64_t)((double)above / fit.rate) : above;
	tide_sums_add(&fit.sums, now - last, distance);
	if (fit.sums.n % TIDE_PAIRS_PER_FIT == 0 && tide_sums_fit(&fit.sums, &fit.line)) {
		world.told.line = fit.line;
		world.told.line_sequence += 2;
	}
	world.told.samples_enough = fit.sums.n == TIDE_PAIRS_MAX;
}

static void take_samples(void)
{
	struct td_dev_sample *s = &world.c->samples[fit.taken % DEVICE_SAMPLES];
	for (; s->sequence == fit.taken + 1; s = &world.c->samples[fit.taken % DEVICE_SAMPLES]) {
		uint64_t *last = &fit.last[s->page];
		if (*last) {
			add_pair(*last, s->time);
			mark(*last, UINT32_MAX);
		}
		*last = s->time;
		mark(s->time, 1);
		s->sequence = fit.taken + DEVICE_SAMPLES;
		world.told.samples_taken = ++fit.taken;
	}
}

static void serve_all(void)
{
	struct td_dev_request r;
	for (unsigned q = 0; q < 2; q++)
		while (device_next(&world.c->queue[q], &heads[q], &r))
			device_serve(&world, &r);
	take_samples();
}

/* ---- traces ---- */

enum { ACCESSES_MAX = 400000, PAGES_MAX = 4096 };

static struct tide_event events[ACCESSES_MAX];
static uint32_t events_n, events_pages;

static void load(const char *workload)
{
	struct tide_trace *t;
	struct tide_error err;
	if (tide_trace_open(&t,
			    &(struct tide_trace_options){.size = sizeof(struct tide_trace_options),
							 .workload = workload},
			    &err))
		fail_msg("%s", err.text);
	events_n = events_pages = 0;
	for (uint32_t i = 0; i < ACCESSES_MAX; i++)
		events[i].size = sizeof events[i];
	while (events_n < ACCESSES_MAX && tide_trace_next(t, &events[events_n], NULL) == 1) {
		uint64_t page = events[events_n++].page;
		assert_true(page < PAGES_MAX);
		events_pages = page >= events_pages ? (uint32_t)page + 1 : events_pages;
	}
	tide_trace_close(t);
	assert_true(events_n > 1000);
}

/* ---- side by side ---- */

struct study {
	const char *place;
	uint32_t near, host, staging;
	const char *workload;
};

static char log_path[64];

static struct tide_sim *open_sim(const struct study *s)
{
	char near[16], host[16];
	struct tide_sim_options o = {.size = sizeof o,
				     .near_size = near,
				     .host = host,
				     .place = s->place,
				     .evict = "clock",
				     .prefetch = "none",
				     .chunk = "1p",
				     .log = log_path};
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;
	snprintf(near, sizeof near, "%up", s->near);
	snprintf(host, sizeof host, "%up", s->host);
	if (tide_sim_open(&sim, &o, &err))
		fail_msg("%s", err.text);
	return sim;
}

extern const struct tide_placer *const td_placer_table[];

/* Its number, and what its parameters say. */
static uint32_t settle(const char *spec, struct tide_placing *p)
{
	union tide_value *values = NULL;
	size_t n = strcspn(spec, ":");
	uint32_t at = 0;
	*p = (struct tide_placing){0};
	while (strncmp(td_placer_table[at]->policy->name, spec, n) != 0)
		at++;
	assert_int_equal(
		td_core_params(td_placer_table[at]->policy->params, spec, "it", &values, NULL), 0);
	assert_int_equal(td_placer_table[at]->settle(values, p, NULL), 0);
	free(values);
	return at;
}

static void open_device(const struct study *s)
{
	struct tide_placing placing;
	uint32_t place = settle(s->place, &placing);
	device_open(&world, &(struct device_setup){.frames = s->near,
						   .pages = events_pages,
						   .shards = 1,
						   .host = s->host,
						   .staging = s->staging,
						   .page_shift = 4,
						   .proxies = 1,
						   .place = place,
						   .placing = placing});
	world.c->lockstep = 1;
	world.c->sampling = placing.rate > 0;
	world.c->log_room = 2 * (uint64_t)events_n + 64;
	world.c->log = device_take(&world, world.c->log_room, sizeof *world.c->log);
	memset(heads, 0, sizeof heads);
	fit = (struct regression){.rate = placing.rate, .accesses = events_n, .line = {1, 0}};
	fit.last = device_take(&world, events_pages, sizeof *fit.last);
	fit.tree = device_take(&world, (size_t)events_n + 1, sizeof *fit.tree);
}

/* What both count. */
static struct tide_counts counts_of_device(uint64_t accesses)
{
	struct tide_counts c = {.size = sizeof c, .accesses = accesses};
	c.faults = device_count(&world, TD_DEV_FAULTS);
	c.hits = accesses - c.faults;
	c.migrated_pages = c.faults;
	c.evicted_pages = c.evicted_chunks = device_count(&world, TD_DEV_EVICTED);
	c.writeback_pages = device_count(&world, TD_DEV_EVICTED_DIRTY);
	c.tier2_hits = device_count(&world, TD_DEV_TIER2_HITS);
	c.tier2_misses = device_count(&world, TD_DEV_TIER2_MISSES);
	c.tier3_reads =
		device_count(&world, TD_DEV_TIER3_READS) + device_count(&world, TD_DEV_RECLAIMED);
	c.tier3_writes = device_count(&world, TD_DEV_TIER3_WRITES);
	return c;
}

static void access_both(const struct study *s, struct tide_sim *sim, uint32_t i)
{
	struct tide_span a = device_span(&world);
	const struct tide_event *e = &events[i];
	struct tide_counts counts = {.size = sizeof counts}, device = {.size = sizeof device};
	a.sample_bound = world.c->sampling ? tide_sample_bound(fit.rate) : 0;
	assert_int_equal(tide_sim_access(sim, e, NULL), 0);
	unsigned char *at = td_dev_acquire(&a, td_dev_warp(), e->page, e->write);
	assert_non_null(at);
	td_dev_release(&a, td_dev_warp(), e->page);
	tide_sim_counts(sim, &counts, NULL);
	device = counts_of_device(i + 1);
	if (memcmp(&counts, &device, sizeof counts) == 0)
		return;
#define TIDE_COUNTER(name, help) \
	if (counts.name != device.name) \
		print_message("%s: %" PRIu64 ", the device %" PRIu64 "\n", #name, counts.name, \
			      device.name);
#include "tide/counters.def"
#undef TIDE_COUNTER
	fail_msg("%s of %s, near %u, host %u, staging %u: access %u (page %" PRIu64 ") differs",
		 s->place, s->workload, s->near, s->host, s->staging, i + 1, e->page);
}

/* ---- what was decided ---- */

static void compare_victims(const struct study *s)
{
	FILE *f = fopen(log_path, "r");
	char line[1024];
	uint64_t at = 0;
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		json_t *said = json_loads(line, 0, NULL);
		json_t *evict = json_object_get(said, "evict");
		for (size_t i = 0; i < json_array_size(evict); i++) {
			while (at < world.c->log_used && world.c->log[at].tier == 1)
				at++;
			assert_true(at < world.c->log_used && at < world.c->log_room);
			if ((json_int_t)world.c->log[at].page !=
			    json_integer_value(json_array_get(evict, i)))
				fail_msg("%s of %s: decision %" PRIu64 " is about page %u: %s",
					 s->place, s->workload, at, world.c->log[at].page, line);
			at++;
		}
		json_decref(said);
	}
	fclose(f);
	assert_int_equal(at, world.c->log_used);
}

static uint64_t number_of(const json_t *said, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(said, name));
}

static void compare_predictors(struct tide_sim *sim)
{
	char *text;
	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	json_t *document = json_loads(text, 0, NULL), *said = json_object_get(document, "policy");
	assert_int_equal(number_of(said, "keeps"), device_count(&world, TD_DEV_KEEPS));
	assert_int_equal(number_of(said, "lifted_to_tier2"), device_count(&world, TD_DEV_LIFTED));
	assert_int_equal(number_of(said, "predictions_judged"),
			 device_count(&world, TD_DEV_JUDGED));
	assert_int_equal(number_of(said, "pairs"), fit.sums.n);
	assert_true(json_real_value(json_object_get(said, "slope")) == fit.line.m);
	assert_true(json_real_value(json_object_get(said, "intercept")) == fit.line.b);
	if (device_count(&world, TD_DEV_JUDGED))
		assert_true(json_real_value(json_object_get(said, "prediction_accuracy")) ==
			    (double)device_count(&world, TD_DEV_RIGHT) /
				    (double)device_count(&world, TD_DEV_JUDGED));
	json_decref(document);
	free(text);
}

static void compare(const struct study *s)
{
	struct tide_sim *sim = open_sim(s);
	open_device(s);
	for (uint32_t i = 0; i < events_n; i++)
		access_both(s, sim, i);
	if (fit.rate > 0)
		compare_predictors(sim);
	tide_sim_close(sim);
	compare_victims(s);
	device_close(&world);
}

/* ---- tests ---- */

static const char *const workloads[] = {
	"zipf:pages=600,accesses=25000,writes=0.3",
	"cyclic:pages=300,rounds=80,writes=0.5",
	"scanhot:pages=500,hot=60,accesses=25000,writes=0.2",
	"uniform:pages=400,accesses=25000,writes=0.4",
};

static void places_are_those_of_the_simulator(void **state)
{
	static const struct study studies[] = {
		{"reuse:replace=0", 100, 120, 4, NULL},
		{"reuse", 64, 32, 2, NULL},
		{"reuse:rate=0.5", 90, 40, 5, NULL},
		{"reuse", 31, 0, 1, NULL},
		{"reuse", 90, 110, 4, NULL},
		{"worth", 90, 110, 4, NULL},
		{"worth", 64, 5, 2, NULL},
		{"worth", 31, 0, 1, NULL},
		{"bam", 100, 0, 1, NULL},
		{"bam", 70, 0, 40, NULL},
		{"tier-order", 80, 100, 2, NULL},
		{"tier-order", 33, 7, 9, NULL},
		{"random:p=0.5", 80, 60, 3, NULL},
		{"random:p=0.3", 80, 60, 3, NULL},
		{"reuse:by=page", 90, 110, 4, NULL},
		{"worth:by=page,rate=0.5", 90, 110, 4, NULL},
	};
	(void)state;
	for (size_t k = 0; k < sizeof workloads / sizeof workloads[0]; k++) {
		load(workloads[k]);
		for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
			struct study s = studies[i];
			s.workload = workloads[k];
			compare(&s);
		}
	}
}

/* Past the end of the samples. */
static void it_stops_sampling_when_the_simulator_does(void **state)
{
	struct study s = {"reuse", 200, 300, 8, "zipf:pages=900,accesses=300000,writes=0.3"};
	(void)state;
	load(s.workload);
	compare(&s);
	assert_int_equal(fit.sums.n, TIDE_PAIRS_MAX);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(log_path, sizeof log_path, "/tmp/tide-test-replay-%d", (int)getpid());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(log_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_of_the_simulator),
		cmocka_unit_test(it_stops_sampling_when_the_simulator_does),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
