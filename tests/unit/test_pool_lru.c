/* One request at a time, the two queues are one: hits are those of LRU(M), reads and writes of the
 * file those of LRU(M + G). */
#include "pool_help.h"

/* A plain LRU, as one would write it on a blackboard. */
struct lru {
	uint64_t page[256];
	bool dirty[256];
	size_t n, max;
	uint64_t hits, misses, writes;
};

static void model(struct lru *l, uint64_t page, bool write)
{
	size_t at = 0;
	bool dirty = write;
	while (at < l->n && l->page[at] != page)
		at++;
	if (at < l->n) {
		l->hits++;
		dirty |= l->dirty[at];
	} else {
		l->misses++;
		if (l->n == l->max)
			l->writes += l->dirty[--at];
		else
			l->n++;
	}
	memmove(l->page + 1, l->page, at * sizeof *l->page);
	memmove(l->dirty + 1, l->dirty, at * sizeof *l->dirty);
	l->page[0] = page;
	l->dirty[0] = dirty;
}

/* Some pages more often than others. */
static uint64_t pick(uint64_t *seed, uint64_t pages)
{
	uint64_t a = draw(seed) % pages, b = draw(seed) % pages;
	return a < b ? a : b;
}

static void run_trace(uint64_t seed)
{
	struct fixture f;
	struct lru near = {0}, all = {0};
	make_file(&f, 40 + draw(&seed) % 200, NULL);
	f.config.main_pages = near.max = 1 + draw(&seed) % 60;
	f.config.device_pages = draw(&seed) % 4 ? draw(&seed) % 80 : 0;
	all.max = near.max + f.config.device_pages;
	f.config.batch = 1 + (uint32_t)(draw(&seed) % 64);
	open_pool(&f);
	uint64_t updates = draw(&seed) % 100;
	for (unsigned i = 0; i < 4000; i++) {
		uint64_t page = pick(&seed, f.pages);
		bool write = draw(&seed) % 100 < updates;
		access_page(&f, page, write, draw(&seed));
		model(&near, page, write);
		model(&all, page, write);
	}
	struct tide_counts c = stats_of(&f).counts;
	assert_int_equal(c.accesses, 4000);
	assert_int_equal(c.hits, near.hits);
	assert_int_equal(c.faults, near.misses);
	assert_int_equal(c.tier2_hits, all.hits - near.hits);
	assert_int_equal(c.tier3_reads, all.misses);
	assert_int_equal(c.tier3_writes, all.writes);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_equal_to_lru(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		run_trace(seed);
}

/* Without equal blocks, DEDU of one block per page decides as GRAM does. */
static void test_dedup_of_nothing(void **state)
{
	struct lru near = {.max = 20}, all = {.max = 50};
	struct fixture f;
	uint64_t seed = 5;
	(void)state;
	make_file(&f, 120, NULL);
	f.config.main_pages = 20;
	f.config.device_pages = 30;
	f.config.dedup = TD_POOL_ON;
	open_pool(&f);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t page = pick(&seed, f.pages);
		access_page(&f, page, false, 0);
		model(&near, page, false);
		model(&all, page, false);
	}
	struct tide_counts c = stats_of(&f).counts;
	assert_int_equal(c.hits, near.hits);
	assert_int_equal(c.tier3_reads, all.misses);
	close_pool(&f);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_to_lru),
		cmocka_unit_test(test_dedup_of_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
