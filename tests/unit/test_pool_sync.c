/* Syncs of a range. */
#include "pool/inside.h"
#include "pool_help.h"

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

/* Pages that are absent are passed over without the pool's lock, so other requests go on. */
static void test_sync_of_a_large_range(void **state)
{
	const uint64_t pages = UINT64_C(1) << 24;
	struct fixture f;
	(void)state;
	make_file(&f, 1, NULL);
	assert_int_equal(truncate(f.path, (off_t)(pages * PAGE)), 0);
	open_pool(&f);
	access_page(&f, 0, true, 1);
	alarm(20);
	pthread_mutex_lock(&f.pool->lock);
	assert_int_equal(td_pool_sync(f.pool, PAGE, (pages - 1) * PAGE, NULL), 0);
	pthread_mutex_unlock(&f.pool->lock);
	alarm(0);
	assert_int_equal(stats_of(&f).dirty_pages, 1);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
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
