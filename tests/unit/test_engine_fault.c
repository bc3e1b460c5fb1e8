/* One fault: the order of what policies hear, who is a valid victim, what is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "recorder.h"

/* ---- the order ---- */

static void a_fault_is_told_in_order(void **state)
{
	struct td_engine *e = begin(4, 8, UINT64_MAX);

	(void)state;
	/* The plan names later chunks first, one of them twice, and the fault's own. */
	script.plan[0].first = 16, script.plan[0].n = 2;
	script.plan[1].first = 4, script.plan[1].n = 1;
	script.plan[2].first = 9, script.plan[2].n = 1;
	script.plan[3].first = 18, script.plan[3].n = 1;
	assert_int_equal(try_event(e, (struct td_event){8, 77, 0, false}, NULL), 0);
	assert_heard("p fault 2 8\ne fault 2 8\n"
		     "p plan 2 8\n"
		     "p migrated 2 3\ne migrated 2 3\n"
		     "p migrated 1 1\ne migrated 1 1\n"
		     "p migrated 4 7\ne migrated 4 7\n"
		     "p access 2 8 77\ne access 2 8 77\n");
	/* Six of eight pages are used: three more do not fit. */
	memset(script.plan, 0, sizeof script.plan);
	script.plan[0].first = 24, script.plan[0].n = 3;
	write_page(e, 24);
	assert_heard("p fault 6 24\ne fault 6 24\n"
		     "p plan 6 24\n"
		     "p full\ne full\n"
		     "e pick 1\n"
		     "p evicted 1 1 0 0\ne evicted 1 1 0 0\n"
		     "p migrated 6 7\ne migrated 6 7\n"
		     "p access 6 24 0\ne access 6 24 0\n");
	/* A hit is an access and nothing else. */
	assert_int_equal(try_event(e, (struct td_event){25, 5, 0, true}, NULL), 0);
	assert_heard("p access 6 25 5\ne access 6 25 5\n");
	/* Full only once; two victims, one after the other. */
	script.plan[0].first = 28, script.plan[0].n = 4;
	read_page(e, 29);
	assert_heard("p fault 7 29\ne fault 7 29\n"
		     "p plan 7 29\n"
		     "e pick 2\np evicted 2 3 1 0\ne evicted 2 3 1 0\n"
		     "e pick 4\np evicted 4 7 0 0\ne evicted 4 7 0 0\n"
		     "p migrated 7 f\ne migrated 7 f\n"
		     "p access 7 29 0\ne access 7 29 0\n");
	td_engine_destroy(e);
}

static void policies_that_did_not_ask_see_no_access(void **state)
{
	struct tide_policy quiet = prefetcher;
	struct td_engine_config config = config_of(1, 4);
	struct td_engine *e;

	(void)state;
	script = (struct script){0};
	quiet.needs = 0;
	config.prefetch = own(&quiet);
	config.evict = own(&evicter);
	e = start(&config);
	read_page(e, 3);
	read_page(e, 3);
	assert_heard("p fault 3 3\ne fault 3 3\np plan 3 3\np migrated 3 1\ne migrated 3 1\n"
		     "e access 3 3 0\ne access 3 3 0\n");
	td_engine_destroy(e);
}

static void the_view_is_up_to_date(void **state)
{
	struct td_engine *e = begin(4, 6, UINT64_MAX);

	(void)state;
	script.plan[0].first = 0, script.plan[0].n = 3;
	read_page(e, 1);
	assert_int_equal(e->near.time, 1);
	assert_int_equal(e->near.free_pages, 3);
	assert_int_equal(e->near.resident_chunks, 1);
	assert_int_equal(e->near.fault_chunk.index, UINT32_MAX);
	read_page(e, 1);
	script.plan[0].first = 4, script.plan[0].n = 4;
	read_page(e, 4);
	assert_int_equal(e->near.time, 3);
	assert_int_equal(e->near.free_pages, 2);
	assert_int_equal(e->near.resident_chunks, 1);
	assert_null(e->near.planned);
	td_engine_destroy(e);
}

/* ---- validity ---- */

static void chunks_of_the_set_and_of_the_fault_are_not_valid(void **state)
{
	struct td_engine_config config = config_of(4, 18);
	struct td_engine *e;

	(void)state;
	script = (struct script){0};
	config.prefetch = named("sequential:n=6", TIDE_PREFETCH);
	config.evict = own(&evicter);
	e = start(&config);
	read_page(e, 12); /* 12..17 */
	read_page(e, 23); /* 23..28 */
	read_page(e, 6);  /* 6..11 */
	assert_int_equal(e->near.free_pages, 0);
	*script.heard = '\0';
	/* Set {18..22}: chunk 4 faults, of chunk 5 page 23 is here; five pages leave, from 1 on. */
	read_page(e, 18);
	assert_non_null(strstr(script.heard, "e pick 1\n"));
	assert_non_null(strstr(script.heard, "e pick 2\n"));
	assert_int_equal(script.valid_seen, 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7);
	assert_resident(e, 16, 8, true);
	assert_resident(e, 6, 6, false);
	assert_int_equal(e->counts.policy_errors, 0);
	td_engine_destroy(e);
}

static void a_chunk_with_all_planned_pages_here_is_valid(void **state)
{
	struct td_engine *e = begin(4, 8, UINT64_MAX);

	(void)state;
	script.plan[0].first = 4, script.plan[0].n = 4;
	read_page(e, 4);
	memset(script.plan, 0, sizeof script.plan);
	read_page(e, 12);
	read_page(e, 13);
	read_page(e, 14);
	read_page(e, 15);
	*script.heard = '\0';
	/* The plan names all of chunk 1, which is here: no page of it is in the set. */
	script.plan[0].first = 3, script.plan[0].n = 5;
	read_page(e, 3);
	assert_int_equal(script.valid_seen, 1 << 1 | 1 << 3);
	assert_resident(e, 4, 4, false);
	td_engine_destroy(e);
}

/* ---- accounting ---- */

static void evictions_are_counted_by_page(void **state)
{
	struct td_engine *e = begin(8, 8, UINT64_MAX);

	(void)state;
	script.plan[0].first = 0, script.plan[0].n = 8;
	write_page(e, 0); /* dirty by its fault */
	read_page(e, 1);
	read_page(e, 2);
	write_page(e, 2); /* dirty by a hit */
	write_page(e, 2);
	memset(script.plan, 0, sizeof script.plan);
	*script.heard = '\0';
	read_page(e, 8);
	assert_non_null(strstr(script.heard, "e evicted 0 ff 7 5\n"));
	assert_int_equal(e->counts.evicted_chunks, 1);
	assert_int_equal(e->counts.evicted_pages, 8);
	assert_int_equal(e->counts.writeback_pages, 2);
	assert_int_equal(e->counts.untouched_evicted_pages, 5);
	/* What left is clean and untouched when it comes back. */
	script.plan[0].first = 0, script.plan[0].n = 8;
	read_page(e, 7);
	memset(script.plan, 0, sizeof script.plan);
	read_page(e, 8);
	assert_non_null(strstr(script.heard, "e evicted 0 ff 80 0\n"));
	assert_int_equal(e->counts.evicted_chunks, 3);
	assert_int_equal(e->counts.evicted_pages, 8 + 1 + 8);
	assert_int_equal(e->counts.writeback_pages, 2);
	assert_int_equal(e->counts.untouched_evicted_pages, 5 + 0 + 7);
	assert_int_equal(e->counts.accesses, 8);
	assert_int_equal(e->counts.hits, 4);
	assert_int_equal(e->counts.faults, 4);
	assert_int_equal(e->counts.migrated_pages, 8 + 1 + 8 + 1);
	assert_int_equal(e->counts.prefetched_pages, 7 + 0 + 7 + 0);
	td_engine_destroy(e);
}

/* Bitmaps of every width, the top bit among them. */
static void all_chunk_sizes_keep_their_bits_apart(void **state)
{
	(void)state;
	for (uint32_t chunk_pages = 1; chunk_pages <= 64; chunk_pages++) {
		struct td_engine *e = begin(chunk_pages, chunk_pages, UINT64_MAX);
		char expected[80];
		uint64_t whole = UINT64_MAX >> (64 - chunk_pages), top = whole - (whole >> 1);
		script.plan[0].first = chunk_pages, script.plan[0].n = chunk_pages;
		write_page(e, 2 * chunk_pages - 1);
		memset(script.plan, 0, sizeof script.plan);
		read_page(e, chunk_pages);
		*script.heard = '\0';
		read_page(e, 3 * chunk_pages);
		snprintf(expected, sizeof expected, "e evicted 1 %lx %lx %lx\n", whole, top | 1,
			 top);
		assert_non_null(strstr(script.heard, expected));
		td_engine_destroy(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_is_told_in_order),
		cmocka_unit_test(policies_that_did_not_ask_see_no_access),
		cmocka_unit_test(the_view_is_up_to_date),
		cmocka_unit_test(chunks_of_the_set_and_of_the_fault_are_not_valid),
		cmocka_unit_test(a_chunk_with_all_planned_pages_here_is_valid),
		cmocka_unit_test(evictions_are_counted_by_page),
		cmocka_unit_test(all_chunk_sizes_keep_their_bits_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
