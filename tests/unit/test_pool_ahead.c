/* Reads of streams, which are read ahead, and large reads, which go past the cache. */
#include "pool/inside.h"
#include "pool_threads.h"

#define PAGES 512u

static void open_ahead(struct fixture *f, uint64_t ahead_pages, uint64_t straight_pages)
{
	make_plain(f, PAGES);
	f->config.batch = 64;
	f->config.ahead_bytes = ahead_pages * PAGE;
	f->config.straight_bytes = straight_pages * PAGE;
	open_watched(f);
}

static void read_bytes(struct fixture *f, uint64_t offset, uint64_t n)
{
	unsigned char *got = malloc(n);
	struct tide_error err = {0};
	if (td_pool_read(f->pool, got, n, offset, &err))
		fail_msg("%s", err.text);
	assert_memory_equal(got, f->shadow + offset, n);
	free(got);
}

static void read_pages(struct fixture *f, uint64_t page, uint64_t n)
{
	read_bytes(f, page * PAGE, n * PAGE);
}

/* ---- ahead ---- */

static void wait_for_ahead(struct fixture *f, uint64_t pages)
{
	while (stats_of(f).ahead_pages < pages)
		usleep(1000);
}

static void test_next_pages_are_there(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 32, 0);
	for (uint64_t i = 0; i < 3; i++)
		read_pages(&f, 100 + i, 1);
	wait_for_ahead(&f, 8);
	uint64_t reads = stats_of(&f).counts.tier3_reads;
	assert_int_equal(reads, 3 + 8);
	for (uint64_t i = 3; i < 7; i++)
		read_pages(&f, 100 + i, 1);
	wait_for_ahead(&f, 8 + 16); /* half of the first is read: twice as much */
	for (uint64_t i = 7; i < 27; i++)
		read_pages(&f, 100 + i, 1);
	wait_for_ahead(&f, 8 + 16 + 32);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 3 + 8 + 16 + 32);
	end(&f);
}

static void test_two_streams(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 32, 0);
	for (uint64_t i = 0; i < 3; i++) {
		read_pages(&f, i * 2, 2);
		read_pages(&f, 300 + i, 1);
	}
	wait_for_ahead(&f, 8 + 8);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 6 + 3 + 8 + 8);
	for (uint64_t i = 6; i < 300; i += 2)
		read_pages(&f, i, 2);
	end(&f);
}

static void test_no_stream(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 32, 0);
	for (uint64_t i = 0; i < PAGES; i++)
		read_pages(&f, i * 37 % PAGES, 1);
	assert_int_equal(stats_of(&f).ahead_pages, 0);
	end(&f);
}

/* What is in memory, no thread looks for again and again. */
static void test_stream_in_memory_is_forgotten(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 16, 0);
	for (uint64_t i = 16; i < 64; i++)
		access_page(&f, i, false, 0);
	for (uint64_t i = 13; i < 17; i++)
		read_pages(&f, i, 1);
	while (f.pool->ahead.next[0])
		usleep(1000);
	for (uint64_t i = 17; i < 64; i++)
		read_pages(&f, i, 1);
	assert_int_equal(f.pool->ahead.next[0], 0);
	assert_int_equal(f.pool->ahead.jobs, 0);
	end(&f);
}

/* ---- straight ---- */

static void fill_memory(struct fixture *f)
{
	for (uint64_t i = PAGES - 256; i < PAGES; i++)
		access_page(f, i, false, 0);
}

static void test_large_reads_push_nothing_out(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 0, 16);
	fill_memory(&f);
	read_pages(&f, 7, 16);
	read_pages(&f, 50, 200);
	read_bytes(&f, 100 * PAGE + 5, 40 * PAGE); /* both ends are parts of pages */
	struct tide_pool_stats s = stats_of(&f);
	assert_int_equal(s.straight_pages, 16 + 200 + 39);
	assert_int_equal(s.counts.tier3_reads, 256 + 16 + 200 + 39 + 2);
	for (uint64_t i = PAGES - 254; i < PAGES; i++)
		access_page(&f, i, false, 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, s.counts.tier3_reads);
	end(&f);
}

static void test_large_reads_fill_memory(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 0, 16);
	read_pages(&f, 0, 256);
	read_pages(&f, 0, 256);
	assert_int_equal(stats_of(&f).straight_pages, 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 256);
	end(&f);
}

/* What memory has is newer than the file. */
static void test_dirty_pages_are_read(void **state)
{
	struct fixture f;
	(void)state;
	open_ahead(&f, 0, 16);
	fill_memory(&f);
	for (uint64_t i = 60; i < 120; i += 1 + i % 5)
		access_page(&f, i, true, i + 1);
	read_pages(&f, 50, 80);
	assert_true(stats_of(&f).straight_pages >= 20);
	for (uint64_t i = 0; i < PAGES; i += 3)
		access_page(&f, i, true, i + 7);
	read_pages(&f, 0, PAGES);
	end(&f);
}

static void test_large_read_fails(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	unsigned char *got = malloc(32 * PAGE);
	(void)state;
	make_file(&f, PAGES, NULL);
	f.config.main_pages = 1;
	f.config.straight_bytes = PAGE;
	f.config.inject = "read=EIO:1";
	open_pool(&f);
	assert_int_equal(td_pool_read(f.pool, got, 32 * PAGE, 3 * PAGE, &err), -EIO);
	assert_non_null(strstr(err.text, "page 3 "));
	assert_int_equal(stats_of(&f).straight_pages, 0);
	close_pool(&f);
	remove_file(&f);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_pages_are_there),
		cmocka_unit_test(test_two_streams),
		cmocka_unit_test(test_no_stream),
		cmocka_unit_test(test_stream_in_memory_is_forgotten),
		cmocka_unit_test(test_large_reads_push_nothing_out),
		cmocka_unit_test(test_large_reads_fill_memory),
		cmocka_unit_test(test_dirty_pages_are_read),
		cmocka_unit_test(test_large_read_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
