/* gdsf beside a slow version, with equal sizes and costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static uint64_t uses[PAGES], priority[PAGES], last[PAGES];
static uint64_t now, resident, capacity, inflation;

static void begin(uint64_t near_pages)
{
	memset(uses, 0, sizeof uses);
	now = resident = inflation = 0;
	capacity = near_pages;
}

static uint64_t evict(void)
{
	uint64_t victim = ROOM;

	for (uint64_t p = 0; p < PAGES; p++) {
		if (uses[p] && (victim == ROOM || priority[p] < priority[victim] ||
				(priority[p] == priority[victim] && last[p] < last[victim])))
			victim = p;
	}
	inflation = priority[victim];
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
	uses[p]++;
	priority[p] = inflation + uses[p];
	last[p] = now;
	return result;
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	slow_runs("gdsf", begin, access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
