/* prefix-lru beside a slow version, on prompts that share prefixes and on groups of any blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

#define NO_PARENT UINT64_MAX

static uint64_t last[PAGES], parent[PAGES]; /* last = 0: not resident */
static uint64_t now, resident, capacity, previous;

static void begin(uint64_t near_pages)
{
	memset(last, 0, sizeof last);
	memset(parent, 0xff, sizeof parent);
	now = resident = 0;
	capacity = near_pages;
	previous = NO_PARENT;
}

static bool has_child(uint64_t block)
{
	for (uint64_t p = 0; p < PAGES; p++) {
		if (last[p] && parent[p] == block)
			return true;
	}
	return false;
}

static uint64_t oldest(bool leaf)
{
	uint64_t victim = ROOM;

	for (uint64_t p = 0; p < PAGES; p++) {
		if (last[p] && !(leaf && has_child(p)) &&
		    (victim == ROOM || last[p] < last[victim]))
			victim = p;
	}
	return victim;
}

static uint64_t access(uint64_t p)
{
	uint64_t result = HIT;

	now++;
	if (!last[p]) {
		result = ROOM;
		if (resident == capacity) {
			result = oldest(true);
			result = result == ROOM ? oldest(false) : result;
			last[result] = 0;
			resident--;
		}
		resident++;
	}
	last[p] = now;
	if (watched.position == 0)
		parent[p] = NO_PARENT;
	else if (watched.position != UINT64_MAX && previous != p)
		parent[p] = previous;
	previous = p;
	return result;
}

static uint64_t pages[SLOW_ACCESSES], positions[SLOW_ACCESSES];

/* Prompts are ways from the root of a tree, in which every block has three children. */
static size_t prompt(size_t at, uint64_t *seed)
{
	uint64_t way[16], n = 0, block = skewed(seed, PAGES - 1);

	for (; block; block = (block - 1) / 3)
		way[n++] = block;
	way[n++] = PAGES - 1;
	for (uint64_t i = 0; i < n && at < SLOW_ACCESSES; i++, at++) {
		pages[at] = way[n - 1 - i];
		positions[at] = i;
	}
	return at;
}

/* Not even the parent of a block stays the same. */
static size_t any_blocks(size_t at, uint64_t *seed)
{
	uint64_t n = 1 + tide_random_next(seed) % 6;

	for (uint64_t i = 0; i < n && at < SLOW_ACCESSES; i++, at++) {
		pages[at] = skewed(seed, PAGES);
		positions[at] = i;
	}
	return at;
}

static void run_groups(size_t (*group)(size_t at, uint64_t *seed))
{
	uint64_t seed = 5;

	for (size_t at = 0; at < SLOW_ACCESSES;)
		at = group(at, &seed);
	slow_sizes(&(struct slow){"prefix-lru", begin, access, pages, positions});
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	run_groups(prompt);
	run_groups(any_blocks);
}

static void is_lru_without_groups(void **state)
{
	(void)state;
	slow_runs("prefix-lru", lru_begin, lru_access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
		cmocka_unit_test(is_lru_without_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
