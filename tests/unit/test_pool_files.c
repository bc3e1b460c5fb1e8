/* Files of other kinds: large and empty, shorter than before, already in use, block devices. */
#include "pool_help.h"

#include <linux/loop.h>
#include <sys/ioctl.h>

/* ---- a file that becomes shorter ---- */

static void test_file_shrinks(void **state)
{
	struct tide_pool_pin pin = {.size = sizeof pin};
	struct fixture f;
	(void)state;
	make_file(&f, 60, NULL);
	open_pool(&f);
	access_page(&f, 50, true, 1);
	assert_int_equal(truncate(f.path, 30 * PAGE + 100), 0);
	for (uint64_t i = 0; i < 30; i++)
		access_page(&f, i, false, 0);
	for (uint64_t i = 30; i < 60; i++)
		if (i != 50)
			assert_int_equal(td_pool_get(f.pool, i, TIDE_POOL_READ, &pin, NULL), -EIO);
	access_page(&f, 50, false, 0); /* on the device by now */
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	memset(f.shadow + 30 * PAGE + 100, 0, 20 * PAGE - 100);
	for (uint64_t i = 30; i <= 50; i++)
		access_page(&f, i, false, 0); /* long enough again, with a hole in it */
	close_pool(&f);
	assert_int_equal(truncate(f.path, 60 * PAGE), 0);
	memset(f.shadow + 51 * PAGE, 0, 9 * PAGE);
	check_file(&f);
	remove_file(&f);
}

/* ---- a trim of what a large file has not ---- */

static uint64_t resident_pages(void)
{
	unsigned long long all, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu %llu", &all, &resident), 2);
	fclose(f);
	return resident;
}

/* What is known of its pages would be 64 MiB. */
static void test_trim_of_holes(void **state)
{
	struct fixture f;
	(void)state;
	if (SANITIZED)
		skip(); /* they keep books of all memory that is looked at */
	make_file(&f, 4, NULL);
	assert_int_equal(truncate(f.path, INT64_C(16) << 30), 0);
	f.config.dedup = TD_POOL_ON;
	open_pool(&f);
	uint64_t before = resident_pages();
	assert_int_equal(td_pool_clear(f.pool, 0, UINT64_C(16) << 30, 0, NULL), 0);
	assert_true(resident_pages() < before + 4096);
	memset(f.shadow, 0, 4 * PAGE);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

/* ---- two pools ---- */

/* Only if neither writes. */
static void test_two_pools(void **state)
{
	struct tide_error err = {0};
	struct td_pool *other;
	struct fixture f;
	(void)state;
	make_file(&f, 40, NULL);
	open_pool(&f);
	for (unsigned i = 0; i < 2; i++) {
		f.config.read_only = i;
		assert_int_equal(td_pool_open(&other, &f.config, &err), -EBUSY);
		assert_non_null(strstr(err.text, "in use by another pool"));
	}
	close_pool(&f);
	open_pool(&f);
	assert_int_equal(td_pool_open(&other, &f.config, &err), 0);
	f.config.read_only = false;
	struct td_pool *writer;
	assert_int_equal(td_pool_open(&writer, &f.config, &err), -EBUSY);
	assert_int_equal(td_pool_close(other, &err), 0);
	close_pool(&f);
	open_pool(&f);
	close_pool(&f);
	remove_file(&f);
}

/* ---- block devices ---- */

/* It goes when it is closed for the last time, however the test ends. */
static int make_loop(const char *path, char *name)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), loop = -1;
	int backing = open(path, O_RDWR | O_CLOEXEC);
	struct loop_config how = {.fd = (uint32_t)backing,
				  .info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};
	for (unsigned i = 0; control >= 0 && loop < 0 && i < 16; i++) {
		int free = ioctl(control, LOOP_CTL_GET_FREE);
		snprintf(name, 32, "/dev/loop%d", free);
		loop = free < 0 ? -1 : open(name, O_RDWR | O_CLOEXEC);
		if (loop >= 0 && ioctl(loop, LOOP_CONFIGURE, &how)) {
			close(loop); /* somebody else was faster */
			loop = -1;
		}
	}
	close(backing);
	if (control >= 0)
		close(control);
	return loop;
}

/* Its size is no multiple of a page. */
static void test_block_device(void **state)
{
	struct fixture f;
	char loop[32];
	uint64_t seed = 3, bytes = 150 * PAGE + 1536;
	unsigned char *got = take_blocks(150 * PAGE + 1536);
	(void)state;
	make_file(&f, 151, NULL);
	assert_int_equal(truncate(f.path, (off_t)bytes), 0);
	int fd = make_loop(f.path, loop);
	if (fd < 0) {
		remove_file(&f);
		free(got);
		skip();
	}
	f.config.path = loop;
	open_pool(&f);
	assert_int_equal(td_pool_bytes(f.pool), bytes);
	for (unsigned i = 0; i < 400; i++) {
		uint64_t at = draw(&seed) % bytes, n = draw(&seed) % (bytes - at);
		n = i % 4 ? n % 9000 : n;
		if (i % 8 == 7)
			memset(f.shadow + at, 0, n);
		else if (i % 2)
			memset(f.shadow + at, (int)i, n);
		int rc = i % 8 == 7 ? td_pool_clear(f.pool, at, n, 0, NULL)
			 : i % 2    ? td_pool_write(f.pool, f.shadow + at, n, at, NULL)
				    : td_pool_read(f.pool, got, n, at, NULL);
		assert_int_equal(rc, 0);
		if (i % 2 == 0)
			assert_memory_equal(got, f.shadow + at, n);
	}
	close_pool(&f);
	assert_int_equal(pread(fd, got, bytes, 0), bytes);
	assert_memory_equal(got, f.shadow, bytes);
	close(fd);
	remove_file(&f);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_shrinks),
		cmocka_unit_test(test_trim_of_holes),
		cmocka_unit_test(test_two_pools),
		cmocka_unit_test(test_block_device),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
