#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tide/event.h"
#include "workload/zipf.h"

#define DRAWS 400000

/* Sum of (seen - expected)^2 / expected, in standard deviations above its mean. The draws
 * are of the law z, the expectation of that skew. */
static double misfit(const struct td_workload_zipf *z, uint64_t n, double skew, uint64_t seed)
{
	uint64_t *ranks = malloc(DRAWS * sizeof *ranks);
	double *seen = calloc(n, sizeof *seen);
	double total = 0, chi = 0;

	assert_non_null(ranks);
	assert_non_null(seen);
	td_workload_zipf_draw(z, &seed, ranks, DRAWS);
	for (size_t i = 0; i < DRAWS; i++) {
		assert_true(ranks[i] < n);
		seen[ranks[i]]++;
	}
	for (uint64_t r = 0; r < n; r++)
		total += pow((double)(r + 1), -skew);
	for (uint64_t r = 0; r < n; r++) {
		double expected = DRAWS * pow((double)(r + 1), -skew) / total;
		chi += (seen[r] - expected) * (seen[r] - expected) / expected;
	}
	free(ranks);
	free(seen);
	return (chi - (double)(n - 1)) / sqrt(2 * (double)(n - 1));
}

static void draws_follow_the_law(void **state)
{
	/* Up to 64 ranks each cell is one rank; of 3,000, most lie in cells of many. */
	static const uint64_t sizes[] = {2, 7, 50, 64, 300, 3000};
	static const double skews[] = {0, 0.3, 0.8, 1, 1.3};
	struct td_workload_zipf *z = malloc(sizeof *z);

	(void)state;
	assert_non_null(z);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t j = 0; j < sizeof skews / sizeof *skews; j++) {
			td_workload_zipf_make(z, sizes[i], skews[j]);
			assert_true(misfit(z, sizes[i], skews[j], i * 10 + j) < 4.5);
		}
	free(z);
}

static void the_check_would_see_another_law(void **state)
{
	struct td_workload_zipf *z = malloc(sizeof *z);

	(void)state;
	assert_non_null(z);
	td_workload_zipf_make(z, 300, 0.8);
	assert_true(misfit(z, 300, 0.83, 1) > 6);
	assert_true(misfit(z, 300, 0.77, 1) > 6);
	free(z);
}

/* Where ranks are too many to count one by one: the share below some of them, beside
 * the integral (Euler and Maclaurin's first terms are plenty here). */
static double sum_to(double n, double skew)
{
	double area = skew == 1 ? log(n) : (pow(n, 1 - skew) - 1) / (1 - skew);

	return area + (1 + pow(n, -skew)) / 2 + skew * (1 - pow(n, -skew - 1)) / 12;
}

static void many_ranks_follow_it_too(void **state)
{
	static const double skews[] = {0.5, 0.8, 1, 1.1};
	static const double limits[] = {1e3, 1e5, 1e7, 1e8, 5e8};
	const uint64_t n = 1000000000;
	struct td_workload_zipf *z = malloc(sizeof *z);
	uint64_t *ranks = malloc(DRAWS * sizeof *ranks);

	(void)state;
	assert_non_null(z);
	assert_non_null(ranks);
	for (size_t i = 0; i < 4; i++) {
		uint64_t random = i;
		td_workload_zipf_make(z, n, skews[i]);
		td_workload_zipf_draw(z, &random, ranks, DRAWS);
		for (size_t j = 0; j < 5; j++) {
			double share = sum_to(limits[j], skews[i]) / sum_to((double)n, skews[i]);
			double below = 0;
			for (size_t k = 0; k < DRAWS; k++)
				below += (double)ranks[k] < limits[j];
			assert_true(fabs(below - DRAWS * share) <
				    4.5 * sqrt(DRAWS * share * (1 - share)));
		}
	}
	free(z);
	free(ranks);
}

static bool in_lower_half(const struct td_workload_zipf *z, uint64_t rank)
{
	const struct td_workload_cell *cell = z->cells;

	while (rank - cell->first >= cell->count)
		cell++;
	return (rank - cell->first) * 2 < cell->count;
}

/* Within a cell the law falls by a thirty-second, which the checks above would hardly see. */
static void cells_are_not_flat(void **state)
{
	const uint64_t n = 20000;
	struct td_workload_zipf *z = malloc(sizeof *z);
	uint64_t *ranks = malloc(DRAWS * sizeof *ranks), random = 1;
	double total = 0, lower = 0, seen = 0, draws = 5 * DRAWS;

	(void)state;
	assert_non_null(z);
	assert_non_null(ranks);
	td_workload_zipf_make(z, n, 1);
	for (uint64_t r = 0; r < n; r++) {
		total += 1 / (double)(r + 1);
		lower += in_lower_half(z, r) / (double)(r + 1);
	}
	for (int i = 0; i < 5; i++) {
		td_workload_zipf_draw(z, &random, ranks, DRAWS);
		for (size_t k = 0; k < DRAWS; k++)
			seen += in_lower_half(z, ranks[k]);
	}
	lower /= total;
	assert_true(fabs(seen - draws * lower) < 4 * sqrt(draws * lower * (1 - lower)));
	free(z);
	free(ranks);
}

static void extremes_hold(void **state)
{
	struct td_workload_zipf *z = malloc(sizeof *z);
	uint64_t random = 1, ranks[1000];

	(void)state;
	assert_non_null(z);
	td_workload_zipf_make(z, 1, 0.8);
	td_workload_zipf_draw(z, &random, ranks, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(ranks[i], 0);
	td_workload_zipf_make(z, UINT64_C(1) << 48, 100);
	assert_true(z->n_cells <= TD_WORKLOAD_CELLS);
	td_workload_zipf_draw(z, &random, ranks, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(ranks[i], 0);
	td_workload_zipf_make(z, UINT64_C(1) << 48, 0);
	td_workload_zipf_draw(z, &random, ranks, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_true(ranks[i] < UINT64_C(1) << 48);
	free(z);
}

/* Numbers fixed once: another machine, compiler or level of optimization draws no others. */
static void draws_are_the_same_everywhere(void **state)
{
	static const struct {
		double skew;
		uint64_t hash;
	} cases[] = {
		{0, UINT64_C(0xa6f85fbf9e4d578b)},
		{0.8, UINT64_C(0x52cd5e60ec942c2b)},
		{1, UINT64_C(0x8f3999c0e662ac50)},
		{1.3, UINT64_C(0xa028294da6884899)},
	};
	struct td_workload_zipf *z = malloc(sizeof *z);
	uint64_t *ranks = malloc(DRAWS * sizeof *ranks);

	(void)state;
	assert_non_null(z);
	assert_non_null(ranks);
	for (size_t i = 0; i < 4; i++) {
		uint64_t random = 1, hash = 0;
		td_workload_zipf_make(z, 1000000, cases[i].skew);
		td_workload_zipf_draw(z, &random, ranks, DRAWS);
		for (size_t k = 0; k < DRAWS; k++)
			hash = tide_hash64(hash + ranks[k]);
		assert_int_equal(hash, cases[i].hash);
	}
	free(z);
	free(ranks);
}

static void scattering_permutes(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 4, 5, 8, 63, 64, 65, 1000, 65536, 65537};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint64_t n = sizes[i], *numbers = malloc(n * sizeof *numbers), moved = 0;
		unsigned char *seen = calloc(n, 1);
		struct td_workload_scatter s;

		assert_non_null(numbers);
		assert_non_null(seen);
		td_workload_scatter_make(&s, n, 7);
		td_workload_scatter_pin(&s, n / 2, n - 1);
		for (uint64_t x = 0; x < n; x++)
			numbers[x] = x;
		td_workload_scatter_map(&s, 100, numbers, n);
		assert_int_equal(numbers[n / 2], 100 + n - 1);
		for (uint64_t x = 0; x < n; x++) {
			assert_true(numbers[x] >= 100 && numbers[x] < 100 + n);
			assert_int_equal(seen[numbers[x] - 100]++, 0);
			moved += numbers[x] != 100 + x;
		}
		if (n >= 1000)
			assert_true(moved > n * 9 / 10);
		free(numbers);
		free(seen);
	}
}

/* The hot ranks must not lie together, nor at one distance: of the 1,000 hottest, as many are
 * neighbours in 1,000 runs of pages as chance has it. */
static void scattering_looks_random(void **state)
{
	uint64_t numbers[1000];
	unsigned in_run[1000] = {0}, empty = 0;
	struct td_workload_scatter s;

	(void)state;
	td_workload_scatter_make(&s, 1000000, 3);
	for (uint64_t x = 0; x < 1000; x++)
		numbers[x] = x;
	td_workload_scatter_map(&s, 0, numbers, 1000);
	for (size_t i = 0; i < 1000; i++)
		in_run[numbers[i] / 1000]++;
	for (size_t i = 0; i < 1000; i++)
		empty += in_run[i] == 0;
	/* 368 expected, standard deviation 10. */
	assert_in_range(empty, 320, 416);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_follow_the_law),
		cmocka_unit_test(the_check_would_see_another_law),
		cmocka_unit_test(many_ranks_follow_it_too),
		cmocka_unit_test(cells_are_not_flat),
		cmocka_unit_test(extremes_hold),
		cmocka_unit_test(draws_are_the_same_everywhere),
		cmocka_unit_test(scattering_permutes),
		cmocka_unit_test(scattering_looks_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
