/* The thread that writes dirty pages before anything has to. */
#include "pool_threads.h"

static void open_bound(struct fixture *f, uint64_t dirty_pages, const char *inject)
{
	make_plain(f, 256);
	f->config.dirty_pages = dirty_pages;
	f->config.inject = inject;
	open_watched(f);
}

static int write_page(struct fixture *f, uint64_t page, uint64_t seed)
{
	scribble(f->shadow + page * PAGE, PAGE, seed);
	return td_pool_write(f->pool, f->shadow + page * PAGE, PAGE, page * PAGE, NULL);
}

/* Half of what may be dirty stays; the rest gets written, though no caller flushes. */
static void test_writes_by_itself(void **state)
{
	struct fixture f;
	(void)state;
	open_bound(&f, 64, NULL);
	for (uint64_t i = 0; i < 32; i++)
		assert_int_equal(write_page(&f, i, i + 1000), 0);
	usleep(20000);
	assert_int_equal(stats_of(&f).background_pages, 0);
	for (uint64_t i = 32; i < 256; i++)
		assert_int_equal(write_page(&f, i, i + 1000), 0);
	while (stats_of(&f).dirty_pages > 32)
		usleep(1000);
	struct tide_pool_stats s = stats_of(&f);
	assert_true(s.background_pages >= 256 - 32);
	assert_int_equal(s.background_pages, s.counts.tier3_writes);
	assert_int_equal(s.flushes, 0);
	end(&f);
}

/* The file is slow, so writers are faster than the thread. */
static void test_bound_holds(void **state)
{
	struct fixture f;
	(void)state;
	open_bound(&f, 16, "delay=2ms");
	for (uint64_t i = 0; i < 256; i++) {
		assert_int_equal(write_page(&f, i, i + 2000), 0);
		assert_true(stats_of(&f).dirty_pages <= 16);
	}
	for (uint64_t i = 0; i < 64; i++) {
		access_page(&f, i, true, i + 1);
		assert_true(stats_of(&f).dirty_pages <= 16);
	}
	end(&f);
}

/* A writer does not wait for a file that cannot be written. When it can be, all of it gets there.
 */
static void test_full_disk(void **state)
{
	struct fixture f;
	(void)state;
	open_bound(&f, 16, "write=ENOSPC:1");
	for (uint64_t i = 0; i < 256; i++)
		assert_int_equal(write_page(&f, i, i + 3000), 0);
	read_all(&f);
	assert_int_equal(td_pool_flush(f.pool, NULL), -ENOSPC);
	while (stats_of(&f).dirty_pages < 256) /* less while the thread tries */
		usleep(1000);
	alarm(0);
	assert_int_equal(td_pool_close(f.pool, NULL), -ENOSPC);
	remove_file(&f);
}

/* Beside writers that keep the thread busy. */
static void *write_on(void *arg)
{
	struct fixture *f = arg;
	unsigned char page[PAGE] = {1};
	for (uint64_t i = 0; i < 3000; i++)
		if (td_pool_write(f->pool, page, PAGE, (128 + i % 128) * PAGE, NULL))
			return arg;
	return NULL;
}

static void check_stored(struct fixture *f, uint64_t page)
{
	unsigned char got[PAGE];
	int fd = open(f->path, O_RDONLY);
	assert_int_equal(pread(fd, got, PAGE, (off_t)(page * PAGE)), PAGE);
	close(fd);
	assert_memory_equal(got, f->shadow + page * PAGE, PAGE);
}

static void test_flush_misses_nothing(void **state)
{
	struct fixture f;
	pthread_t other;
	void *failed;
	(void)state;
	open_bound(&f, 8, NULL);
	assert_int_equal(pthread_create(&other, NULL, write_on, &f), 0);
	for (uint64_t i = 0; i < 400; i++) {
		assert_int_equal(write_page(&f, i % 128, i + 5000), 0);
		int rc = i % 2 ? td_pool_flush(f.pool, NULL)
			       : td_pool_sync(f.pool, i % 128 * PAGE, PAGE, NULL);
		assert_int_equal(rc, 0);
		check_stored(&f, i % 128);
	}
	pthread_join(other, &failed);
	assert_null(failed);
	memset(f.shadow + 128 * PAGE, 0, 128 * PAGE);
	for (uint64_t i = 128; i < 256; i++)
		f.shadow[i * PAGE] = 1;
	end(&f);
}

static void test_reading_only(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 16, NULL);
	f.config.dirty_pages = 4;
	f.config.read_only = true;
	open_pool(&f);
	read_all(&f);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_by_itself),
		cmocka_unit_test(test_bound_holds),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_flush_misses_nothing),
		cmocka_unit_test(test_reading_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
