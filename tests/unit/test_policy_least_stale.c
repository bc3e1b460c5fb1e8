/* least-stale beside a slow version, on tokens that use experts of several layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static uint64_t last[PAGES], layer[PAGES], pass[PAGES]; /* last = 0: not resident */
static uint64_t now, passes, resident, capacity, width;

static void begin(uint64_t near_pages)
{
	memset(last, 0, sizeof last);
	now = passes = resident = 0;
	capacity = near_pages;
}

static bool leaves_before(uint64_t a, uint64_t b)
{
	bool current_a = pass[a] == passes, current_b = pass[b] == passes;

	if (current_a != current_b)
		return current_b;
	return layer[a] != layer[b] ? layer[a] < layer[b] : last[a] < last[b];
}

static uint64_t evict(void)
{
	uint64_t victim = ROOM;

	for (uint64_t p = 0; p < PAGES; p++) {
		if (last[p] && (victim == ROOM || leaves_before(p, victim)))
			victim = p;
	}
	last[victim] = 0;
	resident--;
	return victim;
}

static uint64_t access(uint64_t p)
{
	uint64_t result = last[p] ? HIT : ROOM;

	now++;
	passes += watched.position == 0;
	if (!last[p] && resident == capacity)
		result = evict();
	resident += !last[p];
	last[p] = now;
	pass[p] = passes;
	layer[p] = watched.position / width;
	return result;
}

static uint64_t pages[SLOW_ACCESSES], positions[SLOW_ACCESSES];

/* Tokens that use 2 of 20 experts in each of 12 layers. A prompt may end a pass early. */
static void make_tokens(void)
{
	uint64_t seed = 3;

	for (size_t at = 0; at < SLOW_ACCESSES;) {
		uint64_t n = tide_random_next(&seed) % 8 ? 24 : 1 + tide_random_next(&seed) % 23;
		for (uint64_t i = 0; i < n && at < SLOW_ACCESSES; i++, at++) {
			pages[at] = i / 2 * 20 + skewed(&seed, 20);
			positions[at] = i;
		}
	}
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	make_tokens();
	width = 1;
	slow_sizes(&(struct slow){"least-stale", begin, access, pages, positions});
	width = 2;
	slow_sizes(&(struct slow){"least-stale:width=2", begin, access, pages, positions});
}

static void is_lru_without_groups(void **state)
{
	(void)state;
	slow_runs("least-stale", lru_begin, lru_access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
		cmocka_unit_test(is_lru_without_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
