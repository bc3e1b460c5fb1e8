/* Objects with sizes and costs, beside a slow model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_help.h"
#include "groups_model.h"

enum { PAGE = 16 };

static const size_t take_sizes[] = {FIFO, LRU, LFU, CLOCK, SIEVE, RANDOM, GDSF};

/* Sizes from 1 byte to far more than a page; one in eight objects changes its size now and then. */
static struct grouped sized_trace(size_t pages, uint64_t seed)
{
	struct grouped t = random_trace(pages, 20, seed);

	t.bytes = calloc(t.n, sizeof *t.bytes);
	t.cost = calloc(t.n, sizeof *t.cost);
	assert_true(t.bytes && t.cost);
	for (size_t i = 0; i < t.n; i++) {
		uint64_t h = tide_hash64(t.page[i] + (t.page[i] % 8 ? 0 : i / 1000 * 7919));
		t.bytes[i] = 1 + (h % 4 ? h % 50 : h % 900);
		t.cost[i] = 1 + (h >> 32) % 100;
	}
	return t;
}

static struct td_engine *begin(const char *evict, uint64_t near)
{
	struct td_engine_config config = config_of(1, near);

	config.evict = named(evict, TIDE_EVICT);
	config.page_bytes = PAGE;
	config.sized = true;
	return start(&config);
}

static struct tide_counts run(const struct grouped *t, const char *evict, uint64_t near,
			      uint32_t size)
{
	struct td_engine *e = begin(evict, near);
	static struct tide_batch b;
	static struct tide_batch_object object;

	b.object = &object;
	for (size_t at = 0; at < t->n; at += b.n) {
		b.n = (uint32_t)(t->n - at < size ? t->n - at : size);
		memcpy(b.page, t->page + at, b.n * sizeof *b.page);
		memcpy(object.first, t->first + at, b.n);
		memcpy(object.bytes, t->bytes + at, b.n * sizeof *object.bytes);
		memcpy(object.cost, t->cost + at, b.n * sizeof *object.cost);
		assert_int_equal(td_sim_batch(e, &b, NULL), 0);
		assert_int_equal(td_engine_check(e), 0);
	}
	struct tide_counts counts = e->counts;
	td_engine_destroy(e);
	return counts;
}

static void compare(const struct grouped *t, size_t policy, uint64_t near, uint32_t size)
{
	struct model m = model_run(t, policy, near);
	struct tide_counts c = run(t, modelled[policy], near, size);

	assert_int_equal(c.accesses, t->n);
	assert_int_equal(c.hits, m.hits);
	assert_int_equal(c.faults, t->n - m.hits);
	assert_int_equal(c.groups, m.groups);
	assert_int_equal(c.prefix_hits, m.prefix_hits);
	assert_int_equal(c.bypassed, m.bypassed);
	assert_int_equal(c.hit_bytes, m.hit_bytes);
	assert_int_equal(c.fault_bytes, m.fault_bytes);
	assert_int_equal(c.hit_cost, m.hit_cost);
	assert_int_equal(c.fault_cost, m.fault_cost);
	assert_int_equal(c.migrated_pages - c.evicted_pages, m.n);
}

static void objects_agree_with_the_model(void **state)
{
	static const uint64_t near[] = {1, 60, 500, 3000, 20000};
	static const uint32_t sizes[] = {TIDE_BATCH, 100, 1, TIDE_BATCH, 4095};

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct grouped t = sized_trace(100 * seed * seed, seed);
		for (size_t i = 0; i < 7 * 5; i++)
			compare(&t, take_sizes[i / 5], near[i % 5], sizes[i % 5]);
		free_trace(&t);
	}
}

/* Of one size, objects are pages. */
static void objects_of_one_size_are_pages(void **state)
{
	(void)state;
	struct grouped t = random_trace(300, 20, 9);
	for (size_t i = 0; i < 6; i++) {
		struct model m = model_run(&t, take_sizes[i], 50);
		struct td_engine *e = begin(modelled[take_sizes[i]], 50 * PAGE + PAGE - 1);
		for (size_t k = 0; k < t.n; k++)
			read_page(e, t.page[k]);
		assert_int_equal(e->counts.hits, m.hits);
		assert_int_equal(e->counts.hit_bytes, m.hits * PAGE);
		assert_int_equal(e->counts.fault_cost, t.n - m.hits);
		td_engine_destroy(e);
	}
	free_trace(&t);
}

static void others_are_refused(void **state)
{
	static const char *const others[] = {"arc", "opt", "lirs", "tournament:of=clock+lru"};
	struct td_engine_config config = config_of(1, 100);
	struct tide_error err = {0};
	struct td_engine *e;

	(void)state;
	config.sized = true;
	for (size_t i = 0; i < 4; i++) {
		config.evict = named(others[i], TIDE_EVICT);
		assert_true(td_engine_create(&e, &config, &err) < 0);
		assert_non_null(strstr(err.text, "not made for objects of several sizes"));
	}
}

/* A trace may say any size: sums end at the most that a document can hold. */
static void sums_do_not_wrap(void **state)
{
	struct td_engine *e = begin("lru", UINT64_MAX);
	static struct tide_batch b;
	static struct tide_batch_object object;

	(void)state;
	b.object = &object;
	b.n = 4;
	memcpy(b.page, (uint64_t[]){1, 2, 1, 1}, 4 * sizeof *b.page);
	for (int i = 0; i < 4; i++) {
		object.bytes[i] = i == 1 ? UINT64_MAX : UINT64_C(1) << 61;
		object.cost[i] = UINT64_MAX;
	}
	assert_int_equal(td_sim_batch(e, &b, NULL), 0);
	assert_int_equal(e->counts.bypassed, 1);
	assert_int_equal(e->counts.hits, 2);
	assert_int_equal(e->counts.hit_bytes, UINT64_C(1) << 62);
	assert_int_equal(e->counts.fault_bytes, INT64_MAX);
	assert_int_equal(e->counts.hit_cost, INT64_MAX);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_agree_with_the_model),
		cmocka_unit_test(objects_of_one_size_are_pages),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(sums_do_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
