/* acbm: pages of a chunk that was evicted stay where they are until the chunk has been used often
 * enough. With first=1 those of every chunk do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy_help.h"

static void read_times(struct td_engine *e, uint64_t page, int n)
{
	while (n--)
		read_page(e, page);
}

/* The fault does not count, the accesses after it do. */
static void a_chunk_comes_at_the_threshold(void **state)
{
	struct td_engine *e = start_with("lrm", "acbm:threshold=3,first=1", 4, 8, 1000);

	(void)state;
	read_times(e, 5, 3);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(e->counts.remote_accesses, 2);
	assert_int_equal(e->counts.migrated_pages, 0);
	assert_false(is_resident(e, 5));
	read_page(e, 5);
	assert_int_equal(e->counts.remote_accesses, 3);
	assert_int_equal(e->counts.migrated_pages, 4);
	assert_int_equal(e->counts.prefetched_pages, 4);
	for (uint64_t page = 4; page < 8; page++)
		assert_true(is_resident(e, page));
	read_page(e, 5);
	read_page(e, 6);
	assert_int_equal(e->counts.hits, 2);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(e->counts.remote_accesses, 3);
	td_engine_destroy(e);
}

/* One counter per chunk: accesses to any of its pages count together, each page faults once. */
static void pages_of_a_chunk_count_together(void **state)
{
	struct td_engine *e = start_with("lrm", "acbm:threshold=4,first=1", 4, 8, 1000);

	(void)state;
	for (uint64_t page = 0; page < 4; page++)
		read_times(e, page, 2);
	assert_int_equal(e->counts.faults, 4);
	assert_int_equal(e->counts.remote_accesses, 4);
	assert_int_equal(e->counts.hits, 0);
	assert_int_equal(e->counts.migrated_pages, 4);
	td_engine_destroy(e);
}

/* Two counters, hit in the order a a b: c takes a's, which then counts from 0. */
static void the_least_recently_hit_counter_is_recycled(void **state)
{
	struct td_engine *e = start_with("lrm", "acbm:threshold=3,counters=2,first=1", 1, 8, 1000);
	const uint64_t a = 10, b = 20, c = 30;

	(void)state;
	read_times(e, a, 3);
	read_times(e, b, 2);
	read_times(e, c, 2);
	assert_reports(e, TD_BOX_PREFETCH, "counters_recycled=1");
	read_page(e, b); /* 2 of 3, and now c was hit before it */
	read_times(e, a, 1);
	assert_reports(e, TD_BOX_PREFETCH, "counters_recycled=2");
	assert_false(is_resident(e, a)); /* it would be 3, had it kept its counter */
	read_page(e, b);
	assert_true(is_resident(e, b));
	read_page(e, c); /* b's counter is free */
	assert_reports(e, TD_BOX_PREFETCH, "counters_recycled=2");
	assert_reports(e, TD_BOX_PREFETCH, "chunks_migrated=1");
	td_engine_destroy(e);
}

/* A chunk that has left faults and counts anew. */
static void an_evicted_chunk_begins_again(void **state)
{
	struct td_engine *e = start_with("lrm", "acbm:threshold=1,first=1", 1, 1, 1000);

	(void)state;
	read_times(e, 1, 2);
	assert_true(is_resident(e, 1));
	read_times(e, 2, 2);
	assert_false(is_resident(e, 1));
	read_page(e, 1);
	assert_int_equal(e->counts.faults, 3);
	assert_false(is_resident(e, 1));
	read_page(e, 1);
	assert_true(is_resident(e, 1));
	assert_int_equal(e->counts.remote_accesses, 3);
	td_engine_destroy(e);
}

/* Chunks of four pages, near memory of two of them. A chunk that never left comes as under tree,
 * one that has left is mapped page by page and comes back whole at the threshold. */
static void only_an_evicted_chunk_is_mapped(void **state)
{
	struct td_engine *e = start_with("lrm", "acbm:threshold=2", 4, 8, 1000);

	(void)state;
	read_page(e, 0);
	read_page(e,
		  1); /* half of the chunk is not more than 51%: the node of two comes, then all */
	assert_int_equal(e->counts.faults, 2);
	assert_true(is_resident(e, 1));
	read_page(e, 2);
	assert_int_equal(e->counts.prefetched_pages, 1);
	assert_true(is_resident(e, 3));
	for (uint64_t page = 4; page < 12; page++)
		read_page(e, page);
	assert_false(is_resident(e, 0));
	assert_int_equal(e->counts.remote_accesses, 0);
	uint64_t faults = e->counts.faults, evicted = e->counts.evicted_chunks;
	read_times(e, 0, 2); /* a fault that maps, and one use of two */
	assert_int_equal(e->counts.faults, faults + 1);
	assert_int_equal(e->counts.remote_accesses, 1);
	assert_int_equal(e->counts.evicted_chunks, evicted);
	read_page(e, 0);
	assert_int_equal(e->counts.remote_accesses, 2);
	for (uint64_t page = 0; page < 4; page++)
		assert_true(is_resident(e, page));
	td_engine_destroy(e);
}

/* Accesses to absent pages say nothing to those who keep lists of resident chunks. */
static void lists_of_residents_stay_so(void **state)
{
	static const char *const evict[] = {"lru", "observ-lru", "observ-lfu",
					    "cp",  "tournament", "mhpe"};

	(void)state;
	for (uint64_t i = 0; i < sizeof evict / sizeof *evict; i++) {
		struct td_engine *e = start_with(evict[i], "acbm:threshold=4", 4, 40, 400);
		uint64_t at = 0, seed = i;
		for (int k = 0; k < 20000; k++)
			read_page(e, at = next_page(at, 400, &seed));
		assert_true(e->counts.evicted_chunks > 100);
		assert_int_equal(e->counts.policy_errors, 0);
		td_engine_destroy(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chunk_comes_at_the_threshold),
		cmocka_unit_test(pages_of_a_chunk_count_together),
		cmocka_unit_test(the_least_recently_hit_counter_is_recycled),
		cmocka_unit_test(an_evicted_chunk_begins_again),
		cmocka_unit_test(only_an_evicted_chunk_is_mapped),
		cmocka_unit_test(lists_of_residents_stay_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
