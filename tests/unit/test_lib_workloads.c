/* What is said of the workloads without running them is what they come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tide/tide.h"

/* The rest takes seconds to minutes each: bench/workloads.sh holds those to the truth. */
#define QUICK_ACCESSES 22000000

static bool is_slow(const struct tide_workload_info *w)
{
	/* Few accesses for the time they take: graphs are made first, waves are wide. */
	static const char *const slow[] = {"gmt-bfs", "pagerank", "sssp", "an",
					   "sn",      "spm",      "sr2",  "srk"};

	for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
		if (strcmp(slow[i], w->name) == 0)
			return true;
	return w->accesses > QUICK_ACCESSES;
}

static bool is_pattern(const struct tide_workload_info *w)
{
	return strcmp(w->paper, "pattern") == 0;
}

static unsigned say(const struct tide_workload_info *w, uint64_t bytes, uint64_t accesses,
		    size_t arrays)
{
	print_error("%s: %" PRIu64 " bytes (published %" PRIu64 "), %" PRIu64
		    " accesses, %zu arrays\n",
		    w->name, bytes, w->published_bytes, accesses, arrays);
	return 1;
}

static void all_applications_are_there(void **state)
{
	struct tide_workload_info w = {.size = sizeof w};
	unsigned cppe = 0, observuvm = 0, gmt = 0;

	(void)state;
	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++) {
		cppe += strcmp(w.paper, "CPPE") == 0;
		observuvm += strcmp(w.paper, "ObservUVM") == 0;
		gmt += strcmp(w.paper, "GMT") == 0;
	}
	assert_int_equal(cppe, 23);
	assert_int_equal(observuvm, 14);
	assert_int_equal(gmt, 9);
}

static void figures_are_near_the_published_ones(void **state)
{
	struct tide_workload_info w = {.size = sizeof w};
	unsigned bad = 0;

	(void)state;
	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++) {
		if (is_pattern(&w))
			continue;
		double off = w.published_bytes
				     ? (double)w.footprint_bytes / (double)w.published_bytes - 1
				     : 0;
		if (!w.footprint_bytes || !w.accesses || !w.arrays || fabs(off) > .02)
			bad += say(&w, w.footprint_bytes, w.accesses, w.arrays);
		assert_int_equal(w.page_bytes, strcmp(w.paper, "CPPE") ? 65536 : 4096);
		/* Only ObservUVM's figures are more than what is touched. */
		assert_true(w.touched_bytes && w.touched_bytes <= w.footprint_bytes);
		assert_true(w.touched_bytes == w.footprint_bytes || !strcmp(w.paper, "ObservUVM"));
	}
	assert_int_equal(bad, 0);
}

static void figures_are_true(void **state)
{
	struct tide_workload_info w = {.size = sizeof w};
	struct tide_workload_measured m = {.size = sizeof m};
	struct tide_workload_shape *shape;
	unsigned bad = 0;

	(void)state;
	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++) {
		if (is_slow(&w) || !w.accesses)
			continue;
		assert_int_equal(tide_workload_measure(&m, w.name, NULL, NULL, NULL, NULL, NULL),
				 0);
		assert_int_equal(tide_workload_describe(&shape, w.name, NULL, NULL), 0);
		if (m.footprint_bytes != w.footprint_bytes || m.touched_bytes != w.touched_bytes ||
		    m.accesses != w.accesses || shape->arrays != w.arrays)
			bad += say(&w, m.footprint_bytes, m.accesses, shape->arrays);
		tide_workload_free(shape);
	}
	assert_int_equal(bad, 0);
}

/* ---- arrays and kernels ---- */

static void arrays_follow_each_other(void **state)
{
	struct tide_workload_shape *s;

	(void)state;
	assert_int_equal(tide_workload_describe(&s, "mvt:scale=0.0625", NULL, NULL), 0);
	assert_int_equal(s->arrays, 5);
	assert_string_equal(s->array[0].name, "A");
	assert_int_equal(s->array[0].bytes, 1024 * 1024 * 4);
	assert_string_equal(s->array[4].name, "y2");
	assert_int_equal(s->array[4].base, 1024 * 1024 * 4 + 3 * 65536);
	assert_false(s->wave || s->more);
	assert_true(s->regular);
	tide_workload_free(s);
}

static void launches_are_summed_up_by_kernel(void **state)
{
	struct tide_workload_shape *s;

	(void)state;
	assert_int_equal(tide_workload_describe(&s, "nw", NULL, NULL), 0);
	assert_int_equal(s->launches, 255);
	assert_int_equal(s->kernels, 2);
	assert_int_equal(s->kernel[0].launches, 128);
	assert_int_equal(s->kernel[0].grid_x[0], 1);
	assert_int_equal(s->kernel[0].grid_x[1], 128);
	assert_int_equal(s->kernel[1].grid_x[1], 127);
	assert_int_equal(s->kernel[1].block_x[0], 16);
	tide_workload_free(s);
}

static void launches_that_hang_on_data_are_not_counted(void **state)
{
	struct tide_workload_shape *s;

	(void)state;
	assert_int_equal(tide_workload_describe(&s, "pagerank:s=6,iters=0", NULL, NULL), 0);
	assert_true(s->more);
	assert_int_equal(s->kernels, 1);
	tide_workload_free(s);
	assert_int_equal(tide_workload_describe(&s, "bfs:scale=0.001", NULL, NULL), 0);
	assert_true(s->more && !s->regular);
	assert_int_equal(s->kernels, 2);
	tide_workload_free(s);
}

static void patterns_have_neither(void **state)
{
	struct tide_workload_shape *s;

	(void)state;
	assert_int_equal(tide_workload_describe(&s, "zipf:pages=10", NULL, NULL), 0);
	assert_int_equal(s->arrays + s->kernels, 0);
	tide_workload_free(s);
	tide_workload_free(NULL);
}

static void what_is_wrong_is_said(void **state)
{
	struct tide_workload_shape *s;
	struct tide_workload_measured m = {.size = sizeof m};
	struct tide_error err;

	(void)state;
	assert_int_equal(tide_workload_describe(&s, "mvt:scale=0", NULL, &err), -EINVAL);
	assert_int_equal(tide_workload_describe(&s, "mtv", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "did you mean mvt"));
	assert_int_equal(tide_workload_measure(&m, "mvt", "x", NULL, NULL, NULL, &err), -EINVAL);
	assert_int_equal(tide_workload_measure(&m, "mvt", NULL, "x", NULL, NULL, &err), -EINVAL);
}

/* ---- measuring ---- */

static void tell(void *arg, uint64_t done, uint64_t total)
{
	uint64_t *last = arg;

	assert_true(done > *last && total == 0);
	*last = done;
}

static void a_page_of_another_size_changes_the_figures(void **state)
{
	struct tide_workload_measured m = {.size = sizeof m};
	uint64_t last = 0;

	(void)state;
	assert_int_equal(tide_workload_measure(&m, "mvt:scale=0.25", "64K", "1", tell, &last, NULL),
			 0);
	assert_int_equal(m.footprint_bytes, (2048 * 2048 * 4) + 4 * 65536);
	assert_true(last > 0 && last <= m.accesses);
}

static void footprints_are_what_the_paper_counts(void **state)
{
	struct tide_workload_measured m = {.size = sizeof m};

	(void)state;
	/* n = 2048, a column is two pages: A, and of C all first and half of the second. */
	assert_int_equal(
		tide_workload_measure(&m, "srk:scale=0.003265", "4K", NULL, NULL, NULL, NULL), 0);
	assert_int_equal(m.allocated_bytes, 2 * 4096 * 4096);
	assert_int_equal(m.touched_bytes, (4096 + 2048 + 1024) * 4096);
	assert_int_equal(m.footprint_bytes, m.allocated_bytes);
	/* n = 64, planes of 4 pages: the first and the last of the output are left out. */
	assert_int_equal(
		tide_workload_measure(&m, "3dc:scale=0.015625", NULL, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(m.allocated_bytes, 2 * 64 * 4 * 4096);
	assert_int_equal(m.touched_bytes, m.allocated_bytes - 2 * 4 * 4096);
	assert_int_equal(m.footprint_bytes, m.touched_bytes);
	/* Four vectors that lie 64 KiB apart share a page. */
	assert_int_equal(
		tide_workload_measure(&m, "mvt:scale=0.0625", "1M", NULL, NULL, NULL, NULL), 0);
	assert_int_equal(m.allocated_bytes, 5 << 20);
	assert_int_equal(tide_workload_measure(&m, "cyclic:pages=10", NULL, NULL, NULL, NULL, NULL),
			 0);
	assert_int_equal(m.footprint_bytes, 10 * 4096);
	assert_int_equal(m.allocated_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_applications_are_there),
		cmocka_unit_test(figures_are_near_the_published_ones),
		cmocka_unit_test(figures_are_true),
		cmocka_unit_test(arrays_follow_each_other),
		cmocka_unit_test(launches_are_summed_up_by_kernel),
		cmocka_unit_test(launches_that_hang_on_data_are_not_counted),
		cmocka_unit_test(patterns_have_neither),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(a_page_of_another_size_changes_the_figures),
		cmocka_unit_test(footprints_are_what_the_paper_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
