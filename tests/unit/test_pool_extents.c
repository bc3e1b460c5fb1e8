/* Holes and data, zeros that are not written, and pages that are brought in ahead: alone, and while
 * other threads write, flush, trim and evict. */
#include "pool_help.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES 20000u /* more than one window of extents.c */

/* ---- the C library's, which the pool calls ---- */

static int fallocate_error, seek_error;

/* tmpfs cannot keep space for zeros; a hole looks the same. */
int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
	if (mode & FALLOC_FL_ZERO_RANGE)
		mode ^= FALLOC_FL_ZERO_RANGE | FALLOC_FL_PUNCH_HOLE;
	errno = fallocate_error;
	return fallocate_error ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

off_t lseek(int fd, off_t offset, int whence)
{
	errno = seek_error;
	return seek_error ? -1 : (off_t)syscall(SYS_lseek, fd, offset, whence);
}

static bool is_device;

int fstat(int fd, struct stat *st)
{
	int rc = fstatat(fd, "", st, AT_EMPTY_PATH);
	if (is_device)
		st->st_mode = S_IFBLK;
	return rc;
}

/* ---- a file of holes ---- */

static void make_sparse(struct fixture *f, uint64_t pages)
{
	make_file(f, 1, NULL);
	assert_int_equal(truncate(f->path, 0), 0);
	assert_int_equal(truncate(f->path, (off_t)(pages * PAGE)), 0);
	free(f->shadow);
	f->shadow = take_blocks(pages * PAGE);
	memset(f->shadow, 0, pages * PAGE);
	f->pages = pages;
}

static void write_page(struct fixture *f, uint64_t page)
{
	scribble(f->shadow + page * PAGE, PAGE, page + 1);
	assert_int_equal(td_pool_write(f->pool, f->shadow + page * PAGE, PAGE, page * PAGE, NULL),
			 0);
}

/* The parts as a text: "h8 d1" are 8 pages of a hole and one of data; bytes end with a b. */
static bool note(void *arg, uint64_t offset, uint64_t bytes, bool is_hole)
{
	char *text = arg;
	size_t n = strlen(text);
	(void)offset;
	snprintf(text + n, 200 - n, "%s%c%llu%s", n ? " " : "", is_hole ? 'h' : 'd',
		 (unsigned long long)(bytes % PAGE ? bytes : bytes / PAGE),
		 bytes % PAGE ? "b" : "");
	return true;
}

static void expect_parts(struct fixture *f, uint64_t offset, uint64_t bytes, const char *expected)
{
	char text[200] = "";
	assert_int_equal(td_pool_extents(f->pool, offset, bytes, note, text, NULL), 0);
	assert_string_equal(text, expected);
}

static void expect_all(struct fixture *f, const char *expected)
{
	expect_parts(f, 0, f->pages * PAGE, expected);
}

/* ---- alone ---- */

static void check_life(enum td_pool_dedup dedup, uint32_t block)
{
	struct fixture f;
	make_sparse(&f, PAGES);
	f.config.dedup = dedup;
	f.config.block_bytes = block;
	open_pool(&f);
	expect_all(&f, "h20000");
	write_page(&f, 10);
	write_page(&f, 19000);
	expect_all(&f, "h10 d1 h18989 d1 h999");
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	expect_all(&f, "h10 d1 h18989 d1 h999");
	/* A hole that was read is still one, and so are zeros that were written. */
	access_page(&f, 11, false, 0);
	expect_all(&f, "h10 d1 h18989 d1 h999");
	assert_int_equal(td_pool_write(f.pool, NULL, PAGE, 19001 * PAGE, NULL), 0);
	expect_all(&f, "h10 d1 h18989 d1 h999");
	/* A pinned page may be written any moment. */
	struct tide_pool_pin pin = get(&f, 12, true);
	expect_parts(&f, 0, 20 * PAGE, "h10 d1 h1 d1 h7");
	td_pool_put(f.pool, &pin, NULL);
	/* Out of main memory, to the device and to the file. */
	for (uint64_t i = 100; i < 200; i++)
		access_page(&f, i, false, 0);
	expect_parts(&f, 0, 12 * PAGE, "h10 d1 h1");
	assert_int_equal(td_pool_clear(f.pool, 0, PAGES * PAGE, 0, NULL), 0);
	memset(f.shadow, 0, PAGES * PAGE);
	expect_all(&f, "h20000");
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_life(void **state)
{
	(void)state;
	check_life(TD_POOL_OFF, PAGE);
	check_life(TD_POOL_ON, PAGE);
	check_life(TD_POOL_ON, 1024);
}

/* Of any bytes, and no longer than the caller wants to hear. */
static bool note_one(void *arg, uint64_t offset, uint64_t bytes, bool is_hole)
{
	note(arg, offset, bytes, is_hole);
	return false;
}

static void test_ranges(void **state)
{
	struct fixture f;
	char text[200] = "";
	(void)state;
	make_sparse(&f, 100);
	assert_int_equal(truncate(f.path, 99 * PAGE + 5), 0);
	open_pool(&f);
	write_page(&f, 50);
	expect_parts(&f, 0, 0, "");
	expect_parts(&f, 50 * PAGE + 7, 9, "d9b");
	expect_parts(&f, 50 * PAGE - 7, PAGE + 9, "h7b d1 h2b");
	expect_parts(&f, 99 * PAGE, 5, "h5b");
	assert_int_equal(td_pool_extents(f.pool, 99 * PAGE, 6, note, text, NULL), -EINVAL);
	assert_int_equal(td_pool_extents(f.pool, UINT64_MAX, 1, note, text, NULL), -EINVAL);
	assert_string_equal(text, "");
	assert_int_equal(td_pool_extents(f.pool, 49 * PAGE, 9 * PAGE, note_one, text, NULL), 0);
	assert_string_equal(text, "h1");
	close_pool(&f);
	remove_file(&f);
}

/* A block device says nothing of holes; and a hole must not hide that a read would fail. */
static void test_no_seek(void **state)
{
	struct fixture f;
	(void)state;
	make_sparse(&f, 100);
	open_pool(&f);
	seek_error = EINVAL;
	expect_all(&f, "d100");
	assert_int_equal(td_pool_clear(f.pool, 0, 50 * PAGE, TIDE_POOL_FAST, NULL), 0);
	seek_error = 0;
	expect_all(&f, "h100");
	assert_int_equal(truncate(f.path, 10 * PAGE), 0);
	expect_all(&f, "d100");
	assert_int_equal(td_pool_close(f.pool, NULL), 0);
	remove_file(&f);
}

/* ---- zeros without writing ---- */

static void test_memory_comes_back(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 400, NULL);
	f.config.main_pages = f.config.device_pages = 64;
	open_pool(&f);
	for (uint64_t i = 0; i < 128; i++)
		access_page(&f, i, i % 2, i);
	assert_int_equal(stats_of(&f).main_used_bytes, 64 * PAGE);
	assert_int_equal(stats_of(&f).device_used_bytes, 64 * PAGE);
	assert_int_equal(td_pool_clear(f.pool, 1, 399 * PAGE, 0, NULL), 0);
	memset(f.shadow + 1, 0, 399 * PAGE);
	/* Of the first and the last page a part is left. */
	assert_true(stats_of(&f).main_used_bytes <= 2 * PAGE);
	assert_int_equal(stats_of(&f).device_used_bytes, 0);
	assert_true(stats_of(&f).dirty_pages <= 2);
	expect_all(&f, "d1 h398 d1");
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_fast(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	(void)state;
	make_file(&f, 400, NULL);
	open_pool(&f);
	/* Not page by page: parts of pages would have to be written. */
	assert_int_equal(td_pool_clear(f.pool, 1, PAGE, TIDE_POOL_FAST, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "write zeros"));
	assert_int_equal(td_pool_clear(f.pool, 0, 100 * PAGE, TIDE_POOL_FAST, NULL), 0);
	assert_int_equal(td_pool_clear(f.pool, 100 * PAGE, 100 * PAGE,
				       TIDE_POOL_FAST | TIDE_POOL_KEEP, NULL),
			 0);
	/* A device would write zeros itself, to keep the space. */
	is_device = true;
	assert_int_equal(td_pool_clear(f.pool, 200 * PAGE, 100 * PAGE,
				       TIDE_POOL_FAST | TIDE_POOL_KEEP, NULL),
			 -EOPNOTSUPP);
	is_device = false;
	/* Within a hole any bytes are zero already. */
	assert_int_equal(td_pool_clear(f.pool, 33, 7 * PAGE, TIDE_POOL_FAST, NULL), 0);
	memset(f.shadow, 0, 200 * PAGE);
	fallocate_error = EOPNOTSUPP;
	for (unsigned keep = 0; keep < 2; keep++)
		assert_int_equal(
			td_pool_clear(f.pool, 200 * PAGE, 100 * PAGE, TIDE_POOL_FAST | keep, NULL),
			-EOPNOTSUPP);
	fallocate_error = 0;
	assert_int_equal(stats_of(&f).counts.accesses, 0);
	assert_int_equal(stats_of(&f).dirty_pages, 0);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

/* Zeros over a hole cost no page, neither in memory nor in the file. */
static void test_zero_over_hole(void **state)
{
	struct fixture f;
	(void)state;
	make_sparse(&f, PAGES);
	open_pool(&f);
	assert_int_equal(td_pool_clear(f.pool, 5, PAGES * PAGE - 10, 0, NULL), 0);
	assert_int_equal(stats_of(&f).counts.accesses, 0);
	assert_int_equal(stats_of(&f).main_used_bytes, 0);
	assert_int_equal(td_pool_clear(f.pool, 5, PAGES * PAGE - 10, TIDE_POOL_KEEP, NULL), 0);
	assert_true(stats_of(&f).dirty_pages <= 2);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

/* ---- ahead ---- */

static void check_prefetch(uint32_t block)
{
	struct fixture f;
	make_file(&f, 400, NULL);
	f.config.main_pages = 128;
	f.config.dedup = block == PAGE ? TD_POOL_OFF : TD_POOL_ON;
	f.config.block_bytes = block;
	open_pool(&f);
	assert_int_equal(td_pool_prefetch(f.pool, 10 * PAGE + 1, 70 * PAGE, NULL), 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 71);
	for (uint64_t i = 10; i < 81; i++)
		access_page(&f, i, false, 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 71);
	/* No more than there is room for; and what is there is not read again. */
	assert_int_equal(td_pool_prefetch(f.pool, 0, 400 * PAGE, NULL), 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 128);
	assert_int_equal(td_pool_prefetch(f.pool, 0, 128 * PAGE, NULL), 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 128);
	assert_int_equal(td_pool_prefetch(f.pool, 399 * PAGE, PAGE + 1, NULL), -EINVAL);
	assert_int_equal(td_pool_prefetch(f.pool, 400 * PAGE, 0, NULL), 0);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_prefetch(void **state)
{
	(void)state;
	check_prefetch(PAGE);
	check_prefetch(1024);
}

static void test_prefetch_fails(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	(void)state;
	make_file(&f, 100, NULL);
	f.config.inject = "read=EIO:5";
	open_pool(&f);
	for (uint64_t i = 20; i < 28; i += 2)
		access_page(&f, i, false, 0);
	assert_int_equal(td_pool_prefetch(f.pool, 0, 10 * PAGE, &err), -EIO);
	assert_non_null(strstr(err.text, "cannot be had"));
	close_pool(&f);
	remove_file(&f);
}

/* ---- while others write ---- */

#define RACERS 4u
#define RACED 64u

/* What is known of a page: odd while it is being changed; then 4n: trimmed, 4n + 2: written. */
struct race {
	struct fixture f;
	_Atomic uint64_t changes[RACED];
	_Atomic bool ended, bad;
	_Atomic unsigned writers;
	uint64_t rounds;
};

static void change_page(struct race *r, uint64_t page, uint64_t seed)
{
	unsigned char bytes[PAGE];
	bool trimmed = atomic_load(&r->changes[page]) % 4 == 0;
	int rc;
	atomic_fetch_add(&r->changes[page], 1);
	scribble(bytes, PAGE, seed);
	rc = trimmed ? td_pool_write(r->f.pool, bytes, PAGE, page * PAGE, NULL)
		     : td_pool_clear(r->f.pool, page * PAGE, PAGE, 0, NULL);
	if (rc)
		atomic_store(&r->bad, true);
	atomic_fetch_add(&r->changes[page], 1);
}

static void race_writes(struct race *r, unsigned thread)
{
	uint64_t seed = thread + 1;
	for (uint64_t i = 0; i < r->rounds && !r->bad; i++) {
		uint64_t luck = draw(&seed), page = luck % (RACED / RACERS) * RACERS + thread;
		unsigned char byte;
		change_page(r, page, luck);
		if (luck % 64 == 1)
			td_pool_flush(r->f.pool, NULL);
		/* Another page comes in, and pushes out. */
		td_pool_read(r->f.pool, &byte, 1, draw(&seed) % r->f.pages * PAGE, NULL);
	}
	if (atomic_fetch_sub(&r->writers, 1) == 1)
		atomic_store(&r->ended, true);
}

struct answer {
	struct race *r;
	uint64_t before[RACED], holes;
};

static bool judge(void *arg, uint64_t offset, uint64_t bytes, bool is_hole)
{
	struct answer *a = arg;
	for (uint64_t page = offset / PAGE; is_hole && page < (offset + bytes) / PAGE; page++) {
		bool written = page < RACED && a->before[page] % 4 == 2;
		a->holes++;
		if (written && atomic_load(&a->r->changes[page]) == a->before[page])
			atomic_store(&a->r->bad, true);
	}
	return true;
}

static void race_looks(struct race *r)
{
	struct answer a = {.r = r};
	while (!r->ended && !r->bad) {
		for (uint64_t i = 0; i < RACED; i++)
			a.before[i] = atomic_load(&r->changes[i]);
		if (td_pool_extents(r->f.pool, 0, RACED * PAGE, judge, &a, NULL))
			atomic_store(&r->bad, true);
	}
}

static void race(void *arg, unsigned thread)
{
	if (thread < RACERS)
		race_writes(arg, thread);
	else
		race_looks(arg);
}

static void run_race(enum td_pool_dedup dedup, uint32_t block, uint64_t device)
{
	struct race *r = calloc(1, sizeof *r);
	make_sparse(&r->f, 4 * RACED);
	r->f.config.main_pages = 8;
	r->f.config.device_pages = device;
	r->f.config.batch = 4;
	r->f.config.dedup = dedup;
	r->f.config.block_bytes = block;
	r->f.config.inject = "delay=50us"; /* writes are under way for long */
	r->rounds = getenv("TIDE_LONG") ? 100000 : SANITIZED ? 500 : 2000;
	r->writers = RACERS;
	open_pool(&r->f);
	run_crew(RACERS + 2, race, r);
	assert_false(r->bad);
	close_pool(&r->f);
	remove_file(&r->f);
	free(r);
}

static void test_race(void **state)
{
	(void)state;
	run_race(TD_POOL_OFF, PAGE, 0);
	run_race(TD_POOL_OFF, PAGE, 16);
	run_race(TD_POOL_ON, PAGE, 16);
	run_race(TD_POOL_ON, 1024, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),     cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_no_seek),  cmocka_unit_test(test_memory_comes_back),
		cmocka_unit_test(test_fast),     cmocka_unit_test(test_zero_over_hole),
		cmocka_unit_test(test_prefetch), cmocka_unit_test(test_prefetch_fails),
		cmocka_unit_test(test_race),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
