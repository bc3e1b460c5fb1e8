/* lru and opt for all sizes at once, against one cache of each size; and their samples. */
#include "mrc_help.h"

#include <errno.h>
#include <math.h>

#define PAGES 40

/* When page is used after time i, or n. */
static uint32_t next_use(const struct trace *t, uint32_t page, uint32_t i)
{
	while (++i < t->n && t->page[i] != page)
		;
	return i;
}

static uint32_t last_use(const struct trace *t, uint32_t page, uint32_t i)
{
	while (i-- > 0 && t->page[i] != page)
		;
	return i;
}

static uint32_t pick_lru(const struct trace *t, const uint32_t *held, uint32_t n, uint32_t now)
{
	uint32_t victim = 0;
	for (uint32_t i = 1; i < n; i++)
		if (last_use(t, held[i], now) < last_use(t, held[victim], now))
			victim = i;
	return victim;
}

static uint32_t pick_opt(const struct trace *t, const uint32_t *held, uint32_t n, uint32_t now)
{
	uint32_t victim = 0;
	for (uint32_t i = 1; i < n; i++)
		if (next_use(t, held[i], now) > next_use(t, held[victim], now))
			victim = i;
	return victim;
}

typedef uint32_t pick(const struct trace *t, const uint32_t *held, uint32_t n, uint32_t now);

static uint64_t plain_misses(const struct trace *t, uint32_t size, pick *victim_of)
{
	uint32_t *held = calloc(size, sizeof *held), n = 0;
	uint64_t misses = 0;
	for (uint32_t now = 0; now < t->n; now++) {
		uint32_t i = 0;
		while (i < n && held[i] != t->page[now])
			i++;
		if (i < n)
			continue;
		misses++;
		if (n == size)
			i = victim_of(t, held, n, now);
		else
			n++;
		held[i] = t->page[now];
	}
	free(held);
	return misses;
}

static void compare(const struct td_mrc_method *method, pick *victim_of)
{
	struct trace t;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint32_t pages = seed == 1 ? 1 : (uint32_t)(seed * 3);
		struct td_mrc_point at[PAGES];
		double doubt;
		make_trace(&t, seed, (uint32_t)(1 + seed * 120), pages);
		make_curve(method, NULL, 1, &t, at, PAGES, &doubt);
		assert_true(doubt == 0);
		for (uint32_t size = 1; size <= PAGES; size++) {
			assert_int_equal(at[size - 1].misses, plain_misses(&t, size, victim_of));
			assert_true(at[size - 1].pages == size);
			assert_true(at[size - 1].ratio == (double)at[size - 1].misses / t.n);
		}
	}
}

static void test_lru(void **state)
{
	(void)state;
	compare(&td_mrc_lru, pick_lru);
}

/* Groups of one to nine accesses, after three accesses that are in none. They span batches. */
static uint8_t begins(uint32_t i)
{
	return i >= 3 && (i % 10 == 3 || i % 7 == 0);
}

static uint64_t plain_prefix_hits(const struct trace *t, uint32_t size, pick *victim_of)
{
	uint32_t *held = calloc(size, sizeof *held), n = 0;
	uint64_t hits = 0;
	bool in_prefix = false;
	for (uint32_t now = 0; now < t->n; now++) {
		uint32_t i = 0;
		while (i < n && held[i] != t->page[now])
			i++;
		in_prefix = (in_prefix || begins(now)) && i < n;
		hits += in_prefix;
		if (i == n)
			i = n == size ? victim_of(t, held, n, now) : n++;
		held[i] = t->page[now];
	}
	free(held);
	return hits;
}

static void compare_prefixes(const struct td_mrc_method *method, pick *victim_of)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct td_mrc_point at[PAGES];
	struct trace t;
	batch->object = calloc(1, sizeof *batch->object);
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct td_mrc *m;
		double doubt;
		uint64_t most = 0;
		make_trace(&t, seed, 1500, (uint32_t)(seed * 6));
		assert_int_equal(td_mrc_open(&m, method, NULL, 1, NULL), 0);
		for (uint32_t from = 0; from < t.n; from += batch->n) {
			fill_batch(batch, &t, from, 101);
			for (uint32_t i = 0; i < batch->n; i++)
				batch->object->first[i] = begins(from + i);
			assert_int_equal(td_mrc_batch(m, batch, NULL), 0);
		}
		for (uint32_t i = 0; i < PAGES; i++)
			at[i].pages = i + 1;
		assert_int_equal(td_mrc_measure(m, at, PAGES, &doubt, NULL), 0);
		for (uint32_t i = 0; i < PAGES; i++) {
			uint64_t hits = t.n - at[i].prefix_misses;
			assert_int_equal(hits, plain_prefix_hits(&t, i + 1, victim_of));
			assert_int_equal(at[i].misses, plain_misses(&t, i + 1, victim_of));
			assert_true(hits >= most && hits <= t.n - at[i].misses);
			most = hits;
		}
		assert_true(most > 0);
		td_mrc_close(m);
	}
	free(batch->object);
	free(batch);
}

static void test_lru_prefixes(void **state)
{
	(void)state;
	compare_prefixes(&td_mrc_lru, pick_lru);
}

static void test_opt_prefixes(void **state)
{
	(void)state;
	compare_prefixes(&td_mrc_opt, pick_opt);
}

static void test_opt(void **state)
{
	(void)state;
	compare(&td_mrc_opt, pick_opt);
}

/* Sizes far apart, so that a layer of the stack holds many pages and is swept now and then. */
static void test_opt_few_sizes(void **state)
{
	struct td_mrc_point at[3] = {{.pages = 20}, {.pages = 100}, {.pages = 500}};
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct trace *t = malloc(sizeof *t);
	struct td_mrc *m;
	double doubt;
	(void)state;
	make_trace(t, 99, 4000, 200);
	assert_int_equal(td_mrc_open(&m, &td_mrc_opt, NULL, 1, NULL), 0);
	fill_batch(batch, t, 0, TIDE_BATCH);
	assert_int_equal(td_mrc_batch(m, batch, NULL), 0);
	assert_int_equal(td_mrc_measure(m, at, 3, &doubt, NULL), 0);
	assert_int_equal(at[0].misses, plain_misses(t, 20, pick_opt));
	assert_int_equal(at[1].misses, plain_misses(t, 100, pick_opt));
	assert_int_equal(at[2].misses, td_mrc_footprint(m));
	td_mrc_close(m);
	free(t);
	free(batch);
}

/* ---- samples ---- */

static void keep(struct trace *to, const struct trace *from, double rate, int half)
{
	to->n = 0;
	for (uint32_t i = 0; i < from->n; i++) {
		uint64_t hash = tide_hash64(from->page[i]);
		if (hash < (uint64_t)(rate * 0x1p64) && (half < 0 || (int)(hash & 1) == half))
			to->page[to->n++] = from->page[i];
	}
}

/* As a cache of so small a share of the size misses, by the accesses that should be in the sample.
 */
static double plain_ratio(const struct trace *part, uint32_t n, double rate, uint32_t size)
{
	double misses = (double)plain_misses(part, (uint32_t)ceil(size * rate), pick_lru);
	return fmin(misses / (n * rate), 1);
}

static void test_sample(void **state)
{
	struct trace *t = malloc(3 * sizeof *t);
	struct td_mrc_point at[300];
	const double rate = 0.25;
	double doubt, expected = 0;
	(void)state;
	make_trace(t, 7, 6000, 300);
	make_curve(&td_mrc_lru, NULL, rate, t, at, 300, &doubt);
	for (uint32_t size = 1; size <= 300; size++) {
		double half[2];
		keep(&t[1], t, rate, -1);
		assert_true(fabs(at[size - 1].ratio - plain_ratio(&t[1], t->n, rate, size)) <
			    1e-12);
		assert_true(fabs(at[size - 1].pages - size) < 1e-9);
		for (int h = 0; h < 2; h++) {
			keep(&t[1], t, rate, h);
			half[h] = plain_ratio(&t[1], t->n, rate / 2, size);
		}
		expected += fabs(half[0] - half[1]) / 2 / 300;
	}
	assert_true(fabs(doubt - expected) < 1e-12);
	assert_true(doubt > 0);
	free(t);
}

/* Page 0 has hash 0 and is in every sample; without it there may be nothing to look at. */
static void look_at_nothing(const struct td_mrc_method *method)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct td_mrc_point at[1] = {{.pages = 1}};
	struct tide_error err;
	struct td_mrc *m;
	double doubt;
	batch->n = 1;
	batch->page[0] = 5;
	assert_int_equal(td_mrc_open(&m, method, NULL, 1e-9, NULL), 0);
	assert_int_equal(td_mrc_batch(m, batch, NULL), 0);
	assert_int_equal(td_mrc_measure(m, at, 1, &doubt, &err), -ENODATA);
	assert_non_null(strstr(err.text, "larger `sample`"));
	td_mrc_close(m);
	free(batch);
}

static void test_empty_sample(void **state)
{
	(void)state;
	look_at_nothing(&td_mrc_lru);
	look_at_nothing(&td_mrc_opt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lru),           cmocka_unit_test(test_lru_prefixes),
		cmocka_unit_test(test_opt_prefixes),  cmocka_unit_test(test_opt),
		cmocka_unit_test(test_opt_few_sizes), cmocka_unit_test(test_sample),
		cmocka_unit_test(test_empty_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
