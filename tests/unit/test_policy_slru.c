/* slru beside a slow version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static struct line probation, protected;
static uint64_t capacity, protected_most, percent;

static void begin(uint64_t near_pages)
{
	probation.n = protected.n = 0;
	capacity = near_pages;
	protected_most = near_pages * percent / 100;
	if (protected_most == near_pages)
		protected_most--;
}

static uint64_t access(uint64_t page)
{
	uint64_t victim = ROOM;

	if (line_drop(&probation, page) || line_drop(&protected, page)) {
		line_append(&protected, page);
		if (protected.n > protected_most)
			line_append(&probation, line_pop(&protected));
		return HIT;
	}
	if (probation.n + protected.n == capacity)
		victim = line_pop(&probation);
	line_append(&probation, page);
	return victim;
}

static void equals_the_slow_version(void **state)
{
	static const struct {
		const char *spec;
		uint64_t percent;
	} cases[] = {
		{"slru", 80},
		{"slru:protected=0", 0},
		{"slru:protected=50", 50},
		{"slru:protected=100", 100},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		percent = cases[i].percent;
		slow_runs(cases[i].spec, begin, access);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
