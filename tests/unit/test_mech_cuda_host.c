/* Host orchestration on threads as warps: the engine decides with policies of policies/, warps
 * carry it out, and what they write is what the file has in the end. */
#define PAGES 240u
#include "cuda_file.h"

#include <jansson.h>

#include "tide/tide.h"

#define WARPS 4u

static struct tide_gpu_options small(void)
{
	return (struct tide_gpu_options){.size = sizeof(struct tide_gpu_options),
					 .near_size = "64p",
					 .host = "512p",
					 .page = "4K",
					 .chunk = "8p",
					 .address = "4096p",
					 .timeout = "120s",
					 .orchestrate = "host"};
}

static struct tide_counts counts_of(struct fixture *f)
{
	struct tide_gpu_stats s = {.size = sizeof s};
	struct tide_error err;
	assert_ok(gpu->stats(f->g, &s, &err), &err);
	return s.counts;
}

/* Of near memory, what the engine has. */
static uint64_t engine_pages(struct fixture *f)
{
	struct tide_error err;
	char *text = NULL;
	assert_ok(gpu->stats_json(f->g, &text, &err), &err);
	json_t *all = json_loads(text, 0, NULL);
	json_t *pages = json_object_get(json_object_get(all, "policy"), "near_pages");
	uint64_t n = (uint64_t)json_integer_value(pages);
	json_decref(all);
	free(text);
	return n;
}

/* ---- what kernels do ---- */

/* All warps everywhere, most of the time near where they were: each word has one writer. */
static void body_shared(struct launch *l, unsigned warp)
{
	uint64_t pages = l->span.bytes / PAGE, state = l->seed * 1000 + warp, page = 0;
	uint64_t raised[PAGES] = {0};
	struct td_dev_lanes lanes = td_dev_warp();
	for (unsigned i = 0; i < l->accesses; i++) {
		uint64_t drawn = tide_random_next(&state);
		bool write = drawn >> 40 & 1;
		page = drawn % 8 ? (page + drawn % 3) % pages : drawn / 8 % pages;
		uint64_t *at = (uint64_t *)(void *)td_dev_acquire(&l->span, lanes, page, write);
		if (!at) {
			l->lost++;
			return;
		}
		l->wrong += at[warp] != word_at(page, warp) + raised[page];
		if (write) {
			at[warp]++;
			raised[page]++;
		}
		td_dev_release(&l->span, lanes, page);
	}
}

/* Several pages are held at once, and those that are missing are asked for together. */
static void body_several(struct launch *l, unsigned warp)
{
	uint64_t pages = l->span.bytes / PAGE, state = l->seed * 1000 + warp;
	struct td_dev_lanes lanes = td_dev_warp();
	for (unsigned i = 0; i < l->accesses; i++) {
		struct td_dev_load loads[3];
		uint64_t first = tide_random_next(&state) % (pages - 20);
		for (unsigned k = 0; k < 3; k++)
			loads[k].page = l->span.first_page + (uint32_t)(first + 9 * k);
		bool ok = td_dev_hold(l->span.control, lanes, loads, 3, false);
		l->lost += !ok;
		for (unsigned k = 0; k < 3; k++) {
			if (loads[k].got != TD_DEV_HELD)
				continue;
			const uint64_t *at = (const uint64_t *)(void *)(l->span.near_memory +
									loads[k].frame * PAGE);
			l->wrong += at[5] != word_at(first + 9 * k, 5);
			td_dev_release(&l->span, lanes, first + 9 * k);
		}
	}
}

/* ---- every policy that can live on faults and notices ---- */

static void run_through(const struct tide_gpu_options *o, unsigned accesses)
{
	struct fixture f;
	struct tide_error err;
	set_up(&f, o, true);
	for (unsigned i = 0; i < 3; i++) {
		struct launch l = launch_of(&f, accesses);
		l.seed = i;
		if (i == 2)
			l.body = body_loop;
		assert_ok(launch(&l, 1, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		assert_ok(gpu->check(f.g, &err), &err);
		if (i == 1) {
			assert_ok(gpu->sync(f.g, &err), &err);
			assert_ok(gpu->check(f.g, &err), &err);
			assert_file(f.path, f.versions, PAGES);
		}
	}
	struct tide_counts c = counts_of(&f);
	assert_true(c.faults > PAGES / 8 && c.evicted_pages && c.writeback_pages);
	assert_int_equal(c.policy_errors, 0);
	assert_int_equal(c.accesses, 3 * WARPS * accesses);
	assert_ok(gpu->close(f.g, &err), &err);
	f.g = NULL;
	assert_file(f.path, f.versions, PAGES);
	tear_down(&f);
}

static void test_policies(void **state)
{
	static const char *const all[][2] = {
		{"lrm", "tree"},  {"mhpe", "pattern"},   {"cp", "tree"},
		{"fifo", "none"}, {"tournament", "rgp"}, {"clock", "locality"},
	};
	static const char *const transfers[] = {"dma", "zero-copy", "hybrid"};
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct tide_gpu_options o = small();
		o.evict = all[i][0];
		o.prefetch = all[i][1];
		o.transfer = transfers[i % 3];
		run_through(&o, 200);
	}
}

static void test_transfers(void **state)
{
	static const char *const transfers[] = {"dma", "zero-copy", "hybrid"};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct tide_gpu_options o = small();
		o.transfer = transfers[i];
		o.inject = i == 1 ? "delay=100us,short=7" : NULL;
		run_through(&o, 300);
	}
}

static void test_shared(void **state)
{
	static const char *const transfers[] = {"dma", "zero-copy"};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f;
		struct tide_error err;
		struct tide_gpu_options o = small();
		o.transfer = transfers[i];
		o.evict = i ? "lrm" : "tournament";
		o.prefetch = i ? "sequential:n=5" : "rgp";
		o.near_size = "20p";
		o.chunk = "4p";
		set_up(&f, &o, true);
		struct launch l = launch_of(&f, 600);
		l.body = body_shared;
		assert_ok(launch(&l, 1, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		assert_ok(gpu->check(f.g, &err), &err);
		tear_down(&f);
	}
}

static void test_several(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	(void)state;
	o.near_size = "24p";
	o.chunk = "4p";
	o.prefetch = "locality";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 300);
	l.body = body_several;
	assert_ok(launch(&l, 3, &err), &err);
	assert_int_equal(l.wrong + l.lost, 0);
	assert_ok(gpu->check(f.g, &err), &err);
	/* What that launch set aside is not enough for more: the engine gets less. */
	uint64_t faults = counts_of(&f).faults, pages = engine_pages(&f);
	assert_ok(launch(&l, 5, &err), &err);
	assert_int_equal(l.wrong + l.lost, 0);
	assert_ok(gpu->check(f.g, &err), &err);
	assert_true(engine_pages(&f) < pages);
	assert_true(counts_of(&f).faults > faults);
	assert_int_equal(gpu->begin(f.g, WARPS, 7, &err), -ENOSPC);
	assert_says(&err, "at least 29p");
	tear_down(&f);
}

/* ---- what the engine hears ---- */

static struct tide_counts count_loop(const struct tide_gpu_options *o, unsigned accesses)
{
	struct fixture f;
	struct tide_error err;
	set_up(&f, o, true);
	struct launch l = launch_of(&f, accesses);
	l.warps = 1;
	l.versions = NULL;
	l.body = body_loop;
	assert_ok(launch(&l, 1, &err), &err);
	assert_int_equal(l.wrong + l.lost, 0);
	struct tide_counts c = counts_of(&f);
	tear_down(&f);
	return c;
}

static void test_counts(void **state)
{
	struct tide_gpu_options o = small();
	(void)state;
	o.near_size = "320p";
	o.prefetch = "locality";
	struct tide_counts c = count_loop(&o, 2 * PAGES);
	assert_int_equal(c.faults, PAGES / 8);
	assert_int_equal(c.migrated_pages, PAGES);
	assert_int_equal(c.prefetched_pages, PAGES - PAGES / 8);
	assert_int_equal(c.hits, 2 * PAGES - PAGES / 8);
	assert_int_equal(c.tier3_reads, PAGES);
	assert_int_equal(c.evicted_pages, 0);
	/* Round and round with less: the least recent is always the one that comes next. */
	o.near_size = "64p";
	o.prefetch = "none";
	o.chunk = "1p";
	c = count_loop(&o, 3 * PAGES);
	assert_int_equal(c.faults, 3 * PAGES);
	assert_int_equal(c.tier3_reads, PAGES);
	assert_int_equal(c.tier2_hits, 2 * PAGES);
	assert_int_equal(c.writeback_pages, 0);
}

/* All pages of a chunk are touched one after the other: prefetched ones are seen to be, so that
 * none counts as untouched when it leaves. */
static void test_touched(void **state)
{
	struct tide_gpu_options o = small();
	(void)state;
	o.prefetch = "locality";
	struct tide_counts c = count_loop(&o, 3 * PAGES);
	assert_true(c.evicted_pages >= 2 * PAGES);
	assert_true(c.untouched_evicted_pages <= 8);
}

static void test_observed(void **state)
{
	struct tide_gpu_options o = small();
	struct fixture f;
	struct tide_error err;
	(void)state;
	o.evict = "observ-lru";
	o.prefetch = "none";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 1500);
	l.body = body_shared;
	assert_ok(launch(&l, 1, &err), &err);
	struct tide_counts c = counts_of(&f);
	assert_true(c.notices > 10 && c.observe_pages > c.notices);
	/* Such an access is a hit, and nothing else is remote. */
	assert_int_equal(c.remote_accesses, c.notices);
	assert_true(c.notices <= c.hits);
	assert_int_equal(c.hits + c.faults, c.accesses);
	assert_int_equal(c.accesses, WARPS * 1500);
	tear_down(&f);
}

/* ---- one warp, and the simulator ---- */

static uint64_t next_page(uint64_t *state, uint64_t page, bool *write)
{
	uint64_t drawn = tide_random_next(state);
	*write = drawn >> 40 & 1;
	return drawn % 16 ? (page + drawn % 3) % PAGES : drawn / 16 % PAGES;
}

static void body_walk(struct launch *l, unsigned warp)
{
	uint64_t state = l->seed, page = 0;
	bool write;
	(void)warp;
	for (unsigned i = 0; i < l->accesses; i++) {
		page = next_page(&state, page, &write);
		touch(l, page, write);
	}
}

static struct tide_counts simulate(const struct tide_gpu_options *o, const struct launch *l,
				   uint64_t near_pages)
{
	char near_size[24];
	struct tide_error err;
	struct tide_counts c = {.size = sizeof c};
	struct tide_sim *sim;
	struct tide_facts facts = {.size = sizeof facts, l->accesses, UINT64_MAX, PAGES - 1, 0};
	struct tide_sim_options s = {.size = sizeof s,
				     .near_size = near_size,
				     .chunk = o->chunk,
				     .evict = o->evict,
				     .prefetch = o->prefetch,
				     .facts = &facts};
	uint64_t state = l->seed, page = 0;
	snprintf(near_size, sizeof near_size, "%llup", (unsigned long long)near_pages);
	assert_ok(tide_sim_open(&sim, &s, &err), &err);
	for (unsigned i = 0; i < l->accesses; i++) {
		bool write;
		page = next_page(&state, page, &write);
		struct tide_event event = {.size = sizeof event, .page = page, .write = write};
		assert_ok(tide_sim_access(sim, &event, &err), &err);
	}
	tide_sim_counts(sim, &c, NULL);
	tide_sim_close(sim);
	return c;
}

static void test_as_simulated(void **state)
{
	static const char *const all[][3] = {{"lrm", "tree", "dma"},
					     {"mhpe", "pattern", "zero-copy"},
					     {"mhpe", "pattern", "dma"},
					     {"fifo", "locality", "hybrid"}};
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct fixture f;
		struct tide_error err;
		struct tide_gpu_options o = small();
		o.evict = all[i][0];
		o.prefetch = all[i][1];
		o.transfer = all[i][2];
		set_up(&f, &o, true);
		struct launch l = launch_of(&f, 2000);
		l.warps = 1;
		l.body = body_walk;
		assert_ok(launch(&l, 1, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		struct tide_counts c = counts_of(&f), s = simulate(&o, &l, engine_pages(&f));
		assert_true(s.faults > 100 && s.evicted_chunks > 50);
		assert_int_equal(c.accesses, s.accesses);
		assert_int_equal(c.faults, s.faults);
		assert_int_equal(c.hits, s.hits);
		assert_int_equal(c.migrated_pages, s.migrated_pages);
		assert_int_equal(c.prefetched_pages, s.prefetched_pages);
		assert_int_equal(c.evicted_chunks, s.evicted_chunks);
		assert_int_equal(c.evicted_pages, s.evicted_pages);
		assert_int_equal(c.untouched_evicted_pages, s.untouched_evicted_pages);
		tear_down(&f);
	}
}

/* ---- an array without a file, beside one ---- */

static void test_anonymous(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	struct tide_span scratch;
	char storage[64];
	(void)state;
	make_file(storage, 0);
	o.storage = storage;
	set_up(&f, &o, true);
	assert_ok(gpu->array(f.g, &scratch, 100 * PAGE, NULL, &err), &err);
	assert_int_equal(scratch.first_page % 8, 0);
	unsigned versions[100] = {0};
	struct launch l = launch_of(&f, 400);
	l.span = scratch;
	l.versions = versions;
	l.zero = true;
	for (unsigned i = 0; i < 3; i++) {
		l.seed = i;
		assert_ok(launch(&l, 1, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		if (i == 1)
			assert_ok(gpu->reset(f.g, &err), &err);
	}
	uint64_t word;
	for (unsigned page = 0; page < 100; page++) {
		assert_ok(gpu->read(f.g, scratch, page * PAGE + 16, &word, 8, &err), &err);
		assert_int_equal(word, versions[page]);
	}
	tear_down(&f);
	unlink(storage);
}

/* ---- between launches ---- */

static void test_written_between(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	uint64_t words[WORDS];
	(void)state;
	o.transfer = "zero-copy";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 400);
	for (unsigned i = 0; i < 4; i++) {
		l.seed = i;
		assert_ok(launch(&l, 1, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		for (unsigned page = 0; page < PAGES; page += 1 + i) {
			assert_ok(gpu->read(f.g, f.span, page * PAGE, words, PAGE, &err), &err);
			for (unsigned k = 0; k < WORDS; k++)
				words[k]++;
			assert_ok(gpu->write(f.g, f.span, page * PAGE, words, PAGE, &err), &err);
			f.versions[page]++;
		}
		if (i % 2)
			assert_ok(gpu->sync(f.g, &err), &err);
		assert_ok(gpu->check(f.g, &err), &err);
	}
	assert_ok(gpu->sync(f.g, &err), &err);
	assert_file(f.path, f.versions, PAGES);
	tear_down(&f);
}

static void test_log(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	char path[64], *text = NULL;
	struct stat st;
	(void)state;
	make_file(path, 0);
	o.log = path;
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 300);
	assert_ok(launch(&l, 1, &err), &err);
	assert_ok(gpu->stats_json(f.g, &text, &err), &err);
	json_t *all = json_loads(text, 0, NULL);
	json_t *policy = json_object_get(all, "policy");
	assert_string_equal(json_string_value(json_object_get(policy, "evict")), "lrm");
	json_decref(all);
	free(text);
	assert_int_equal(gpu->begin(f.g, WARPS, 9, &err), -ENOSPC);
	assert_says(&err, "reset before");
	tear_down(&f);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 100);
	unlink(path);
}

/* ---- what cannot be ---- */

static void assert_refused(struct tide_gpu_options o, const char *why)
{
	struct tide_gpu *g = NULL;
	struct tide_error err;
	assert_int_equal(gpu->open(&g, &o, &err), -EINVAL);
	assert_says(&err, why);
}

static void test_refused(void **state)
{
	struct tide_gpu_options o = small();
	(void)state;
	o.evict = "lru";
	assert_refused(o, "needs every access");
	o.evict = "opt";
	assert_refused(o, "needs the future");
	o.evict = "leu";
	assert_refused(o, "chunks of one page");
	o.evict = "nosuch";
	assert_refused(o, "nosuch");
	o = small();
	o.prefetch = "acbm";
	assert_refused(o, "leaves pages where they are");
	o = small();
	o.chunk = "65p";
	assert_refused(o, "1 to 64 pages");
	o.chunk = "64p";
	assert_refused(o, "give a smaller chunk");
}

static void test_too_small(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	struct tide_gpu_array_options how = {.size = sizeof how, .path = f.path};
	(void)state;
	make_file(f.path, PAGES * PAGE);
	o.host = "200p";
	assert_ok(gpu->open(&f.g, &o, &err), &err);
	assert_int_equal(gpu->array(f.g, &f.span, 0, &how, &err), -ENOSPC);
	assert_says(&err, "at least 240p");
	assert_ok(gpu->array(f.g, &f.span, 100 * PAGE, &how, &err), &err);
	assert_int_equal(gpu->begin(f.g, 100, 2, &err), -ENOSPC);
	assert_says(&err, "at least 109p");
	tear_down(&f);
}

/* A read that fails ends the launch with the reason; the next one finds everything as it was. */
static void test_failures(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		o.inject = "read=EIO:9";
		o.transfer = i ? "zero-copy" : "dma";
		o.prefetch = i ? "none" : "tree";
		set_up(&f, &o, true);
		struct launch l = launch_of(&f, 300);
		unsigned failed = 0;
		for (unsigned k = 0; k < 12; k++) {
			l.lost = 0;
			l.seed = k;
			int rc = launch(&l, 1, &err);
			assert_true(rc == 0 || rc == -EIO);
			failed += rc != 0;
			if (rc)
				assert_says(&err, "could not be read");
			else
				assert_int_equal(l.lost, 0);
			assert_int_equal(l.wrong, 0);
			assert_ok(gpu->check(f.g, &err), &err);
		}
		if (i)
			assert_true(failed);
		assert_ok(gpu->sync(f.g, &err), &err);
		assert_file(f.path, f.versions, PAGES);
		tear_down(&f);
	}
}

/* Storage that takes too long: nobody waits for ever, and nothing is lost. */
static void test_timeout(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small();
	(void)state;
	o.timeout = "30ms";
	o.inject = "delay=300ms";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 5);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(launch(&l, 1, &err), -ETIMEDOUT);
		assert_says(&err, "within 0.03 s");
		assert_true(l.lost);
		assert_ok(gpu->check(f.g, &err), &err);
	}
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policies),  cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_shared),    cmocka_unit_test(test_several),
		cmocka_unit_test(test_counts),    cmocka_unit_test(test_touched),
		cmocka_unit_test(test_observed),  cmocka_unit_test(test_as_simulated),
		cmocka_unit_test(test_anonymous), cmocka_unit_test(test_written_between),
		cmocka_unit_test(test_log),       cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_small), cmocka_unit_test(test_failures),
		cmocka_unit_test(test_timeout),
	};
	return cmocka_run_group_tests_name("mech_cuda_host", tests, NULL, NULL);
}
