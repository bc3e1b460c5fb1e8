/* Where others stop: a file system that makes no holes, storage that loses what it took, counts
 * that are full, errors that look like something else. */
#include "pool_help.h"

#include <sys/syscall.h>

#include "pool/inside.h"

/* ---- the C library's, which the pool calls ---- */

static int fallocate_error, sync_error;

int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
	errno = fallocate_error;
	return fallocate_error ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

int fdatasync(int fd)
{
	errno = sync_error;
	return sync_error ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* ---- a file system that makes no holes ---- */

static uint64_t of_three(uint64_t page)
{
	return page % 3;
}

/* Pages in main memory and on the device, clean and dirty, shared and pinned, and in the file. */
static void check_no_holes(enum td_pool_dedup dedup, uint32_t block, int error)
{
	struct fixture f;
	make_file(&f, 400, of_three);
	f.config.dedup = dedup;
	f.config.block_bytes = block;
	open_pool(&f);
	for (uint64_t i = 0; i < 60; i++)
		access_page(&f, i, i % 2, i);
	struct tide_pool_pin pin = get(&f, 58, false);
	memset(f.shadow + 20 * PAGE + 9, 0, 300 * PAGE);
	fallocate_error = error;
	assert_int_equal(td_pool_clear(f.pool, 20 * PAGE + 9, 300 * PAGE, 0, NULL), 0);
	fallocate_error = 0;
	td_pool_put(f.pool, &pin, NULL);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_no_holes(void **state)
{
	(void)state;
	check_no_holes(TD_POOL_OFF, PAGE, EOPNOTSUPP);
	check_no_holes(TD_POOL_ON, PAGE, EIO);
	check_no_holes(TD_POOL_ON, 512, ENODEV);
}

/* Then zeros are written, and when that fails too it is said, and the pages are as they were. */
static void test_no_holes_and_no_writes(void **state)
{
	struct tide_error err = {0};
	struct fixture f;
	(void)state;
	make_file(&f, 400, NULL);
	f.config.inject = "write=ENOSPC:1";
	open_pool(&f);
	fallocate_error = EOPNOTSUPP;
	assert_int_equal(td_pool_clear(f.pool, 0, 400 * PAGE, 0, &err), -ENOSPC);
	fallocate_error = 0;
	assert_true(err.text[0]);
	uint64_t zeros = 0;
	for (uint64_t i = 0; i < 400; i++) {
		unsigned char got[PAGE];
		if (td_pool_read(f.pool, got, PAGE, i * PAGE, NULL))
			continue; /* memory is full of what cannot leave */
		bool zero = !got[0] && !memcmp(got, got + 1, PAGE - 1);
		assert_true(zero || !memcmp(got, f.shadow + i * PAGE, PAGE));
		zeros += zero;
	}
	assert_int_equal(zeros, stats_of(&f).dirty_pages);
	check_pool(&f);
	assert_int_equal(td_pool_close(f.pool, NULL), -ENOSPC);
	check_file(&f);
	remove_file(&f);
}

/* ---- a trim of what is pinned, where there is no frame for a copy ---- */

static void check_trim_of_pinned(uint32_t block, int expected)
{
	struct tide_pool_pin pins[64];
	unsigned char was[PAGE];
	struct fixture f;
	size_t n = 0;
	make_file(&f, 100, NULL);
	memcpy(f.shadow + 99 * PAGE, f.shadow, PAGE);
	f.config.dedup = TD_POOL_ON;
	f.config.block_bytes = block;
	open_pool(&f);
	assert_int_equal(td_pool_write(f.pool, f.shadow, PAGE, 99 * PAGE, NULL), 0);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	pins[n++] = get(&f, 0, false); /* equal to the last page */
	pins[n++] = get(&f, 99, false);
	for (uint64_t i = 1; n < 64; i++, n++)
		if (td_pool_get(f.pool, i, TIDE_POOL_READ, &pins[n], NULL))
			break; /* all is pinned */
	memcpy(was, pins[0].addr, PAGE);
	assert_int_equal(td_pool_clear(f.pool, 0, PAGE, 0, NULL), expected);
	assert_memory_equal(pins[0].addr, was, PAGE);
	while (n)
		td_pool_put(f.pool, &pins[--n], NULL);
	if (!expected)
		memset(f.shadow, 0, PAGE);
	for (unsigned i = 0; i < 2; i++)
		read_all(&f); /* in memory, and when it has been out of it */
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_trim_of_pinned(void **state)
{
	(void)state;
	check_trim_of_pinned(PAGE, 0);
	check_trim_of_pinned(1024, -ENOBUFS);
}

/* ---- storage that loses what it took ---- */

static void test_sync_fails(void **state)
{
	struct tide_error err = {0};
	struct fixture f;
	(void)state;
	make_file(&f, 40, NULL);
	open_pool(&f);
	access_page(&f, 3, true, 7);
	sync_error = EIO;
	assert_int_equal(td_pool_flush(f.pool, &err), -EIO);
	assert_non_null(strstr(err.text, "lost"));
	sync_error = 0; /* the kernel says it once */
	err = (struct tide_error){0};
	assert_int_equal(td_pool_flush(f.pool, &err), -EIO);
	assert_non_null(strstr(err.text, "lost"));
	read_all(&f);
	check_pool(&f);
	assert_int_equal(td_pool_close(f.pool, &err), -EIO);
	open_pool(&f);
	assert_int_equal(td_pool_flush(f.pool, &err), 0);
	close_pool(&f);
	remove_file(&f);
}

/* ---- errors that look like something else ---- */

static int again_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	(void)state;
	(void)slots;
	(void)to;
	(void)n;
	return -EAGAIN;
}

static void test_eagain_is_an_error(void **state)
{
	struct td_pool_device device = td_pool_device_ram;
	struct tide_pool_pin pin = {.size = sizeof pin};
	struct fixture f;
	(void)state;
	make_file(&f, 40, NULL);
	f.config.inject = "read=EAGAIN:1";
	open_pool(&f);
	assert_int_equal(td_pool_get(f.pool, 3, TIDE_POOL_READ, &pin, NULL), -EAGAIN);
	close_pool(&f);
	device.gather = again_gather;
	f.config.device = &device;
	f.config.inject = "read=EAGAIN:21"; /* the one in place of the gather */
	open_pool(&f);
	for (uint64_t i = 0; i < 20; i++)
		access_page(&f, i, false, 0);
	assert_int_equal(td_pool_get(f.pool, 0, TIDE_POOL_READ, &pin, NULL), -EAGAIN);
	close_pool(&f);
	remove_file(&f);
}

/* ---- counts that are full ---- */

static uint32_t block_of(const struct fixture *f, uint64_t page)
{
	return td_pool_resolve(f->pool, page);
}

static void test_pins_are_full(void **state)
{
	struct tide_pool_pin pin = {.size = sizeof pin}, one = pin;
	struct fixture f;
	(void)state;
	make_file(&f, 40, NULL);
	open_pool(&f);
	one = get(&f, 3, true);
	_Atomic uint64_t *word = &f.pool->blocks[block_of(&f, 3)].word;
	atomic_fetch_add(word, TD_PINS - 2);
	pin = get(&f, 3, true);
	uint64_t full = atomic_load(word);
	assert_int_equal(full & TD_PINS, TD_PINS);
	assert_int_equal(td_pool_get(f.pool, 3, TIDE_POOL_READ, &one, NULL), -ENOBUFS);
	assert_int_equal(atomic_load(word), full);
	one = pin; /* the failed get overwrote it */
	td_pool_put(f.pool, &pin, NULL);
	atomic_fetch_sub(word, TD_PINS - 2);
	td_pool_put(f.pool, &one, NULL);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

/* One more page than can be counted has a block of its own. */
static void test_links_are_full(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 40, of_three);
	f.config.dedup = TD_POOL_ON;
	open_pool(&f);
	access_page(&f, 0, false, 0);
	access_page(&f, 3, false, 0);
	struct td_pool_content *c = &f.pool->contents[f.pool->blocks[block_of(&f, 0)].content];
	assert_int_equal(c->links, 2);
	c->links = UINT32_MAX;
	access_page(&f, 6, false, 0);
	assert_int_equal(c->links, UINT32_MAX);
	assert_int_not_equal(block_of(&f, 6), block_of(&f, 0));
	memcpy(f.shadow + 9 * PAGE, f.shadow, PAGE);
	assert_int_equal(td_pool_write(f.pool, f.shadow, PAGE, 9 * PAGE, NULL), 0);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0); /* which would share it, too */
	assert_int_equal(c->links, UINT32_MAX);
	c->links = 2;
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_holes),
		cmocka_unit_test(test_no_holes_and_no_writes),
		cmocka_unit_test(test_trim_of_pinned),
		cmocka_unit_test(test_sync_fails),
		cmocka_unit_test(test_eagain_is_an_error),
		cmocka_unit_test(test_pins_are_full),
		cmocka_unit_test(test_links_are_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
