/* Pins, batches, ranges of any shape, trims, asynchronous gets. */
#include "pool_help.h"

#include <sys/stat.h>

/* ---- pins ---- */

static void test_pinned_stays(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 100, NULL);
	open_pool(&f);
	struct tide_pool_pin pin = get(&f, 5, false);
	for (uint64_t i = 10; i < 100; i++)
		access_page(&f, i, false, 0);
	assert_memory_equal(pin.addr, f.shadow + 5 * PAGE, PAGE);
	struct tide_pool_pin again = get(&f, 5, false);
	assert_ptr_equal(again.addr, pin.addr);
	td_pool_put(f.pool, &again, NULL);
	td_pool_put(f.pool, &pin, NULL);
	assert_int_equal(stats_of(&f).counts.hits, 1);
	close_pool(&f);
	remove_file(&f);
}

/* All frames, those of a batch among them. */
static void test_all_pinned(void **state)
{
	struct tide_pool_pin pins[32], more;
	struct tide_error err = {0};
	struct fixture f;
	(void)state;
	make_file(&f, 100, NULL);
	open_pool(&f);
	for (uint64_t i = 0; i < 32; i++)
		pins[i] = get(&f, i, true);
	assert_int_equal(td_pool_get(f.pool, 50, TIDE_POOL_READ, &more, &err), -ENOBUFS);
	assert_non_null(strstr(err.text, "pinned"));
	td_pool_put(f.pool, &pins[0], NULL);
	access_page(&f, 50, false, 0);
	for (uint64_t i = 1; i < 32; i++)
		td_pool_put(f.pool, &pins[i], NULL);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void want_a_page(void *arg, unsigned i)
{
	struct fixture *f = arg;
	struct tide_pool_pin pin = {.size = sizeof pin};
	if (!td_pool_get(f->pool, 50 + i, TIDE_POOL_READ, &pin, NULL))
		abort();
}

/* Those who wait for a frame do so at the same time, not one after the other. */
static void test_all_pinned_for_many(void **state)
{
	struct tide_pool_pin pins[32];
	struct timespec t0, t1;
	struct fixture f;
	(void)state;
	make_file(&f, 100, NULL);
	open_pool(&f);
	for (uint64_t i = 0; i < 32; i++)
		pins[i] = get(&f, i, false);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	run_crew(8, want_a_page, &f);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	assert_true(t1.tv_sec - t0.tv_sec < 5);
	for (uint64_t i = 0; i < 32; i++)
		td_pool_put(f.pool, &pins[i], NULL);
	read_all(&f);
	close_pool(&f);
	remove_file(&f);
}

/* What is written under a pin counts when it is put, also while others have the page. */
static void check_write_pins(uint32_t block)
{
	struct fixture f;
	make_file(&f, 60, NULL);
	f.config.dedup = block == PAGE ? TD_POOL_OFF : TD_POOL_ON;
	f.config.block_bytes = block;
	open_pool(&f);
	struct tide_pool_pin one = get(&f, 2, true), two = get(&f, 2, false);
	assert_ptr_equal(one.addr, two.addr);
	memset(one.addr, 7, 100);
	memset(f.shadow + 2 * PAGE, 7, 100);
	td_pool_put(f.pool, &one, NULL);
	assert_int_equal(stats_of(&f).dirty_pages, 1);
	assert_int_equal(td_pool_write(f.pool, f.shadow, 50, 2 * PAGE + 4000, NULL), 0);
	memcpy(f.shadow + 2 * PAGE + 4000, f.shadow, 50);
	assert_memory_equal(two.addr, f.shadow + 2 * PAGE, PAGE);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	check_file(&f);
	td_pool_put(f.pool, &two, NULL);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_write_pins(void **state)
{
	(void)state;
	check_write_pins(PAGE);
	check_write_pins(512);
}

/* ---- ranges ---- */

static void check_ranges(struct fixture *f, uint64_t bytes)
{
	uint64_t seed = 9;
	unsigned char *got = malloc(bytes);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t at = draw(&seed) % bytes, n = draw(&seed) % (bytes - at + 1);
		if (i % 3)
			n = n > 9000 ? 9000 : n;
		switch (draw(&seed) % 6) {
		case 0:
			memset(f->shadow + at, 0, n);
			assert_int_equal(td_pool_clear(f->pool, at, n, 0, NULL), 0);
			break;
		case 1:
			memset(f->shadow + at, 0, n);
			assert_int_equal(td_pool_write(f->pool, NULL, n, at, NULL), 0);
			break;
		case 2:
		case 3:
			memset(f->shadow + at, (int)draw(&seed), n);
			assert_int_equal(td_pool_write(f->pool, f->shadow + at, n, at, NULL), 0);
			break;
		default:
			assert_int_equal(td_pool_read(f->pool, got, n, at, NULL), 0);
			assert_memory_equal(got, f->shadow + at, n);
		}
	}
	free(got);
}

/* A file whose last page is partial, even whose last sector is: it keeps its size. */
static void test_any_range(void **state)
{
	static const uint64_t sizes[] = {200 * PAGE, 150 * PAGE + 512, 130 * PAGE + 17, 100};
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (unsigned dedup = 0; dedup < 2; dedup++) {
			struct fixture f;
			struct stat st;
			struct tide_error err = {0};
			make_file(&f, 200, NULL);
			memset(f.shadow + sizes[i], 0, 200 * PAGE - sizes[i]);
			assert_int_equal(truncate(f.path, (off_t)sizes[i]), 0);
			f.config.dedup = dedup ? TD_POOL_ON : TD_POOL_OFF;
			f.config.block_bytes = dedup ? 1024 : PAGE;
			open_pool(&f);
			check_ranges(&f, sizes[i]);
			unsigned char byte;
			assert_int_equal(td_pool_read(f.pool, &byte, 1, sizes[i], &err), -EINVAL);
			assert_int_equal(td_pool_write(f.pool, &byte, 2, sizes[i] - 1, &err),
					 -EINVAL);
			close_pool(&f);
			assert_int_equal(stat(f.path, &st), 0);
			assert_int_equal(st.st_size, sizes[i]);
			assert_int_equal(truncate(f.path, 200 * PAGE), 0);
			check_file(&f);
			remove_file(&f);
		}
	}
}

static void test_trim_frees_space(void **state)
{
	struct fixture f;
	struct stat before, after;
	(void)state;
	make_file(&f, 400, NULL);
	stat(f.path, &before);
	open_pool(&f);
	access_page(&f, 30, true, 1);
	struct tide_pool_pin pin = get(&f, 31, false);
	memset(f.shadow + 10 * PAGE, 0, 300 * PAGE);
	assert_int_equal(td_pool_clear(f.pool, 10 * PAGE, 300 * PAGE, 0, NULL), 0);
	td_pool_put(f.pool, &pin, NULL);
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	stat(f.path, &after);
	assert_true(after.st_blocks + 100 * 8 < before.st_blocks);
	remove_file(&f);
}

/* ---- batches ---- */

/* One call for many pages is one batch; and one for one page does not wait for the epoch. */
static void test_batches(void **state)
{
	struct fixture f;
	unsigned char *got = malloc(64 * PAGE);
	(void)state;
	make_file(&f, 300, NULL);
	f.config.main_pages = 128;
	f.config.device_pages = 200;
	f.config.batch = 64;
	f.config.epoch_ns = 500000000;
	open_pool(&f);
	for (uint64_t i = 0; i < 256; i += 64)
		assert_int_equal(td_pool_read(f.pool, got, 64 * PAGE, i * PAGE, NULL), 0);
	struct tide_pool_stats s = stats_of(&f);
	assert_int_equal(s.batches, 4);
	assert_int_equal(s.batched_pages, 256);
	assert_int_equal(s.scatters, 2); /* main memory was full after two of them */
	assert_int_equal(s.scattered_bytes, 128 * PAGE);
	assert_int_equal(s.gathers, 0);
	assert_int_equal(td_pool_read(f.pool, got, 64 * PAGE, 0, NULL), 0);
	s = stats_of(&f);
	assert_int_equal(s.gathers, 1);
	assert_int_equal(s.gathered_bytes, 64 * PAGE);
	assert_int_equal(s.counts.tier2_hits, 64);
	struct timespec t0, t1;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (uint64_t i = 256; i < 300; i++)
		access_page(&f, i, false, 0);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	assert_true(t1.tv_sec - t0.tv_sec < 10); /* 44 epochs are 22 s */
	close_pool(&f);
	remove_file(&f);
	free(got);
}

/* ---- asynchronous gets ---- */

#define GETS 200

struct gets {
	struct fixture f;
	_Atomic unsigned done, bad;
};

static void count(void *arg, struct tide_pool_pin *pin, int result)
{
	struct gets *g = arg;
	if (result || memcmp(pin->addr, g->f.shadow + pin->page * PAGE, PAGE))
		g->bad++;
	if (!result)
		td_pool_put(g->f.pool, pin, NULL);
	g->done++;
}

static void test_async(void **state)
{
	struct gets g = {0};
	(void)state;
	make_file(&g.f, GETS, NULL);
	g.f.config.epoch_ns = 2000000;
	open_pool(&g.f);
	for (uint64_t i = 0; i < GETS; i++)
		assert_int_equal(td_pool_get_async(g.f.pool, i, TIDE_POOL_READ, count, &g, NULL),
				 0);
	struct tide_pool_pin pin = {.size = sizeof pin};
	assert_int_equal(td_pool_get_async(g.f.pool, GETS, TIDE_POOL_READ, count, &g, NULL),
			 -EINVAL);
	assert_int_equal(td_pool_get(g.f.pool, 3, TIDE_POOL_READ, &pin, NULL), 0);
	td_pool_put(g.f.pool, &pin, NULL);
	while (g.done < GETS)
		usleep(1000);
	assert_int_equal(g.bad, 0);
	assert_true(stats_of(&g.f).batches < GETS / 4);
	for (uint64_t i = 0; i < GETS; i++) /* and closing waits */
		assert_int_equal(td_pool_get_async(g.f.pool, i, TIDE_POOL_READ, count, &g, NULL),
				 0);
	assert_int_equal(td_pool_close(g.f.pool, NULL), 0);
	assert_int_equal(g.done, 2 * GETS);
	assert_int_equal(g.bad, 0);
	remove_file(&g.f);
}

static void test_read_only(void **state)
{
	struct fixture f;
	struct tide_pool_pin pin = {.size = sizeof pin};
	struct tide_error err = {0};
	(void)state;
	make_file(&f, 20, NULL);
	chmod(f.path, 0400);
	f.config.read_only = true;
	open_pool(&f);
	read_all(&f);
	assert_int_equal(td_pool_get(f.pool, 1, TIDE_POOL_WRITE, &pin, &err), -EROFS);
	assert_int_equal(td_pool_write(f.pool, "x", 1, 0, &err), -EROFS);
	assert_int_equal(td_pool_clear(f.pool, 0, PAGE, 0, &err), -EROFS);
	assert_int_equal(td_pool_get(f.pool, 20, TIDE_POOL_READ, &pin, &err), -EINVAL);
	close_pool(&f);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pinned_stays),
		cmocka_unit_test(test_all_pinned),
		cmocka_unit_test(test_all_pinned_for_many),
		cmocka_unit_test(test_write_pins),
		cmocka_unit_test(test_any_range),
		cmocka_unit_test(test_trim_frees_space),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_async),
		cmocka_unit_test(test_read_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
