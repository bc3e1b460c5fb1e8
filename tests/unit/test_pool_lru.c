/* One request at a time, the two queues are one: hits are those of LRU(M), reads and writes of the
 * file those of LRU(M + G). */
#include "pool_help.h"

#define MOST 1100 /* of the pages of main memory */

/* A plain LRU, as one would write it on a blackboard. */
struct lru {
	uint64_t page[MOST];
	bool dirty[MOST];
	size_t n, max;
	uint64_t hits, misses, writes;
};

static size_t find(const struct lru *l, uint64_t page)
{
	size_t at = 0;
	while (at < l->n && l->page[at] != page)
		at++;
	return at;
}

static void model(struct lru *l, uint64_t page, bool write)
{
	size_t at = find(l, page);
	bool dirty = write;
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

/* Of one call, the pages that are there come first. */
static void model_range(struct lru *l, uint64_t page, uint64_t end)
{
	uint64_t absent[64];
	size_t n = 0;
	for (; page < end; page++)
		if (find(l, page) < l->n)
			model(l, page, false);
		else
			absent[n++] = page;
	for (size_t i = 0; i < n; i++)
		model(l, absent[i], false);
}

static void access_range(struct fixture *f, uint64_t offset, uint64_t bytes, bool write)
{
	static unsigned char got[64 * PAGE];
	if (write) {
		memset(f->shadow + offset, (int)(offset % 251), bytes);
		assert_int_equal(td_pool_write(f->pool, f->shadow + offset, bytes, offset, NULL),
				 0);
		return;
	}
	assert_int_equal(td_pool_read(f->pool, got, bytes, offset, NULL), 0);
	assert_memory_equal(got, f->shadow + offset, bytes);
}

/* The pages of a call are pinned and noted together. */
static void test_ranges(void **state)
{
	struct lru near = {.max = MOST};
	struct fixture f;
	uint64_t seed = 7;
	(void)state;
	make_file(&f, 1500, NULL);
	f.config.main_pages = MOST;
	f.config.device_pages = 0;
	f.config.batch = 64;
	open_pool(&f);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t offset = draw(&seed) % (f.pages * PAGE - 50 * PAGE);
		uint64_t bytes = 1 + draw(&seed) % (50 * PAGE);
		access_range(&f, offset, bytes, draw(&seed) % 4 == 0);
		model_range(&near, offset / PAGE, (offset + bytes - 1) / PAGE + 1);
	}
	struct tide_counts c = stats_of(&f).counts;
	assert_int_equal(c.hits, near.hits);
	assert_int_equal(c.faults, near.misses);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
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
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_dedup_of_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
