/* clock beside a slow version: a queue in which the oldest entry gets another round for its bit, as
 * other simulators write it. There a hit sets the bit and a new entry has none (new=0). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static struct line queue; /* the oldest first */
static bool used[PAGES];
static uint64_t capacity;
static bool bit_of_new;

static void begin(uint64_t near_pages)
{
	memset(used, 0, sizeof used);
	queue.n = 0;
	capacity = near_pages;
}

static uint64_t evict(void)
{
	uint64_t page = line_pop(&queue);

	while (used[page]) {
		used[page] = false;
		line_append(&queue, page);
		page = line_pop(&queue);
	}
	return page;
}

static uint64_t access(uint64_t page)
{
	uint64_t left = ROOM;

	if (line_has(&queue, page)) {
		used[page] = true;
		return HIT;
	}
	if (queue.n == capacity)
		left = evict();
	line_append(&queue, page);
	used[page] = bit_of_new;
	return left;
}

static void without_a_bit_for_new_entries(void **state)
{
	(void)state;
	bit_of_new = false;
	slow_runs("clock:new=0", begin, access);
}

static void with_a_bit_for_new_entries(void **state)
{
	(void)state;
	bit_of_new = true;
	slow_runs("clock", begin, access);
	slow_runs("clock:new=1", begin, access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_bit_for_new_entries),
		cmocka_unit_test(with_a_bit_for_new_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
