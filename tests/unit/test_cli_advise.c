/* tide advise: knees, savings and verdicts, from numbers alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/advise/advise.h"

#define ALL ((1u << TD_ADVISE_PARTS) - 1)

static void test_knees(void **state)
{
	/* Steep to 20, flat to 80, steep to 100. The last stretch lies above the hull. */
	static const struct td_advise_point curve[] = {
		{10, 0.9}, {20, 0.4}, {40, 0.39}, {80, 0.37}, {100, 0.2}};
	static const struct td_advise_point line[] = {{10, 0.9}, {20, 0.8}, {30, 0.7}};
	static const struct td_advise_point flat[] = {{10, 0.5}, {20, 0.5}, {40, 0.5}};
	uint64_t knees[4];
	(void)state;
	assert_int_equal(td_advise_knees(curve, 5, knees, 4), 2);
	assert_int_equal(knees[0], 20);
	assert_int_equal(knees[1], 100);
	assert_int_equal(td_advise_knees(curve, 5, knees, 1), 1);
	assert_int_equal(td_advise_knees(line, 3, knees, 4), 1);
	assert_int_equal(knees[0], 30);
	assert_int_equal(td_advise_knees(flat, 3, knees, 4), 0);
	assert_int_equal(td_advise_knees(line, 1, knees, 4), 0);
}

static void fill(struct td_advise_run *run, uint64_t even, uint64_t odd)
{
	for (unsigned i = 0; i < TD_ADVISE_PARTS; i++)
		run->misses[i] = i % 2 ? odd : even;
}

static void test_saving(void **state)
{
	struct td_advise_run now = {0}, better = {0};
	struct td_advise_saving s;
	(void)state;
	fill(&now, 100, 200);
	fill(&better, 80, 160);
	s = td_advise_saving(&now, &better, ALL);
	assert_float_equal(s.share, 0.2, 1e-9);
	assert_float_equal(s.error, 0, 1e-6);
	fill(&better, 0, 200);
	s = td_advise_saving(&now, &better, ALL);
	assert_float_equal(s.share, 1.0 / 3, 1e-9);
	assert_true(s.error > 0.3);
	s = td_advise_saving(&now, &better, 1); /* one part says nothing of the others */
	assert_float_equal(s.error, 1, 0);
}

static void test_best(void **state)
{
	struct td_advise_run runs[3] = {0};
	(void)state;
	fill(&runs[0], 10, 30);
	fill(&runs[1], 20, 5);
	fill(&runs[2], 0, 0);
	runs[2].rc = -1; /* it did not run */
	assert_int_equal(td_advise_best(runs, 3, 0x155), 0);
	assert_int_equal(td_advise_best(runs, 3, 0x2aa), 1);
	runs[0].rc = runs[1].rc = -1;
	assert_true(td_advise_best(runs, 3, ALL) == SIZE_MAX);
}

static void test_verdicts(void **state)
{
	struct td_advise_case c = {.near_pages = 100, .evicted_pages = 0};
	(void)state;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_FITS);
	c.is_partial = true;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_PARTIAL);
	c.is_partial = false;
	c.evicted_pages = 99;
	c.policy = (struct td_advise_saving){0.5, 0};
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_SHORT);
	c.evicted_pages = 100;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_POLICY);
	c.policy.error = 0.5;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_SHORT);
	c.policy = (struct td_advise_saving){0.04, 0};
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_NEITHER);
	c.knee_pages = 400;
	c.knee_saves = 0.3;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_SIZE);
	c.knee_pages = 404;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_NEITHER);
	c.knee_pages = 400;
	c.knee_saves = 0.01;
	assert_int_equal(td_advise_judge(&c), TD_ADVISE_NEITHER);
}

static void test_size_for(void **state)
{
	static const struct td_advise_point curve[] = {{10, 0.8}, {20, 0.6}, {40, 0.2}};
	(void)state;
	assert_int_equal(td_advise_size_for(curve, 3, 0.9), 10);
	assert_int_equal(td_advise_size_for(curve, 3, 0.7), 15);
	assert_int_equal(td_advise_size_for(curve, 3, 0.4), 30);
	assert_int_equal(td_advise_size_for(curve, 3, 0.1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_knees),    cmocka_unit_test(test_saving),
		cmocka_unit_test(test_best),     cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_size_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
