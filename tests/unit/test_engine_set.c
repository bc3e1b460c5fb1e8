/* What the engine makes of a plan: the set that comes in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "recorder.h"

static void a_set_larger_than_memory_keeps_the_lowest(void **state)
{
	struct td_engine *e = begin(4, 6, UINT64_MAX);

	(void)state;
	script.plan[0].first = 2, script.plan[0].n = 30;
	/* The fault is on the highest page of all: it stays, with the five lowest others. */
	read_page(e, 31);
	assert_resident(e, 2, 5, true);
	assert_resident(e, 7, 24, false);
	assert_resident(e, 31, 1, true);
	assert_int_equal(e->counts.migrated_pages, 6);
	assert_int_equal(e->counts.prefetched_pages, 5);
	assert_null(strstr(script.heard, "full"));
	td_engine_destroy(e);

	/* The fault is in the middle; its own chunk is cut too. */
	e = begin(4, 6, UINT64_MAX);
	script.plan[0].first = 0, script.plan[0].n = 8;
	read_page(e, 4);
	assert_resident(e, 0, 5, true);
	assert_resident(e, 5, 1, true);
	assert_resident(e, 6, 2, false);
	td_engine_destroy(e);
}

static void resident_pages_do_not_count_in_the_set(void **state)
{
	struct td_engine *e = begin(4, 6, UINT64_MAX);

	(void)state;
	read_page(e, 0);
	read_page(e, 2);
	script.plan[0].first = 0, script.plan[0].n = 6;
	/* 1, 3, 4 and 5 are absent, and just fit. */
	read_page(e, 3);
	assert_resident(e, 0, 6, true);
	assert_int_equal(e->counts.migrated_pages, 6);
	assert_int_equal(e->counts.evicted_chunks, 0);
	td_engine_destroy(e);
}

static void pages_beyond_the_range_are_dropped(void **state)
{
	struct td_engine *e = begin(6, 100, 20);

	(void)state;
	script.plan[0].first = 13, script.plan[0].n = 60;
	read_page(e, 13);
	assert_resident(e, 13, 8, true);
	assert_int_equal(e->counts.migrated_pages, 8);
	assert_int_equal(e->counts.prefetched_pages, 7);
	td_engine_destroy(e);

	/* The last page of all numbers: nothing wraps to page 0. */
	e = begin(1, 100, UINT64_MAX);
	script.plan[0].first = UINT64_MAX - 2, script.plan[0].n = 3;
	read_page(e, UINT64_MAX - 1);
	assert_resident(e, UINT64_MAX - 2, 2, true);
	assert_true(is_resident(e, UINT64_MAX));
	assert_int_equal(e->counts.migrated_pages, 3);
	td_engine_destroy(e);
}

/* An input that lies about its range must not make the counts lie. */
static void the_fault_page_is_in_the_set_whatever_the_range(void **state)
{
	struct td_engine *e = begin(4, 8, 13);

	(void)state;
	script.plan[0].first = 12, script.plan[0].n = 4;
	if (!try_event(e, (struct td_event){.page = 15}, NULL)) {
		assert_true(is_resident(e, 15));
		assert_int_equal(e->counts.migrated_pages, e->counts.prefetched_pages + 1);
		assert_int_equal(e->near.free_pages, 8 - e->counts.migrated_pages);
	}
	td_engine_destroy(e);
}

/* Chunks 0 and 1 have one page each here, the plan wants more of both: no chunk is valid. */
static void without_a_valid_victim_the_highest_page_goes(void **state)
{
	struct td_engine *e = begin(4, 6, UINT64_MAX);

	(void)state;
	read_page(e, 0);
	read_page(e, 4);
	*script.heard = '\0';
	script.plan[0].first = 1, script.plan[0].n = 3;
	script.plan[1].first = 5, script.plan[1].n = 2;
	read_page(e, 1);
	/* 1, 2, 3, 5 fit beside 0 and 4; page 6 is dropped, nobody is asked. */
	assert_heard("p fault 0 1\ne fault 0 1\np plan 0 1\np full\ne full\n"
		     "p migrated 0 e\ne migrated 0 e\np migrated 1 2\ne migrated 1 2\n"
		     "p access 0 1 0\ne access 0 1 0\n");
	assert_resident(e, 0, 6, true);
	assert_int_equal(e->counts.evicted_chunks, 0);
	assert_int_equal(e->near.free_pages, 0);
	td_engine_destroy(e);
}

/* When the last planned page of a chunk is dropped, the chunk is a valid victim after all. */
static void dropping_makes_chunks_valid_again(void **state)
{
	struct td_engine *e = begin(4, 4, UINT64_MAX);

	(void)state;
	for (uint64_t page = 4; page < 7; page++)
		read_page(e, page);
	*script.heard = '\0';
	script.plan[0].first = 0, script.plan[0].n = 2;
	script.plan[1].first = 7, script.plan[1].n = 1;
	/* Set {0, 1, 7}, one frame free, chunk 1 is not valid: 7 goes, then chunk 1 is. */
	read_page(e, 0);
	assert_heard("p fault 0 0\ne fault 0 0\np plan 0 0\np full\ne full\n"
		     "e pick 1\np evicted 1 7 7 0\ne evicted 1 7 7 0\n"
		     "p migrated 0 3\ne migrated 0 3\np access 0 0 0\ne access 0 0 0\n");
	assert_resident(e, 0, 2, true);
	assert_resident(e, 4, 4, false);
	td_engine_destroy(e);
}

static void the_fault_page_is_never_dropped(void **state)
{
	struct td_engine *e = begin(4, 4, UINT64_MAX);

	(void)state;
	for (uint64_t page = 4; page < 7; page++)
		read_page(e, page);
	script.plan[0].first = 0, script.plan[0].n = 3;
	/* The faulting page is the highest of the set. */
	read_page(e, 7);
	assert_resident(e, 4, 4, true);
	assert_resident(e, 0, 4, false);
	assert_int_equal(e->counts.migrated_pages, 4);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_larger_than_memory_keeps_the_lowest),
		cmocka_unit_test(resident_pages_do_not_count_in_the_set),
		cmocka_unit_test(pages_beyond_the_range_are_dropped),
		cmocka_unit_test(the_fault_page_is_in_the_set_whatever_the_range),
		cmocka_unit_test(without_a_valid_victim_the_highest_page_goes),
		cmocka_unit_test(dropping_makes_chunks_valid_again),
		cmocka_unit_test(the_fault_page_is_never_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
