/* rgp: when it takes faults for a stream, what it brings, and which chunk a trigger brings next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy_help.h"

/* Chunks of 4. The tree brings 3 with 2; the faults are 0, 1, 2, 4, 5, and the fourth step is that
 * to 5: it brings the rest of chunk 1, and chunk 2. */
static void a_stream_runs_ahead(void **state)
{
	struct td_engine *e = start_with("lru", "rgp", 4, 100, 83);

	(void)state;
	for (uint64_t page = 0; page < 5; page++)
		read_page(e, page);
	assert_int_equal(e->counts.faults, 4);
	assert_false(is_resident(e, 6));
	read_page(e, 5);
	for (uint64_t page = 6; page < 12; page++)
		assert_true(is_resident(e, page));
	assert_false(is_resident(e, 12));
	read_page(e, 6);
	read_page(e, 7); /* one of the two was the trigger */
	for (uint64_t page = 12; page < 16; page++)
		assert_true(is_resident(e, page));
	assert_false(is_resident(e, 16));
	for (uint64_t page = 8; page < 84; page++)
		read_page(e, page);
	assert_int_equal(e->counts.faults, 5);
	assert_int_equal(e->counts.migrated_pages, 84);
	assert_int_equal(e->counts.prefetched_pages, 79);
	assert_reports(e, TD_BOX_PREFETCH, "triggered=18"); /* 3 to 20; then there is none */
	td_engine_destroy(e);
}

/* The same page again, or up to P pages ahead, is a step; one more, or one back, begins anew. */
static void steps_of_a_stream(void **state)
{
	static const struct {
		uint64_t page[6];
		bool streams;
	} runs[] = {
		{{0, 4, 8, 12, 16}, true},  {{0, 4, 8, 12, 17}, false},
		{{0, 4, 8, 13, 17}, false}, {{100, 99, 100, 101, 102}, false},
		{{1, 0, 1, 5, 9}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct td_engine *e = start_with("lru", "rgp", 4, 100, 1000);
		for (int k = 0; k < 5; k++)
			read_page(e, runs[i].page[k]);
		/* A chunk that is touched for the first time comes whole only in a stream. */
		assert_int_equal(is_resident(e, runs[i].page[4] + 4), runs[i].streams);
		td_engine_destroy(e);
	}
}

/* Chunk 3 is here already: the trigger of chunk 1 brings chunk 4. */
static void resident_chunks_are_passed(void **state)
{
	struct td_engine *e = start_with("lru", "rgp", 4, 100, 1000);

	(void)state;
	read_page(e, 14);
	for (uint64_t page = 0; page < 8; page++)
		read_page(e, page);
	assert_true(is_resident(e, 16));
	assert_false(is_resident(e, 12)); /* of chunk 3 there was a page, so it is not brought */
	td_engine_destroy(e);
}

/* ---- the next absent chunk beside a walk over all ---- */

static struct {
	const struct tide_policy *inner;
	const struct tide_view *view;
	uint64_t planned;
} walk;

static int walk_create(void *self, const struct tide_view *view, const union tide_value *values,
		       struct tide_error *err)
{
	walk.view = view;
	return walk.inner->create(self, view, values, err);
}

static uint64_t next_absent(uint64_t number)
{
	uint64_t last = walk.view->near->last_page / walk.view->near->chunk_pages;

	while (++number <= last) {
		tide_chunk c = tide_find_chunk(walk.view, number);
		if (c.index == UINT32_MAX || !tide_resident(walk.view, c))
			return number;
	}
	return NONE;
}

static void walk_plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			     struct tide_plan *plan)
{
	uint64_t expected = next_absent(tide_chunk_number(walk.view, c));

	walk.inner->plan_notice(self, c, p, purpose, plan);
	assert_int_equal(plan->own, 0);
	assert_int_equal(plan->n, purpose == TIDE_TRIGGER && expected != NONE);
	if (!plan->n)
		return;
	assert_int_equal(plan->other[0].number, expected);
	walk.planned++;
}

static void run_walk(const char *evict, uint32_t chunk_pages, uint64_t first, uint64_t near_pages,
		     uint64_t seed)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);
	uint64_t pages = chunk_pages * 100, at = 0;
	struct tide_policy policy;
	struct td_engine *e;

	config.last_page = first + pages - 1;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named("rgp", TIDE_PREFETCH);
	walk.inner = config.prefetch.policy;
	policy = *walk.inner;
	policy.create = walk_create;
	policy.plan_notice = walk_plan_notice;
	config.prefetch.policy = &policy;
	e = start(&config);
	for (int i = 0; i < 20000; i++) {
		uint64_t draw = tide_random_next(&seed);
		at = draw % 200 ? (at + (draw >> 16) % 2) % pages : (draw >> 8) % pages;
		read_page(e, first + at);
	}
	td_engine_destroy(e);
}

static void triggers_bring_the_next_absent_chunk(void **state)
{
	static const char *const evict[] = {"lru", "cp", "random", "tournament"};

	(void)state;
	for (uint64_t i = 0; i < 4 * 6; i++) {
		uint32_t chunk_pages = i % 3 ? (uint32_t)(i % 3) * 8 : 1;
		uint64_t first = i % 2 ? UINT64_C(1) << 40 : 0;
		walk.planned = 0;
		run_walk(evict[i / 6], chunk_pages, first, chunk_pages * (20 + 10 * (i % 8)), i);
		assert_true(walk.planned > 10);
	}
}

/* Where page numbers end there is no next one, and what comes after 0 is not it. */
static void the_last_page_there_is(void **state)
{
	struct td_engine *e = start_with("lru", "rgp", 1, 100, UINT64_MAX);

	(void)state;
	read_page(e, 0);
	for (uint64_t page = UINT64_MAX - 10; page; page++)
		read_page(e, page);
	assert_int_equal(e->counts.migrated_pages, 12);
	assert_false(is_resident(e, 1));
	td_engine_destroy(e);
}

/* Two arrays of 5 chunks of 4, read side by side: each is a stream, and the first one's prefetches
 * end where it ends. As one allocation the same faults are none. */
static void read_side_by_side(const uint64_t *allocations, uint32_t n, uint64_t *faults,
			      bool *beyond)
{
	struct td_engine_config config = config_of(4, 100);
	struct td_engine *e;

	config.last_page = 59;
	config.evict = named("lru", TIDE_EVICT);
	config.prefetch = named("rgp", TIDE_PREFETCH);
	config.allocations = allocations;
	config.allocations_n = n;
	e = start(&config);
	for (uint64_t page = 0; page < 20; page++) {
		read_page(e, page);
		if (page < 4)
			read_page(e, 40 + page);
	}
	*faults = e->counts.faults;
	*beyond = is_resident(e, 20);
	td_engine_destroy(e);
}

static void allocations_are_apart(void **state)
{
	static const uint64_t two[] = {0, 20}, three[] = {0, 20, 40};
	uint64_t faults;
	bool beyond;

	(void)state;
	read_side_by_side(NULL, 0, &faults, &beyond);
	assert_int_equal(faults, 11); /* 4, 5, 6, 8, 9 make the stream */
	assert_true(beyond);          /* of the array behind it */
	read_side_by_side(two, 2, &faults, &beyond);
	assert_int_equal(faults, 8);
	assert_false(beyond);
	read_side_by_side(three, 3, &faults, &beyond);
	assert_int_equal(faults, 8);
	assert_false(beyond);
}

/* Two allocations meet within chunk 1: what leaves is absent for both. */
static void allocations_may_share_a_chunk(void **state)
{
	static const uint64_t two[] = {0, 6};
	struct td_engine_config config = config_of(4, 12);
	struct td_engine *e;

	(void)state;
	config.last_page = 39;
	config.evict = named("lru", TIDE_EVICT);
	config.prefetch = named("rgp", TIDE_PREFETCH);
	config.allocations = two;
	config.allocations_n = 2;
	e = start(&config);
	for (int round = 0; round < 3; round++) {
		for (uint64_t page = 0; page < 40; page++)
			read_page(e, page);
	}
	assert_int_equal(e->counts.hits + e->counts.faults, 120);
	assert_true(e->counts.faults < 30);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_runs_ahead),
		cmocka_unit_test(steps_of_a_stream),
		cmocka_unit_test(resident_chunks_are_passed),
		cmocka_unit_test(triggers_bring_the_next_absent_chunk),
		cmocka_unit_test(the_last_page_there_is),
		cmocka_unit_test(allocations_are_apart),
		cmocka_unit_test(allocations_may_share_a_chunk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
