/* Compressed memory against a shadow, by several threads; the limit; damage. */
#include "tiers_help.h"

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>

#include "tiers/inside.h"

/* The contents of a page follow from its number and version: one word, noise, or something
 * between. */
static void make_page(void *data, uint32_t bytes, uint64_t page, uint32_t version)
{
	uint64_t seed = page << 20 ^ version, kind = draw(&seed) % 8;
	uint64_t noise = draw(&seed) % bytes / 8 * 8;
	memset(data, 0, bytes);
	if (kind == 0)
		noise = bytes;
	if (kind == 1) {
		for (uint32_t i = 0; i < bytes / 8; i++)
			((uint64_t *)data)[i] = seed;
		return;
	}
	scribble(data, noise, seed);
	((uint64_t *)data)[bytes / 8 - 1] = page;
}

static struct td_store *open_store(enum td_store_codec codec, uint32_t page_bytes, uint64_t limit)
{
	struct td_store *s;
	struct tide_error err = {0};
	int rc = td_store_open(&s, codec, page_bytes, limit, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	return s;
}

static struct td_store_use use_of(const struct td_store *s)
{
	struct td_store_use use;
	td_store_use(s, &use);
	return use;
}

/* ---- several threads against a shadow ---- */

#define THREADS 4
#define PAGES 4096u

struct many {
	struct td_store *s;
	uint32_t page_bytes, pages, steps;
	uint32_t version[PAGES]; /* 0: not there */
	_Atomic unsigned bad, full, stored;
};

static void check_page(struct many *m, uint64_t page, unsigned char *got, unsigned char *want)
{
	int rc = td_store_get(m->s, page * 977, got);
	if (!m->version[page]) {
		m->bad += rc != -ENOENT;
		return;
	}
	make_page(want, m->page_bytes, page, m->version[page]);
	m->bad += rc != 0 || memcmp(got, want, m->page_bytes) != 0;
}

static void put_page(struct many *m, uint64_t page, uint32_t version, unsigned char *data)
{
	make_page(data, m->page_bytes, page, version);
	int rc = td_store_put(m->s, page * 977, data);
	m->bad += rc && rc != -ENOSPC;
	m->full += rc == -ENOSPC;
	if (!rc)
		m->version[page] = version;
}

static void work(void *arg, unsigned thread)
{
	struct many *m = arg;
	unsigned char *a = malloc(m->page_bytes), *b = malloc(m->page_bytes);
	uint64_t seed = thread + 1;
	for (uint32_t i = 1; a && b && i <= m->steps; i++) {
		uint64_t page = draw(&seed) % (m->pages / THREADS) * THREADS + thread;
		uint64_t what = draw(&seed) % 16;
		if (what < 7) {
			put_page(m, page, i, a);
		} else if (what < 14) {
			check_page(m, page, a, b);
		} else {
			td_store_drop(m->s, page * 977);
			m->version[page] = 0;
		}
	}
	for (uint64_t page = thread; a && b && page < m->pages; page += THREADS) {
		check_page(m, page, a, b);
		m->stored += m->version[page] != 0;
	}
	free(a);
	free(b);
}

static void run_many(enum td_store_codec codec, uint32_t page_bytes, uint32_t pages, uint64_t limit,
		     bool full)
{
	static struct many m;
	m = (struct many){
		.page_bytes = page_bytes, .pages = pages, .steps = pages * (SANITIZED ? 4 : 8)};
	m.s = open_store(codec, page_bytes, limit);
	run_crew(THREADS, work, &m);
	struct td_store_use use = use_of(m.s);
	assert_int_equal(m.bad, 0);
	assert_int_equal(m.full > 0, full);
	assert_int_equal(use.pages, m.stored);
	assert_true(use.memory_bytes <= limit && use.stored_bytes < use.memory_bytes);
	td_store_close(m.s);
}

static void test_shadow(void **state)
{
	(void)state;
	for (enum td_store_codec codec = TD_STORE_LZ4; codec <= TD_STORE_ZSTD; codec++) {
		run_many(codec, 4096, PAGES, 64 << 20, false);
		run_many(codec, 4096, PAGES, 5 << 20, true);
		run_many(codec, 16384, PAGES / 4, 6 << 20, true);
		run_many(codec, 65536, PAGES / 16, 64 << 20, false);
	}
}

/* ---- the limit ---- */

/* Pages that compress to about `noise` bytes, until there is no room: how many. */
static uint64_t fill(struct td_store *s, uint32_t page_bytes, uint64_t noise, uint64_t max)
{
	unsigned char *data = take_blocks(page_bytes);
	uint64_t n = 0;
	int rc = 0;
	while (n < max && !rc) {
		scribble(data, noise, n + 1);
		rc = td_store_put(s, n, data);
		n += !rc;
	}
	assert_true(!rc || rc == -ENOSPC);
	free(data);
	return n;
}

static void check_filled(struct td_store *s, uint32_t page_bytes, uint64_t noise, uint64_t n)
{
	unsigned char *want = take_blocks(page_bytes), *got = take_blocks(page_bytes);
	for (uint64_t i = 0; i < n; i++) {
		scribble(want, noise, i + 1);
		assert_int_equal(td_store_get(s, i, got), 0);
		assert_memory_equal(want, got, page_bytes);
	}
	free(want);
	free(got);
}

static void drop_all(struct td_store *s, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		td_store_drop(s, i);
}

#define LIMIT ((uint64_t)16 << 20)

/* What the system says of the memory of the slabs. */
static uint64_t count_resident_bytes(const struct td_store *s)
{
	static unsigned char there[LIMIT / 4096];
	size_t bytes = (size_t)s->slabs.slabs_max * s->slabs.slab_bytes;
	uint64_t n = 0;
	assert_true(bytes <= LIMIT);
	assert_int_equal(mincore(s->slabs.at, bytes, there), 0);
	for (size_t i = 0; i < bytes / 4096; i++)
		n += there[i] & 1;
	return n * 4096;
}

static void test_limit(void **state)
{
	(void)state;
	for (enum td_store_codec codec = TD_STORE_LZ4; codec <= TD_STORE_ZSTD; codec++) {
		struct td_store *s = open_store(codec, 4096, LIMIT);
		unsigned char *data = take_blocks(4096);
		uint64_t fixed = use_of(s).memory_bytes;
		uint64_t n = fill(s, 4096, 1000, UINT64_MAX);
		assert_true(use_of(s).memory_bytes <= LIMIT);
		assert_true(count_resident_bytes(s) <= LIMIT - fixed);
		assert_true(n * 1000 > LIMIT * 8 / 10);
		check_filled(s, 4096, 1000, n);
		/* One that is there stays as it was where its new contents do not fit. */
		scribble(data, 4096, 99);
		assert_int_equal(td_store_put(s, 5, data), -ENOSPC);
		check_filled(s, 4096, 1000, n);
		assert_int_equal(use_of(s).pages, n);
		/* What is dropped can be used again, by any size. */
		drop_all(s, n);
		drop_all(s, n);
		assert_int_equal(use_of(s).pages, 0);
		assert_int_equal(use_of(s).stored_bytes, 0);
		assert_true(use_of(s).memory_bytes - fixed <= LIMIT / 10);
		assert_true(count_resident_bytes(s) <= LIMIT / 10);
		assert_true(fill(s, 4096, 4096, UINT64_MAX) * 4096 > LIMIT * 8 / 10);
		drop_all(s, LIMIT / 4096);
		assert_true(fill(s, 4096, 1000, UINT64_MAX) >= n * 99 / 100);
		free(data);
		td_store_close(s);
	}
}

/* A page of one word has no room but its entry's, and the table shrinks again. */
static void test_words(void **state)
{
	const uint64_t n = SANITIZED ? 50000 : 200000;
	(void)state;
	struct td_store *s = open_store(TD_STORE_LZ4, 4096, LIMIT);
	uint64_t fixed = use_of(s).memory_bytes, page[512];
	for (uint64_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 512; k++)
			page[k] = i;
		assert_int_equal(td_store_put(s, i << 9, page), 0);
	}
	assert_int_equal(use_of(s).stored_bytes, 0);
	assert_true(use_of(s).memory_bytes - fixed < n * 48);
	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(td_store_get(s, i << 9, page), 0);
		assert_true(page[0] == i && page[511] == i);
		td_store_drop(s, i << 9);
	}
	assert_true(use_of(s).memory_bytes - fixed <= 16 * 4096);
	for (uint64_t i = 0; i < 512; i++)
		page[i] = 0;
	page[511] = 1; /* almost */
	assert_int_equal(td_store_put(s, 1, page), 0);
	assert_true(use_of(s).stored_bytes > 0);
	td_store_close(s);
}

/* Words alone fill the limit, too. Then there is no entry to be had for a page that has a place. */
static void test_limit_of_words(void **state)
{
	(void)state;
	struct td_store *s = open_store(TD_STORE_LZ4, 4096, 1 << 20);
	uint64_t page[512] = {0}, data[512] = {0}, n = 0;
	scribble(data, 500, 1);
	assert_int_equal(td_store_put(s, UINT32_MAX, data), 0);
	while (n < 1000000 && td_store_put(s, n, page) == 0)
		n++;
	assert_true(n > 10000 && n < 1000000);
	struct td_store_use before = use_of(s), after;
	assert_true(before.memory_bytes <= 1 << 20);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(td_store_put(s, n, data), -ENOSPC);
	after = use_of(s);
	assert_memory_equal(&before, &after, sizeof before);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(td_store_get(s, i, page), 0);
	assert_int_equal(td_store_get(s, n, page), -ENOENT);
	assert_int_equal(td_store_put(s, n - 1, page), 0);
	assert_int_equal(td_store_put(s, n - 2, data), 0); /* its entry is there */
	td_store_close(s);
}

/* What is lost between the bytes of pages of random sizes and the memory they take. */
static double waste_of(struct td_store *s, uint64_t fixed)
{
	struct td_store_use use = use_of(s);
	return (double)(use.memory_bytes - fixed) / (double)use.stored_bytes - 1;
}

static void check_waste(uint32_t page_bytes, uint64_t pages, unsigned rounds, double most)
{
	struct td_store *s = open_store(TD_STORE_LZ4, page_bytes, (uint64_t)1 << 30);
	unsigned char *data = take_blocks(page_bytes);
	uint64_t seed = 1, fixed = use_of(s).memory_bytes;
	int rc = 0;
	for (uint64_t i = 0; i < pages * rounds && !rc; i++) {
		memset(data, 0, page_bytes);
		scribble(data, draw(&seed) % page_bytes, i);
		rc = td_store_put(s, i < pages ? i : draw(&seed) % pages, data);
	}
	double waste = waste_of(s, fixed);
	free(data);
	td_store_close(s);
	assert_int_equal(rc, 0);
	if (waste > most)
		fail_msg("%.1f%% of %u bytes", waste * 100, page_bytes);
}

static void test_waste(void **state)
{
	(void)state;
	check_waste(4096, 20000, 1, 0.10);
	check_waste(4096, 20000, 3, 0.15);
	check_waste(65536, 4000, 1, 0.15);
	check_waste(65536, 4000, 2, 0.20);
}

/* ---- damage ---- */

static void damage(struct td_store *s, uint64_t page, uint32_t at)
{
	struct td_entry e;
	assert_true(td_table_get(&s->table, page, &e));
	((unsigned char *)td_slabs_at(&s->slabs, e.u.data.place))[at] ^= 0x10;
}

static void test_damage(void **state)
{
	static const uint64_t noise[] = {64, 1500, 4096};
	(void)state;
	for (enum td_store_codec codec = TD_STORE_LZ4; codec <= TD_STORE_ZSTD; codec++) {
		struct td_store *s = open_store(codec, 4096, LIMIT);
		unsigned char *data = take_blocks(4096), *got = take_blocks(4096);
		for (unsigned i = 0; i < 3; i++) {
			memset(data, 0, 4096);
			scribble(data, noise[i], i);
			assert_int_equal(td_store_put(s, i, data), 0);
			for (uint32_t at = 0; at < noise[i]; at += 7) {
				damage(s, i, at);
				assert_int_equal(td_store_get(s, i, got), -EIO);
				damage(s, i, at);
			}
			assert_int_equal(td_store_get(s, i, got), 0);
			assert_memory_equal(data, got, 4096);
		}
		free(data);
		free(got);
		td_store_close(s);
	}
}

/* ---- manners ---- */

/* A signal handler must not meet the allocator. */
static void test_allocates_nothing(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	for (enum td_store_codec codec = TD_STORE_LZ4; codec <= TD_STORE_ZSTD; codec++) {
		struct td_store *s = open_store(codec, 4096, LIMIT);
		unsigned char *data = take_blocks(4096);
		struct mallinfo2 before = mallinfo2();
		for (uint64_t i = 0; i < 20000; i++) {
			make_page(data, 4096, i, 1);
			(void)td_store_put(s, i, data);
			(void)td_store_get(s, i, data);
			if (i % 3)
				td_store_drop(s, i);
		}
		struct mallinfo2 after = mallinfo2();
		assert_int_equal(before.uordblks, after.uordblks);
		assert_int_equal(before.hblkhd, after.hblkhd);
		free(data);
		td_store_close(s);
	}
}

static void test_refused(void **state)
{
	(void)state;
	struct td_store *s;
	struct tide_error err;
	static const uint32_t pages[] = {0, 512, 5000, 131072};
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(td_store_open(&s, TD_STORE_LZ4, pages[i], LIMIT, &err), -EINVAL);
	static const uint64_t limits[] = {0, 4096, 65536};
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(td_store_open(&s, TD_STORE_ZSTD, 4096, limits[i], &err), -EINVAL);
		assert_null(s);
	}
	s = open_store(TD_STORE_ZSTD, 4096, UINT64_MAX); /* as much as there is */
	unsigned char *data = take_blocks(4096);
	assert_int_equal(td_store_put(s, (uint64_t)1 << 48, data), -ENOSPC);
	assert_int_equal(td_store_get(s, (uint64_t)1 << 48, data), -ENOENT);
	td_store_drop(s, (uint64_t)1 << 48);
	assert_int_equal(td_store_put(s, ((uint64_t)1 << 48) - 1, data), 0);
	assert_int_equal(td_store_get(s, ((uint64_t)1 << 48) - 1, data), 0);
	free(data);
	td_store_close(s);
	td_store_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shadow),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_limit_of_words),
		cmocka_unit_test(test_waste),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_allocates_nothing),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
