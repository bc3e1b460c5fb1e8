/* The GPU runtime with real proxies and files, on threads as warps: what kernels write through all
 * tiers is what the file has in the end. */
#define PAGES 240u
#include "cuda_file.h"

static struct tide_gpu_options small(void)
{
	return (struct tide_gpu_options){.size = sizeof(struct tide_gpu_options),
					 .near_size = "64p",
					 .host = "48p",
					 .page = "4K",
					 .staging = "32p",
					 .address = "4096p",
					 .timeout = "120s"};
}

/* ---- a file through all tiers ---- */

static void run_through(const struct tide_gpu_options *o)
{
	struct fixture f;
	struct tide_error err;
	set_up(&f, o, true);
	for (unsigned i = 0; i < 3; i++) {
		struct launch l = launch_of(&f, 600);
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
	assert_ok(gpu->close(f.g, &err), &err);
	f.g = NULL;
	assert_file(f.path, f.versions, PAGES);
	tear_down(&f);
}

static void test_placements(void **state)
{
	static const char *const places[] = {"bam", "tier-order", "random:p=0.3", "reuse", "worth"};
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct tide_gpu_options o = small();
		o.place = places[i];
		run_through(&o);
	}
}

static void test_transfers(void **state)
{
	static const char *const transfers[] = {"zero-copy", "dma", "hybrid"};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct tide_gpu_options o = small();
		o.place = "tier-order";
		o.transfer = transfers[i];
		o.proxies = i ? "1" : "3";
		run_through(&o);
	}
}

static void test_shards(void **state)
{
	(void)state;
	struct tide_gpu_options o = small();
	o.shards = "8";
	o.inject = "delay=100us,short=7";
	run_through(&o);
	o.inject = "sync";
	run_through(&o);
}

/* ---- as little near memory as a launch may have ---- */

/* Each warp holds two pages at once: its own, and one of any other's that it only reads. */
static void body_two(struct launch *l, unsigned warp)
{
	struct td_dev_lanes lanes = td_dev_warp();
	uint64_t pages = l->span.bytes / PAGE, state = l->seed * 1000 + warp;
	for (unsigned i = 0; i < l->accesses; i++) {
		uint64_t other = tide_random_next(&state) % pages;
		uint64_t own = tide_random_next(&state) % (pages / l->warps) * l->warps + warp;
		uint64_t *at = (uint64_t *)(void *)td_dev_acquire(&l->span, lanes, other, false);
		if (!at) {
			l->lost++;
			continue;
		}
		uint64_t before = __atomic_load_n(&at[3], __ATOMIC_RELAXED);
		touch(l, own, true);
		uint64_t after = __atomic_load_n(&at[3], __ATOMIC_RELAXED);
		l->wrong += before >> 16 != word_at(other, 3) >> 16 || after < before;
		td_dev_release(&l->span, lanes, other);
	}
}

static void test_minimum(void **state)
{
	struct fixture f;
	struct tide_error err;
	unsigned rounds = getenv("TIDE_LONG") ? 200 : 2;
	(void)state;
	struct tide_gpu_options o = small();
	o.near_size = "48p";
	o.host = "9p";
	o.staging = "16p";
	o.shards = "4";
	o.place = "reuse:rate=1";
	set_up(&f, &o, true);
	for (unsigned i = 0; i < rounds; i++) {
		struct launch l = launch_of(&f, 300);
		l.seed = i;
		l.warps = WARPS_MAX;
		l.body = body_two;
		assert_ok(launch(&l, 2, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		assert_ok(gpu->check(f.g, &err), &err);
	}
	assert_ok(gpu->sync(f.g, &err), &err);
	assert_file(f.path, f.versions, PAGES);
	tear_down(&f);
}

/* ---- an array without a file ---- */

static void open_anonymous(struct fixture *f, const char *place)
{
	struct tide_error err;
	struct tide_gpu_options o = small();
	make_file(f->path, PAGE);
	memset(f->versions, 0, sizeof f->versions);
	o.storage = f->path;
	o.place = place;
	assert_ok(gpu->open(&f->g, &o, &err), &err);
	assert_ok(gpu->array(f->g, &f->span, PAGES * PAGE, NULL, &err), &err);
}

static void test_anonymous(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	open_anonymous(&f, "reuse");
	for (unsigned i = 0; i < 3; i++) {
		struct launch l = launch_of(&f, 500);
		l.seed = i;
		l.zero = true;
		assert_ok(launch(&l, 1, &err), &err);
		assert_int_equal(l.wrong + l.lost, 0);
		assert_ok(gpu->check(f.g, &err), &err);
		if (i == 1)
			assert_ok(gpu->reset(f.g, &err), &err);
	}
	tear_down(&f);
}

/* ---- bytes by the processor ---- */

/* The same bytes by read() and by memory, where pages are in all tiers and in the file alone. */
static void compare_all(struct fixture *f, const unsigned char *shadow, uint64_t bytes)
{
	struct tide_error err;
	unsigned char *all = malloc(bytes);
	assert_non_null(all);
	assert_ok(gpu->read(f->g, f->span, 0, all, bytes, &err), &err);
	assert_memory_equal(all, shadow, bytes);
	free(all);
}

static void write_some(struct fixture *f, unsigned char *shadow, uint64_t bytes, uint64_t *state)
{
	struct tide_error err;
	uint64_t from = tide_random_next(state) % bytes;
	uint64_t n = tide_random_next(state) % (6 * PAGE);
	n = n > bytes - from ? bytes - from : n;
	for (uint64_t i = 0; i < n; i++)
		shadow[from + i] = (unsigned char)(tide_random_next(state) >> 13);
	assert_ok(gpu->write(f->g, f->span, from, shadow + from, n, &err), &err);
}

static void scribble_and_compare(struct fixture *f)
{
	struct tide_error err;
	uint64_t bytes = f->span.bytes, state = 5;
	unsigned char *shadow = malloc(bytes);
	assert_non_null(shadow);
	assert_ok(gpu->read(f->g, f->span, 0, shadow, bytes, &err), &err);
	for (unsigned i = 0; i < 40; i++)
		write_some(f, shadow, bytes, &state);
	compare_all(f, shadow, bytes);
	assert_ok(gpu->check(f->g, &err), &err);
	assert_ok(gpu->reset(f->g, &err), &err);
	assert_ok(gpu->check(f->g, &err), &err);
	compare_all(f, shadow, bytes);
	free(shadow);
}

static void test_bytes(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	struct tide_gpu_options o = small();
	o.place = "tier-order";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 300);
	assert_ok(launch(&l, 1, &err), &err);
	unsigned char byte;
	assert_int_equal(gpu->read(f.g, f.span, PAGES * PAGE, &byte, 1, &err), -EINVAL);
	assert_ok(gpu->read(f.g, f.span, PAGES * PAGE, &byte, 0, &err), &err);
	scribble_and_compare(&f);
	tear_down(&f);
	open_anonymous(&f, "tier-order");
	l = launch_of(&f, 100);
	l.zero = true;
	assert_ok(launch(&l, 1, &err), &err);
	scribble_and_compare(&f);
	tear_down(&f);
}

/* A file that ends in the middle of a page: the rest is zero, and the file does not grow. */
static void test_odd_end(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct stat st;
	uint64_t bytes = 3 * PAGE + 104;
	(void)state;
	struct tide_gpu_options o = small();
	struct tide_gpu_array_options how = {.size = sizeof how, .path = f.path, .writable = true};
	make_file(f.path, bytes);
	assert_ok(gpu->open(&f.g, &o, &err), &err);
	assert_ok(gpu->array(f.g, &f.span, 0, &how, &err), &err);
	assert_int_equal(f.span.bytes, bytes);
	assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
	uint64_t *at = (uint64_t *)(void *)td_dev_acquire(&f.span, td_dev_warp(), 3, true);
	assert_non_null(at);
	assert_int_equal(at[0], word_at(3, 0));
	assert_int_equal(at[13], 0);
	at[0] = 42;
	at[13] = 43;
	td_dev_release(&f.span, td_dev_warp(), 3);
	assert_ok(gpu->end(f.g, &err), &err);
	assert_ok(gpu->reset(f.g, &err), &err);
	uint64_t word = 0;
	assert_ok(gpu->read(f.g, f.span, 3 * PAGE, &word, 8, &err), &err);
	assert_int_equal(word, 42);
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_size, (off_t)bytes);
	tear_down(&f);
}

/* ---- tier 2 by hand, and statistics ---- */

static void test_demote(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_stats s = {.size = sizeof s};
	(void)state;
	struct tide_gpu_options o = small();
	o.place = "tier-order";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 40);
	l.warps = 1;
	l.body = body_loop;
	assert_ok(launch(&l, 1, &err), &err);
	assert_ok(gpu->stats(f.g, &s, &err), &err);
	assert_int_equal(s.counts.accesses, 40);
	assert_int_equal(s.counts.faults, 40);
	assert_int_equal(s.counts.tier3_reads, 40);
	assert_int_equal(s.read_bytes, 40 * PAGE);
	assert_ok(gpu->demote(f.g, f.span, &err), &err);
	assert_ok(gpu->check(f.g, &err), &err);
	assert_ok(launch(&l, 1, &err), &err);
	assert_int_equal(l.wrong + l.lost, 0);
	assert_ok(gpu->stats(f.g, &s, &err), &err);
	assert_int_equal(s.counts.faults, 80);
	assert_int_equal(s.counts.tier2_hits, 40);
	assert_int_equal(s.from_tier2_bytes, 40 * PAGE);
	assert_int_equal(s.counts.tier3_reads, 40);
	assert_ok(gpu->sync(f.g, &err), &err);
	assert_file(f.path, f.versions, PAGES);
	assert_ok(gpu->reset(f.g, &err), &err);
	assert_ok(gpu->stats(f.g, &s, &err), &err);
	assert_int_equal(s.counts.accesses + s.counts.faults + s.read_bytes + s.clock_steps, 0);
	tear_down(&f);
}

static void test_json(void **state)
{
	struct fixture f;
	struct tide_error err;
	char *text = NULL;
	(void)state;
	struct tide_gpu_options o = small();
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 10);
	assert_ok(launch(&l, 1, &err), &err);
	assert_ok(gpu->stats_json(f.g, &text, &err), &err);
	assert_non_null(strstr(text, "\"accesses\": 40"));
	assert_non_null(strstr(text, "\"near_bytes\": 262144"));
	assert_non_null(strstr(text, "\"place\": \"worth\""));
	assert_non_null(strstr(text, "\"slope\": 1"));
	free(text);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_placements), cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_shards),     cmocka_unit_test(test_minimum),
		cmocka_unit_test(test_anonymous),  cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_odd_end),    cmocka_unit_test(test_demote),
		cmocka_unit_test(test_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
