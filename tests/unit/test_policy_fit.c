/* fit: what comes with a fault follows what is used, region by region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy_help.h"

#define CHUNK 16
#define NEAR 1024
#define SPACE 8192 /* pages; a region has 256 */

static struct td_engine *start_fit(void)
{
	return start_with("lrm", "fit", CHUNK, NEAR, SPACE);
}

/* Pages that a fault brings, over so many accesses. */
static double pages_per_fault(struct td_engine *e, uint64_t (*next)(uint64_t *state),
			      uint64_t accesses)
{
	struct tide_counts before = e->counts;
	uint64_t state = 7;

	while (accesses--)
		read_page(e, next(&state));
	uint64_t faults = e->counts.faults - before.faults;
	assert_true(faults > 0);
	return (double)(e->counts.migrated_pages - before.migrated_pages) / (double)faults;
}

static uint64_t at_random(uint64_t *state)
{
	return tide_random_next(state) % (SPACE / 2);
}

/* Round and round over the upper half. */
static uint64_t in_order(uint64_t *state)
{
	return SPACE / 2 + (*state)++ % (SPACE / 2);
}

/* The first two pages of every eight. */
static uint64_t in_pairs(uint64_t *state)
{
	uint64_t i = (*state)++ % (SPACE / 4);

	return i / 2 * 8 + i % 2;
}

static void nothing_is_learnt_before_memory_is_full(void **state)
{
	struct td_engine *e = start_fit();

	(void)state;
	for (uint64_t page = 0; page < NEAR; page += CHUNK)
		read_page(e, page);
	assert_int_equal(e->counts.migrated_pages, NEAR);
	assert_reports(e, TD_BOX_PREFETCH, "samples=0");
	td_engine_destroy(e);
}

static void single_pages_come_alone(void **state)
{
	struct td_engine *e = start_fit();

	(void)state;
	pages_per_fault(e, at_random, 20000);
	assert_true(pages_per_fault(e, at_random, 20000) < 1.5);
	td_engine_destroy(e);
}

static void a_stream_brings_whole_chunks(void **state)
{
	struct td_engine *e = start_fit();

	(void)state;
	pages_per_fault(e, in_order, 20000);
	assert_true(pages_per_fault(e, in_order, 20000) > 14);
	td_engine_destroy(e);
}

/* A region that was one page at a time becomes a stream, and the other way round. */
static void a_region_that_changes_is_learnt_anew(void **state)
{
	struct td_engine *e = start_fit();

	(void)state;
	pages_per_fault(e, at_random, 20000);
	for (uint64_t i = 0; i < 40000; i++)
		read_page(e, i % (SPACE / 2));
	uint64_t faults = e->counts.faults;
	for (uint64_t i = 0; i < SPACE / 2; i++)
		read_page(e, i);
	assert_true(e->counts.faults - faults < SPACE / 2 / CHUNK * 2);
	pages_per_fault(e, at_random, 20000);
	assert_true(pages_per_fault(e, at_random, 20000) < 1.5);
	td_engine_destroy(e);
}

static void what_lies_together_comes_together(void **state)
{
	struct td_engine *e = start_fit();

	(void)state;
	pages_per_fault(e, in_pairs, 40000);
	double pages = pages_per_fault(e, in_pairs, 40000);
	assert_true(pages > 1.8 && pages < 2.2);
	td_engine_destroy(e);
}

/* Half of the accesses each: each half of memory keeps its own unit. */
static void regions_do_not_disturb_each_other(void **state)
{
	struct td_engine *e = start_fit();
	uint64_t random = 3, order = 0, came[2] = {0}, faults[2] = {0};

	(void)state;
	for (int i = 0; i < 80000; i++) {
		struct tide_counts before = e->counts;
		read_page(e, i % 2 ? in_order(&order) : at_random(&random));
		if (i < 40000)
			continue;
		came[i % 2] += e->counts.migrated_pages - before.migrated_pages;
		faults[i % 2] += e->counts.faults - before.faults;
	}
	assert_true(came[0] < 2 * faults[0]);
	assert_true(came[1] > 13 * faults[1]);
	td_engine_destroy(e);
}

static void chunks_of_one_page(void **state)
{
	struct td_engine *e = start_with("lrm", "fit", 1, 64, SPACE);

	(void)state;
	assert_true(pages_per_fault(e, at_random, 5000) == 1);
	assert_reports(e, TD_BOX_PREFETCH, "samples=0");
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_learnt_before_memory_is_full),
		cmocka_unit_test(single_pages_come_alone),
		cmocka_unit_test(a_stream_brings_whole_chunks),
		cmocka_unit_test(a_region_that_changes_is_learnt_anew),
		cmocka_unit_test(what_lies_together_comes_together),
		cmocka_unit_test(regions_do_not_disturb_each_other),
		cmocka_unit_test(chunks_of_one_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
