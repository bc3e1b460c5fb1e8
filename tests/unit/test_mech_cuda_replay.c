/* One warp of the GPU runtime decides as the simulator does: the same victims to the same tiers,
 * access by access. */
#include <inttypes.h>
#include <jansson.h>

/* Every access waits for threads of the runtime, a hundred thousand times: not for storage too. */
static void wait_as_warp(void);
#define TD_DEV_PAUSE() wait_as_warp()
#define FOLDER "/dev/shm"
#include "cuda_help.h"
#include "mech/cuda/runtime.h"
#include "tide/tide.h"

#define PAGES 600u
#define ACCESSES 12500u /* enough for one fit of the line */

struct trace {
	uint32_t page[ACCESSES];
	bool write[ACCESSES];
};

/* ---- waits ---- */

static struct tide_gpu *replaying;

/* What the regression's thread would do, if it has no processor just now; the proxies' need sleep.
 */
static void wait_as_warp(void)
{
	static unsigned looks;
	if (!td_cuda_regression_serve(&replaying->regression) && ++looks % 64 == 0)
		usleep(20);
}

/* ---- three shapes ---- */

static void make_skewed(struct trace *t)
{
	uint64_t state = 11;
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint64_t r = tide_random_next(&state);
		uint32_t span = (uint32_t)1 << (r >> 60) % 10;
		t->page[i] = (uint32_t)(r >> 8) % (span < PAGES ? span : PAGES);
		t->page[i] = (uint32_t)(tide_hash64(t->page[i]) % PAGES);
		t->write[i] = r >> 40 & 1;
	}
}

static void make_loop(struct trace *t)
{
	for (unsigned i = 0; i < ACCESSES; i++) {
		t->page[i] = i % 17 == 0 ? i / 17 % 40 : 40 + i % 400;
		t->write[i] = i % 3 == 0;
	}
}

/* Loops of changing length, and a scan now and then. */
static void make_phases(struct trace *t)
{
	uint64_t state = 5;
	unsigned length = 100, base = 0;
	for (unsigned i = 0; i < ACCESSES; i++) {
		if (i % 3000 == 0) {
			length = 60 + (unsigned)(tide_random_next(&state) % 400);
			base = (unsigned)(tide_random_next(&state) % (PAGES - length));
		}
		bool scan = i % 7000 >= 6400;
		t->page[i] = scan ? i % PAGES : base + i % length;
		t->write[i] = tide_random_next(&state) >> 63;
	}
}

/* ---- both ---- */

struct outcome {
	uint32_t *evicted;
	size_t evicted_n;
	struct tide_counts counts;
	double slope, intercept, keeps, lifted, judged, accuracy;
};

static void add_evicted(struct outcome *o, uint32_t page)
{
	assert_true(o->evicted_n < ACCESSES);
	o->evicted[o->evicted_n++] = page;
}

static double report_of(const json_t *document, const char *key)
{
	return json_number_value(json_object_get(json_object_get(document, "policy"), key));
}

static void read_report(struct tide_sim *sim, struct outcome *o)
{
	struct tide_error err;
	char *text;
	assert_ok(tide_sim_json(sim, &text, &err), &err);
	json_t *document = json_loads(text, 0, NULL);
	assert_non_null(document);
	o->slope = report_of(document, "slope");
	o->intercept = report_of(document, "intercept");
	o->keeps = report_of(document, "keeps");
	o->lifted = report_of(document, "lifted_to_tier2");
	o->judged = report_of(document, "predictions_judged");
	o->accuracy = report_of(document, "prediction_accuracy");
	json_decref(document);
	free(text);
}

static void read_sim_log(const char *path, struct outcome *o)
{
	FILE *f = fopen(path, "r");
	char line[256];
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		json_t *d = json_loads(line, 0, NULL);
		assert_non_null(d);
		json_t *list = json_object_get(d, "evict"), *page;
		size_t i;
		json_array_foreach(list, i, page)
			add_evicted(o, (uint32_t)json_integer_value(page));
		json_decref(d);
	}
	fclose(f);
}

static void simulate(const struct trace *t, const char *place, struct outcome *o)
{
	struct tide_error err;
	struct tide_sim *sim;
	char log[64];
	make_file(log, 0);
	struct tide_sim_options options = {.size = sizeof options,
					   .near_size = "100p",
					   .host = "150p",
					   .page = "4K",
					   .chunk = "4K",
					   .evict = "clock",
					   .prefetch = "none",
					   .place = place,
					   .log = log};
	assert_ok(tide_sim_open(&sim, &options, &err), &err);
	for (unsigned i = 0; i < ACCESSES; i++) {
		struct tide_event e = {.size = sizeof e, .page = t->page[i], .write = t->write[i]};
		assert_ok(tide_sim_access(sim, &e, &err), &err);
	}
	o->counts.size = sizeof o->counts;
	tide_sim_counts(sim, &o->counts, NULL);
	read_report(sim, o);
	tide_sim_close(sim);
	read_sim_log(log, o);
	unlink(log);
}

static void read_gpu_log(const char *path, struct outcome *o)
{
	FILE *f = fopen(path, "r");
	char line[256];
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		uint32_t page, tier;
		assert_int_equal(
			sscanf(line, "{\"page\":%" SCNu32 ",\"tier\":%" SCNu32 "}", &page, &tier),
			2);
		assert_in_range(tier, 1, 3);
		if (tier != 1)
			add_evicted(o, page);
	}
	fclose(f);
}

static void replay_part(struct tide_gpu *g, const struct tide_span *span, const struct trace *t,
			unsigned from, unsigned to)
{
	struct tide_error err;
	replaying = g;
	assert_ok(gpu->begin(g, 1, 1, &err), &err);
	for (unsigned i = from; i < to; i++) {
		struct td_dev_lanes lanes = td_dev_warp();
		assert_non_null(td_dev_acquire(span, lanes, t->page[i], t->write[i]));
		td_dev_release(span, lanes, t->page[i]);
	}
	assert_ok(gpu->end(g, &err), &err);
	assert_ok(gpu->check(g, &err), &err);
}

static void replay(const struct trace *t, const char *place, struct outcome *o)
{
	struct tide_error err;
	struct tide_gpu *g;
	struct tide_span span;
	struct tide_gpu_stats s = {.size = sizeof s};
	char log[64], path[64];
	make_file(log, 0);
	make_file(path, PAGES * PAGE);
	struct tide_gpu_options options = {.size = sizeof options,
					   .near_size = "100p",
					   .host = "150p",
					   .page = "4K",
					   .staging = "64p",
					   .place = place,
					   .timeout = "120s",
					   .log = log};
	struct tide_gpu_array_options how = {.size = sizeof how, .path = path, .writable = true};
	assert_ok(gpu->open(&g, &options, &err), &err);
	assert_ok(gpu->array(g, &span, 0, &how, &err), &err);
	replay_part(g, &span, t, 0, ACCESSES / 3);
	replay_part(g, &span, t, ACCESSES / 3, ACCESSES);
	assert_ok(gpu->stats(g, &s, &err), &err);
	assert_ok(gpu->close(g, &err), &err);
	read_gpu_log(log, o);
	o->counts = s.counts;
	o->counts.tier3_reads +=
		s.reclaimed_pages; /* those are not read: their write was under way */
	o->slope = s.slope;
	o->intercept = s.intercept;
	o->keeps = (double)s.keeps;
	o->lifted = (double)s.lifted_to_tier2;
	o->judged = (double)s.predictions_judged;
	o->accuracy = s.predictions_judged ? (double)s.predictions_right / o->judged : 0;
	unlink(log);
	unlink(path);
}

static void assert_same(const struct outcome *sim, const struct outcome *gpu_)
{
	size_t n = sim->evicted_n < gpu_->evicted_n ? sim->evicted_n : gpu_->evicted_n;
	for (size_t i = 0; i < n; i++)
		if (sim->evicted[i] != gpu_->evicted[i])
			fail_msg("eviction %zu: the simulator takes page %" PRIu32
				 ", the warp page %" PRIu32,
				 i, sim->evicted[i], gpu_->evicted[i]);
	assert_int_equal(sim->evicted_n, gpu_->evicted_n);
#define TIDE_COUNTER(name, help) \
	if (sim->counts.name != gpu_->counts.name) \
		fail_msg(#name ": %" PRIu64 " in the simulator, %" PRIu64 " of the warp", \
			 sim->counts.name, gpu_->counts.name);
#include "tide/counters.def"
#undef TIDE_COUNTER
	assert_true(sim->slope == gpu_->slope && sim->intercept == gpu_->intercept);
	assert_true(sim->keeps == gpu_->keeps && sim->lifted == gpu_->lifted);
	assert_true(sim->judged == gpu_->judged && sim->accuracy == gpu_->accuracy);
}

static void compare(void (*make)(struct trace *), const char *place)
{
	struct trace *t = calloc(1, sizeof *t);
	struct outcome sim = {.evicted = calloc(ACCESSES, sizeof(uint32_t))};
	struct outcome warp = {.evicted = calloc(ACCESSES, sizeof(uint32_t))};
	assert_true(t && sim.evicted && warp.evicted);
	make(t);
	simulate(t, place, &sim);
	replay(t, place, &warp);
	assert_true(sim.evicted_n > 300);
	if (strncmp(place, "reuse", 5) == 0 || strncmp(place, "worth", 5) == 0)
		assert_true(sim.slope != 1); /* there was a fit */
	else
		warp.slope = warp.intercept = 0; /* the others say nothing of a line */
	assert_same(&sim, &warp);
	free(t);
	free(sim.evicted);
	free(warp.evicted);
}

static void test_reuse(void **state)
{
	(void)state;
	compare(make_skewed, "reuse");
	compare(make_loop, "reuse");
	compare(make_phases, "reuse");
}

static void test_others(void **state)
{
	(void)state;
	compare(make_skewed, "tier-order");
	compare(make_skewed, "random:p=0.4");
	compare(make_phases, "reuse:rate=0.9,window=100");
	compare(make_skewed, "reuse:replace=0");
	compare(make_loop, "worth");
	compare(make_phases, "worth");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
