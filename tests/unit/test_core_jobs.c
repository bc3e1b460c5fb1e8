#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>

#include "core/jobs.h"

#define JOBS 1000

static void count(void *arg, size_t i)
{
	atomic_fetch_add(&((atomic_int *)arg)[i], 1);
}

static void test_each_once(void **state)
{
	static const size_t threads[] = {0, 1, 2, 7, TD_JOBS_THREADS_MAX, 100000};
	(void)state;
	for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
		static const size_t jobs[] = {0, 1, 3, JOBS};
		for (size_t j = 0; j < 4; j++) {
			atomic_int done[JOBS + 1] = {0};
			td_jobs_run(jobs[j], threads[t], count, done);
			for (size_t i = 0; i <= JOBS; i++)
				assert_int_equal(done[i], i < jobs[j]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
