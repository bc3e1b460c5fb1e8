/* Failures of the file and of the device: the error reaches whose it is, other pages stay right,
 * and what is dirty is kept until it can be written. */
#include "pool_help.h"

#include <signal.h>
#include <sys/resource.h>

static int try_get(struct fixture *f, uint64_t page)
{
	struct tide_error err = {0};
	struct tide_pool_pin pin = {.size = sizeof pin};
	int rc = td_pool_get(f->pool, page, TIDE_POOL_READ, &pin, &err);
	if (rc) {
		assert_true(err.text[0]);
		assert_int_equal(err.code, rc);
		return rc;
	}
	assert_memory_equal(pin.addr, f->shadow + page * PAGE, PAGE);
	td_pool_put(f->pool, &pin, NULL);
	return 0;
}

static void test_reads(void **state)
{
	struct fixture f;
	unsigned failed = 0;
	(void)state;
	make_file(&f, 100, NULL);
	f.config.inject = "read=EIO:7";
	open_pool(&f);
	for (unsigned round = 0; round < 5; round++)
		for (uint64_t i = 0; i < 100; i++) {
			int rc = try_get(&f, i);
			assert_true(rc == 0 || rc == -EIO);
			failed += rc != 0;
			if (rc)
				assert_int_equal(try_get(&f, i),
						 0); /* the next try is another read */
		}
	assert_true(failed > 30);
	assert_int_equal(stats_of(&f).io_errors, failed);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

/* Of a batch, one page fails: the call says which, the others are there. One request reads all six;
 * it fails as the fourth, and so does the eighth, which is for page 3 alone. */
static void test_one_of_a_batch(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	unsigned char *got = malloc(10 * PAGE);
	(void)state;
	make_file(&f, 20, NULL);
	f.config.inject = "read=EIO:4";
	open_pool(&f);
	for (uint64_t i = 10; i < 16; i += 2)
		assert_int_equal(try_get(&f, i), 0);
	assert_int_equal(td_pool_read(f.pool, got, 6 * PAGE, 0, &err), -EIO);
	assert_non_null(strstr(err.text, "page 3 "));
	assert_int_equal(stats_of(&f).io_errors, 2);
	for (uint64_t i = 0; i < 6; i++)
		if (i != 3)
			assert_int_equal(try_get(&f, i), 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 9);
	close_pool(&f);
	remove_file(&f);
	free(got);
}

/* The second request would fail. */
static void test_neighbours_are_one_read(void **state)
{
	struct fixture f;
	unsigned char *got = malloc(10 * PAGE);
	(void)state;
	make_file(&f, 20, NULL);
	f.config.inject = "read=EIO:2";
	open_pool(&f);
	assert_int_equal(td_pool_read(f.pool, got, 10 * PAGE, 3 * PAGE, NULL), 0);
	assert_memory_equal(got, f.shadow + 3 * PAGE, 10 * PAGE);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 10);
	close_pool(&f);
	remove_file(&f);
	free(got);
}

static void test_short_reads(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 100, NULL);
	f.config.inject = "short=2";
	open_pool(&f);
	read_all(&f);
	read_all(&f);
	close_pool(&f);
	remove_file(&f);
}

/* Nothing can be written: what is there goes on, until there is no room; nothing is lost. */
static void test_no_write_works(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	unsigned refused = 0;
	(void)state;
	make_file(&f, 200, NULL);
	f.config.inject = "write=ENOSPC:1";
	open_pool(&f);
	for (uint64_t i = 0; i < 100; i++) {
		unsigned char *shadow = f.shadow + i * PAGE;
		int rc = td_pool_write(f.pool, "dirty", 5, i * PAGE, &err);
		if (!rc)
			memcpy(shadow, "dirty", 5);
		else
			refused++;
		assert_true(rc == 0 || rc == -ENOSPC);
	}
	assert_true(refused > 0 && refused < 90);
	assert_int_equal(stats_of(&f).dirty_pages, 100 - refused);
	for (uint64_t i = 0; i < 32; i++)
		assert_int_equal(try_get(&f, i), 0); /* first come, and still there */
	assert_int_equal(td_pool_flush(f.pool, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "kept"));
	check_pool(&f);
	assert_int_equal(td_pool_close(f.pool, &err), -ENOSPC);
	remove_file(&f);
}

/* A limit on the size of files stands for a full disk, because it can be lifted again. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int write_mark(struct fixture *f, uint64_t page)
{
	int rc = td_pool_write(f->pool, "full", 4, page * PAGE, NULL);
	if (!rc)
		memcpy(f->shadow + page * PAGE, "full", 4);
	return rc;
}

static void check_range(struct fixture *f, uint64_t page, uint64_t pages)
{
	unsigned char *got = malloc(pages * PAGE);
	struct tide_error err = {0};
	if (td_pool_read(f->pool, got, pages * PAGE - 100, page * PAGE + 50, &err))
		fail_msg("%s", err.text);
	assert_memory_equal(got, f->shadow + page * PAGE + 50, pages * PAGE - 100);
	free(got);
}

/* While the disk is full only writes fail. When it has room again nothing fails. */
static void check_full(enum td_pool_dedup dedup, uint32_t block)
{
	struct fixture f;
	uint64_t page = 0;
	make_file(&f, 200, NULL);
	f.config.dedup = dedup;
	f.config.block_bytes = block;
	open_pool(&f);
	limit_files(0);
	while (!write_mark(&f, page))
		assert_true(++page < 150);
	check_range(&f, 150, 50);
	check_range(&f, 0, 150);
	assert_int_equal(write_mark(&f, 199), -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	assert_int_equal(try_get(&f, 198), 0);
	assert_int_equal(write_mark(&f, 199), 0);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_full_disk(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	check_full(TD_POOL_OFF, PAGE);
	check_full(TD_POOL_ON, 1024);
}

/* Some writes fail: they are tried again. */
static void check_some_writes(uint32_t block)
{
	struct fixture f;
	uint64_t seed = 8;
	unsigned tries = 0;
	make_file(&f, 200, NULL);
	f.config.inject = "write=EIO:3";
	f.config.dedup = block == PAGE ? TD_POOL_OFF : TD_POOL_ON;
	f.config.block_bytes = block;
	open_pool(&f);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t at = draw(&seed) % (200 * PAGE - 64);
		unsigned char bytes[64];
		scribble(bytes, 64, i);
		int rc = td_pool_write(f.pool, bytes, 64, at, NULL);
		while (rc)
			rc = td_pool_write(f.pool, bytes, 64, at, NULL);
		memcpy(f.shadow + at, bytes, 64);
		if (i % 500 == 0)
			td_pool_flush(f.pool, NULL);
	}
	read_all(&f);
	check_pool(&f);
	while (td_pool_flush(f.pool, NULL))
		assert_true(++tries < 20);
	assert_int_equal(stats_of(&f).dirty_pages, 0);
	assert_true(stats_of(&f).io_errors > 100);
	check_file(&f);
	close_pool(&f);
	remove_file(&f);
}

static void test_some_writes(void **state)
{
	(void)state;
	check_some_writes(PAGE);
	check_some_writes(1024);
}

/* ---- the device ---- */

static int no_memory(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	(void)state;
	(void)want;
	return tide_fail(err, -ENOMEM, "no device memory today: come back");
}

static void test_no_device_memory(void **state)
{
	struct td_pool_device bad = td_pool_device_ram;
	struct tide_error err = {0};
	struct fixture f;
	(void)state;
	bad.alloc = no_memory;
	make_file(&f, 10, NULL);
	f.config.device = &bad;
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -ENOMEM);
	assert_string_equal(err.text, "no device memory today: come back");
	assert_null(f.pool);
	f.config.device = &td_pool_device_ram;
	remove_file(&f);
}

/* No more memory than the file has pages. */
static void test_too_much_memory(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 10, NULL);
	f.config.main_pages = UINT64_C(1) << 28;
	f.config.device_pages = UINT64_C(1) << 50;
	open_pool(&f);
	assert_int_equal(stats_of(&f).main_bytes, 10 * PAGE);
	assert_int_equal(stats_of(&f).device_bytes, 10 * PAGE);
	read_all(&f);
	close_pool(&f);
	remove_file(&f);
}

struct moody {
	void *ram;
	unsigned calls;
};

static unsigned mood; /* every so many transfers fail; 0: none */

static int moody_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	struct moody *m = calloc(1, sizeof *m);
	*state = m;
	return td_pool_device_ram.alloc(&m->ram, want, err);
}

static void moody_free(void *state)
{
	struct moody *m = state;
	if (m)
		td_pool_device_ram.free(m->ram);
	free(m);
}

static bool fails(struct moody *m)
{
	return mood && ++m->calls % mood == 0;
}

static int moody_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	struct moody *m = state;
	return fails(m) ? -EIO : td_pool_device_ram.gather(m->ram, slots, to, n);
}

static int moody_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	struct moody *m = state;
	return fails(m) ? -EIO : td_pool_device_ram.scatter(m->ram, slots, from, n);
}

static int moody_hash(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures)
{
	struct moody *m = state;
	return fails(m) ? -EIO : td_pool_device_ram.hash(m->ram, hash, blocks, n, signatures);
}

static const struct td_pool_device moody_device = {
	.name = "moody",
	.alloc = moody_alloc,
	.free = moody_free,
	.gather = moody_gather,
	.scatter = moody_scatter,
	.hash = moody_hash,
};

static void check_moody(unsigned every, enum td_pool_dedup dedup, uint32_t block)
{
	struct fixture f;
	uint64_t seed = 4;
	unsigned char value[PAGE];
	unsigned refused = 0;
	make_file(&f, 100, NULL);
	f.config.device = &moody_device;
	f.config.dedup = dedup;
	f.config.block_bytes = block;
	mood = every;
	open_pool(&f);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t page = draw(&seed) % 100, bytes = draw(&seed) % 4 ? 8 : PAGE;
		bool write = draw(&seed) % 2;
		memset(value, (int)(draw(&seed) % 5), PAGE);
		int rc = write ? td_pool_write(f.pool, value, bytes, page * PAGE, NULL)
			       : try_get(&f, page);
		assert_true(rc == 0 || rc == -EIO);
		refused += rc != 0;
		if (write && !rc) /* else the page is as it was */
			memcpy(f.shadow + page * PAGE, value, bytes);
	}
	assert_true(refused > 0);
	check_pool(&f);
	mood = 0;
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(try_get(&f, i), 0);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_transfers_fail(void **state)
{
	(void)state;
	check_moody(5, TD_POOL_OFF, PAGE);
	check_moody(7, TD_POOL_ON, PAGE);
	check_moody(3, TD_POOL_ON, 1024);
}

/* ---- files ---- */

static void test_bad_files(void **state)
{
	struct tide_error err = {0};
	struct fixture f;
	(void)state;
	make_file(&f, 10, NULL);
	assert_int_equal(truncate(f.path, 0), 0);
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -EINVAL);
	f.config.path = "/dev/null";
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -EINVAL);
	f.config.path = "/nowhere/at/all";
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -ENOENT);
	f.config.path = f.path;
	f.config.inject = "perhaps";
	assert_int_equal(truncate(f.path, 10 * PAGE), 0);
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -EINVAL);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_one_of_a_batch),
		cmocka_unit_test(test_neighbours_are_one_read),
		cmocka_unit_test(test_short_reads),
		cmocka_unit_test(test_no_write_works),
		cmocka_unit_test(test_some_writes),
		cmocka_unit_test(test_no_device_memory),
		cmocka_unit_test(test_transfers_fail),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_too_much_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
