/* lrfu beside a slow version, which adds up all references of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <math.h>

#include "slow_help.h"

static uint64_t used[PAGES][SLOW_ACCESSES]; /* times of all uses since the page came in */
static size_t uses[PAGES];
static uint64_t now, resident, capacity;
static double lambda;

static void begin(uint64_t near_pages)
{
	memset(uses, 0, sizeof uses);
	now = resident = 0;
	capacity = near_pages;
}

static double value(uint64_t p)
{
	double sum = 0;

	for (size_t i = 0; i < uses[p]; i++)
		sum += pow(0.5, lambda * (double)(now - used[p][i]));
	return sum;
}

static uint64_t last(uint64_t p)
{
	return used[p][uses[p] - 1];
}

/* Sums that differ by rounding alone are equal, and the older page leaves. */
static bool leaves_before(uint64_t a, double of_a, uint64_t b, double of_b)
{
	if (fabs(of_a - of_b) > 1e-12 * (of_a + of_b))
		return of_a < of_b;
	return last(a) < last(b);
}

static uint64_t evict(void)
{
	uint64_t victim = ROOM;
	double least = 0;

	for (uint64_t p = 0; p < PAGES; p++) {
		double v = value(p);
		if (uses[p] && (victim == ROOM || leaves_before(p, v, victim, least))) {
			victim = p;
			least = v;
		}
	}
	uses[victim] = 0;
	resident--;
	return victim;
}

static uint64_t access(uint64_t p)
{
	uint64_t result = uses[p] ? HIT : ROOM;

	now++;
	if (!uses[p] && resident == capacity)
		result = evict();
	resident += !uses[p];
	used[p][uses[p]++] = now;
	return result;
}

static void equals_the_slow_version(void **state)
{
	static const struct {
		const char *spec;
		double lambda;
	} cases[] = {{"lrfu", 0.001}, {"lrfu:lambda=0", 0}, {"lrfu:lambda=0.07", 0.07}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		lambda = cases[i].lambda;
		slow_runs(cases[i].spec, begin, access);
	}
}

/* With lambda = 1 the newest reference outweighs all older ones. */
static void is_lru_with_lambda_1(void **state)
{
	(void)state;
	slow_runs("lrfu:lambda=1", lru_begin, lru_access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
		cmocka_unit_test(is_lru_with_lambda_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
