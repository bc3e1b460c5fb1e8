/* Syncs of a range. */
#include "pool_help.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/clock.h"

/* A sync writes its range and nothing else. */
static void test_sync_of_a_range(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	(void)state;
	make_file(&f, 64, NULL);
	f.config.batch = 4;
	open_pool(&f);
	for (uint64_t i = 0; i < 14; i++)
		access_page(&f, i, true, i + 1);
	assert_int_equal(td_pool_sync(f.pool, 2 * PAGE + 100, 6 * PAGE, NULL), 0); /* 2 to 8 */
	assert_int_equal(stats_of(&f).dirty_pages, 14 - 7);
	assert_int_equal(stats_of(&f).counts.tier3_writes, 7);
	assert_int_equal(td_pool_sync(f.pool, 2 * PAGE, 0, NULL), 0);
	assert_int_equal(td_pool_sync(f.pool, 0, 65 * PAGE, &err), -EINVAL);
	assert_int_equal(stats_of(&f).dirty_pages, 14 - 7);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_sync_fails(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	(void)state;
	make_file(&f, 64, NULL);
	f.config.inject = "write=ENOSPC:2";
	open_pool(&f);
	access_page(&f, 1, true, 1);
	access_page(&f, 3, true, 1); /* another write: the second one fails */
	assert_int_equal(td_pool_sync(f.pool, PAGE, 3 * PAGE, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "kept"));
	assert_int_equal(stats_of(&f).dirty_pages, 1);
	assert_int_equal(td_pool_sync(f.pool, PAGE, 3 * PAGE, &err), 0);
	assert_int_equal(stats_of(&f).dirty_pages, 0);
	check_file(&f);
	close_pool(&f);
	remove_file(&f);
}

/* ---- of a large range ---- */

#define LARGE (UINT64_C(1) << 24) /* pages of a file that is one hole */

struct large {
	struct fixture f;
	uint64_t sync_ns;
	atomic_bool began, ended;
};

static void *sync_all(void *arg)
{
	struct large *l = arg;
	uint64_t begin_ns = td_clock_ns();
	l->began = true;
	int rc = td_pool_sync(l->f.pool, 0, LARGE * PAGE, NULL);
	l->sync_ns = td_clock_ns() - begin_ns;
	l->ended = true;
	return rc ? arg : NULL;
}

/* The longest read that needs the pool's lock, beside a sync. */
static uint64_t longest_read_ns(struct large *l, uint64_t *page)
{
	uint64_t most_ns = 0;
	unsigned char byte;
	pthread_t thread;
	l->began = l->ended = false;
	assert_int_equal(pthread_create(&thread, NULL, sync_all, l), 0);
	while (!l->began)
		usleep(10);
	while (!l->ended) {
		uint64_t begin_ns = td_clock_ns();
		assert_int_equal(td_pool_read(l->f.pool, &byte, 1, (*page)++ * PAGE, NULL), 0);
		uint64_t ns = td_clock_ns() - begin_ns;
		most_ns = ns > most_ns ? ns : most_ns;
	}
	void *failed;
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	return most_ns;
}

/* Other requests go on meanwhile. This machine may be busy, so one time of several is enough. */
static void test_sync_of_a_large_range(void **state)
{
	struct large l;
	uint64_t page = 0;
	bool goes_on = false;
	(void)state;
	make_file(&l.f, 1, NULL);
	assert_int_equal(truncate(l.f.path, (off_t)(LARGE * PAGE)), 0);
	open_pool(&l.f);
	for (unsigned i = 0; i < 10 && !goes_on; i++)
		goes_on = longest_read_ns(&l, &page) < l.sync_ns / 4;
	assert_true(goes_on);
	close_pool(&l.f);
	remove_file(&l.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sync_of_a_range),
		cmocka_unit_test(test_sync_fails),
		cmocka_unit_test(test_sync_of_a_large_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
