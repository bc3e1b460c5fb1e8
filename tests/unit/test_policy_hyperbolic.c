/* hyperbolic beside a slow version, which draws the same random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static struct line pages; /* in no order: the last one moves to where one leaves */
static uint64_t uses[PAGES], since[PAGES];
static uint64_t now, capacity, drawn, seed;

static void begin(uint64_t near_pages)
{
	pages.n = 0;
	now = 0;
	capacity = near_pages;
	seed = 1; /* that of the engine */
}

static double priority(uint64_t p)
{
	return (double)uses[p] / (double)(now - since[p]);
}

static uint64_t evict(void)
{
	uint64_t victim = ROOM;

	for (uint64_t i = 0; i < drawn; i++) {
		uint64_t p = pages.at[tide_random_next(&seed) % pages.n];
		if (victim == ROOM || priority(p) < priority(victim) ||
		    (priority(p) == priority(victim) && p < victim))
			victim = p;
	}
	pages.at[line_find(&pages, victim)] = pages.at[pages.n - 1];
	pages.n--;
	return victim;
}

static uint64_t access(uint64_t p)
{
	uint64_t result = ROOM;

	now++;
	if (line_has(&pages, p)) {
		uses[p]++;
		return HIT;
	}
	if (pages.n == capacity)
		result = evict();
	line_append(&pages, p);
	uses[p] = 1;
	since[p] = now;
	return result;
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	drawn = 64;
	slow_runs("hyperbolic", begin, access);
	drawn = 5;
	slow_runs("hyperbolic:drawn=5", begin, access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
