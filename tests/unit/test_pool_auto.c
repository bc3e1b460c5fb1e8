/* dedup=auto: each region of the file shares where that pays, and changes its mind. */
#include "pool_help.h"

static uint64_t of_three(uint64_t page)
{
	return page % 3;
}

static void end(struct fixture *f)
{
	read_all(f);
	close_pool(f);
	check_file(f);
	remove_file(f);
}

/* Half of the file has copies, half has none: only the first goes on being hashed. */
static uint64_t half(uint64_t page)
{
	return page < 1024 ? page % 16 : page;
}

static uint64_t hashed_in(struct fixture *f, uint64_t first)
{
	uint64_t before = stats_of(f).hashed_blocks + stats_of(f).known_blocks;
	for (uint64_t i = first; i < first + 1024; i++)
		access_page(f, i, false, 0);
	return stats_of(f).hashed_blocks + stats_of(f).known_blocks - before;
}

static void test_off_where_nothing_is_equal(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 2048, half);
	f.config.dedup = TD_POOL_AUTO;
	open_pool(&f);
	for (unsigned i = 0; i < 2; i++) {
		hashed_in(&f, 1024);
		hashed_in(&f, 0);
	}
	assert_true(hashed_in(&f, 1024) < 200);
	struct tide_counts before = stats_of(&f).counts;
	hashed_in(&f, 0);
	assert_true(stats_of(&f).counts.tier3_reads - before.tier3_reads < 32);
	end(&f);
}

/* A region that does not share is found out when its pages become equal, and when they are no more.
 */
static void write_kinds(struct fixture *f, uint64_t kinds)
{
	for (uint64_t i = 0; i < 1024; i++)
		scribble(f->shadow + i * PAGE, PAGE, i * kinds / 1024 + 5000 * kinds);
	assert_int_equal(td_pool_write(f->pool, f->shadow, 1024 * PAGE, 0, NULL), 0);
	assert_int_equal(td_pool_flush(f->pool, NULL), 0);
}

static uint64_t reads_in(struct fixture *f, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		hashed_in(f, 0);
	uint64_t before = stats_of(f).counts.tier3_reads;
	hashed_in(f, 0);
	return stats_of(f).counts.tier3_reads - before;
}

static void test_both_ways(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 1024, NULL);
	f.config.dedup = TD_POOL_AUTO;
	open_pool(&f);
	assert_int_equal(reads_in(&f, 4), 1024);
	assert_true(hashed_in(&f, 0) < 200);
	write_kinds(&f, 16);
	assert_true(reads_in(&f, 6) < 32);
	write_kinds(&f, 1024);
	assert_int_equal(reads_in(&f, 6), 1024);
	assert_true(hashed_in(&f, 0) < 200);
	write_kinds(&f, 128); /* more than memory holds, but eight in a row */
	assert_int_equal(reads_in(&f, 10), 128);
	end(&f);
}

static void test_off_where_all_is_written(void **state)
{
	struct fixture f;
	uint64_t seed = 3;
	(void)state;
	make_file(&f, 256, of_three);
	f.config.dedup = TD_POOL_AUTO;
	open_pool(&f);
	for (unsigned i = 0; i < 4000; i++)
		access_page(&f, draw(&seed) % 256, true, draw(&seed));
	uint64_t hashed = stats_of(&f).hashed_blocks;
	for (uint64_t i = 0; i < 256; i++)
		access_page(&f, i, false, 0);
	assert_true(stats_of(&f).hashed_blocks - hashed < 64);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off_where_nothing_is_equal),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_off_where_all_is_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
