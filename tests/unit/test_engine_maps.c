/* An address range that comes and goes, and what the program asks for, one behaviour each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "recorder.h"

static struct td_engine *begin_maps(uint32_t chunk_pages, uint64_t near_pages)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);

	script = (struct script){0};
	config.maps = true;
	config.prefetch = own(&prefetcher);
	config.evict = own(&evicter);
	return start(&config);
}

static void map(struct td_engine *e, uint64_t first, uint64_t pages)
{
	struct tide_error err = {0};

	if (td_engine_map(e, first, pages, &err))
		fail_msg("%s", err.text);
}

static void gone(struct td_engine *e, uint64_t first, uint64_t pages)
{
	assert_int_equal(td_engine_gone(e, first, pages, NULL), 0);
}

static void assert_no_map(struct td_engine *e, uint64_t first, uint64_t pages, int code,
			  const char *said)
{
	struct tide_error err = {0};
	uint32_t chunks = e->near.chunks, allocations = e->near.allocations_n;

	assert_int_equal(td_engine_map(e, first, pages, &err), code);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
	assert_int_equal(e->near.chunks, chunks);
	assert_int_equal(e->near.allocations_n, allocations);
}

static void wrong_maps_are_refused(void **state)
{
	struct td_engine *e = begin_maps(4, 8);

	(void)state;
	map(e, 8, 6);
	assert_no_map(e, 2, 4, -EINVAL, "must begin a chunk");
	assert_no_map(e, 16, 0, -EINVAL, "have some");
	assert_no_map(e, UINT64_MAX - 3, 100, -EINVAL, "not valid");
	assert_no_map(e, 4, 5, -EEXIST, "meets another");
	assert_no_map(e, 12, 1, -EEXIST, "must be gone first");
	assert_no_map(e, 16, UINT64_C(1) << 40, -EOVERFLOW, "larger `chunk`");
	map(e, 4, 4);
	gone(e, 12, 2);
	map(e, 12, 1);
	td_engine_destroy(e);
	e = begin(4, 8, 100);
	assert_no_map(e, 0, 4, -EINVAL, "not valid");
	assert_int_equal(td_engine_gone(e, 0, 4, NULL), -EINVAL);
	td_engine_destroy(e);
}

static void the_range_is_what_is_mapped(void **state)
{
	struct td_engine *e = begin_maps(4, 8);
	struct tide_error err = {0};

	(void)state;
	assert_int_equal(e->near.chunks, 0);
	map(e, 8, 6);
	map(e, 0, 3);
	assert_int_equal(e->near.last_page, 13);
	assert_int_equal(e->near.chunks, 4);
	assert_int_equal(e->near.allocations_n, 2);
	assert_int_equal(e->near.allocations[0], 0);
	assert_int_equal(e->near.allocations[1], 8);
	assert_null(e->near.numbers);
	assert_int_equal(try_event(e, (struct td_event){.page = 3}, &err), -EFAULT);
	assert_non_null(strstr(err.text, "page 3 is accessed while it does not exist"));
	assert_int_equal(try_event(e, (struct td_event){.page = 17}, &err), -EOVERFLOW);
	td_engine_destroy(e);
}

/* A hole makes two allocations of one. */
static void a_hole_splits(void **state)
{
	struct td_engine *e = begin_maps(4, 8);
	const struct tide_view *view = &e->box[TD_BOX_EVICT].view;

	(void)state;
	map(e, 0, 40);
	gone(e, 10, 3);
	assert_int_equal(e->near.allocations_n, 2);
	assert_int_equal(tide_allocation(view, 9), 0);
	assert_int_equal(tide_allocation(view, 13), 1);
	assert_int_equal(e->near.allocations[1], 13);
	gone(e, 0, 5);
	assert_int_equal(e->near.allocations[0], 5);
	gone(e, 30, 100);
	gone(e, 8, 20);
	assert_int_equal(e->near.allocations_n, 2);
	assert_int_equal(e->near.allocations[0], 5);
	assert_int_equal(e->near.allocations[1], 28);
	gone(e, 0, 29);
	gone(e, 29, 0);
	assert_int_equal(e->near.allocations_n, 1);
	assert_int_equal(e->near.allocations[0], 29);
	td_engine_destroy(e);
}

static void plans_bring_only_what_exists(void **state)
{
	struct td_engine *e = begin_maps(4, 40);

	(void)state;
	map(e, 0, 6);
	map(e, 12, 8);
	gone(e, 2, 1);
	script.plan[0].n = 30;
	read_page(e, 0);
	assert_resident(e, 0, 2, true);
	assert_resident(e, 2, 1, false);
	assert_resident(e, 3, 3, true);
	assert_resident(e, 6, 6, false);
	assert_resident(e, 12, 8, true);
	assert_int_equal(e->counts.migrated_pages, 13);
	td_engine_destroy(e);
}

/* Pages that go were not evicted; only a chunk without pages leaves the policies' lists. */
static void what_is_gone_is_not_evicted(void **state)
{
	struct td_engine *e = begin_maps(4, 8);

	(void)state;
	map(e, 0, 8);
	script.plan[0].n = 3;
	write_page(e, 0);
	write_page(e, 5);
	*script.heard = '\0';
	gone(e, 0, 2);
	assert_heard("");
	assert_resident(e, 0, 2, false);
	assert_resident(e, 2, 1, true);
	assert_int_equal(e->near.free_pages, 6);
	gone(e, 2, 3);
	assert_heard("p evicted 0 4 4 0\ne evicted 0 4 4 0\n");
	assert_int_equal(e->near.free_pages, 7);
	assert_int_equal(e->near.resident_chunks, 1);
	assert_int_equal(e->counts.evicted_chunks, 0);
	assert_int_equal(e->counts.evicted_pages, 0);
	assert_int_equal(e->counts.writeback_pages, 0);
	/* The number is used again, and begins clean. */
	map(e, 0, 4);
	script.plan[0].n = 0;
	read_page(e, 1);
	assert_heard("p fault 0 1\ne fault 0 1\np plan 0 1\np migrated 0 2\ne migrated 0 2\n"
		     "p access 0 1 0\ne access 0 1 0\n");
	td_engine_destroy(e);
}

static void all_memory_is_taken_by_the_map(void **state)
{
	struct td_engine *e = begin_maps(1, 100);

	(void)state;
	map(e, 0, 100000);
	uint64_t moves = e->moves;
	for (uint64_t i = 0; i < 100000; i += 777)
		read_page(e, i);
	assert_int_equal(e->moves, moves);
	td_engine_destroy(e);
}

static void asked_pages_come_without_a_fault(void **state)
{
	struct td_engine *e = begin_maps(4, 4);

	(void)state;
	map(e, 0, 7);
	read_page(e, 4);
	*script.heard = '\0';
	assert_int_equal(td_engine_bring(e, (tide_chunk){0}, 0x7, NULL), 0);
	assert_heard("p migrated 0 7\ne migrated 0 7\n");
	assert_int_equal(e->counts.prefetched_pages, 3);
	assert_int_equal(e->counts.migrated_pages, 4);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(e->near.time, 1);
	/* It makes room, and the chunk itself is no victim. */
	assert_int_equal(td_engine_bring(e, (tide_chunk){0}, 0xf, NULL), 0);
	assert_heard("p full\ne full\ne pick 1\np evicted 1 1 1 0\ne evicted 1 1 1 0\n"
		     "p migrated 0 8\ne migrated 0 8\n");
	/* What is resident or does not exist, comes not. */
	assert_int_equal(td_engine_bring(e, (tide_chunk){0}, 0xf, NULL), 0);
	gone(e, 4, 3);
	assert_int_equal(td_engine_bring(e, (tide_chunk){1}, 0xf, NULL), 0);
	assert_heard("");
	td_engine_destroy(e);
}

static void cold_chunks_are_evicted(void **state)
{
	struct td_engine *e = begin_maps(4, 8);

	(void)state;
	map(e, 0, 8);
	write_page(e, 1);
	*script.heard = '\0';
	assert_int_equal(td_engine_cold(e, (tide_chunk){0}, NULL), 0);
	assert_int_equal(td_engine_cold(e, (tide_chunk){1}, NULL), 0);
	assert_heard("p evicted 0 2 2 2\ne evicted 0 2 2 2\n");
	assert_int_equal(e->counts.evicted_chunks, 1);
	assert_int_equal(e->counts.writeback_pages, 1);
	assert_int_equal(e->near.free_pages, 8);
	td_engine_destroy(e);
}

static enum tide_placement keep(void *self, tide_chunk c)
{
	(void)self, (void)c;
	return TIDE_KEEP;
}

/* Placed like any victim, but not kept; and brought from where it is, with its dirty bit. */
static void cold_chunks_are_placed(void **state)
{
	static const struct tide_policy keeper = {.api = TIDE_POLICY_API,
						  .size = sizeof(struct tide_policy),
						  .name = "keeper",
						  .role = TIDE_PLACE,
						  .summary = "keeps",
						  .place_victim = keep};
	struct td_engine_config config = config_of(1, 8);
	struct td_engine *e;

	(void)state;
	script = (struct script){0};
	config.maps = true;
	config.host_pages = 4;
	config.evict = own(&evicter);
	config.place = own(&keeper);
	e = start(&config);
	map(e, 0, 8);
	write_page(e, 1);
	assert_int_equal(td_engine_cold(e, (tide_chunk){1}, NULL), 0);
	assert_int_equal(e->near.host_free_pages, 3);
	assert_int_equal(td_engine_bring(e, (tide_chunk){1}, 1, NULL), 0);
	assert_int_equal(e->near.host_free_pages, 4);
	assert_int_equal(e->counts.tier2_hits, 1);
	assert_int_equal(tide_bits(&e->box[TD_BOX_EVICT].view, (tide_chunk){1}, TIDE_DIRTY), 1);
	/* What is gone leaves tier 2, and what has its number then is read anew. */
	assert_int_equal(td_engine_cold(e, (tide_chunk){1}, NULL), 0);
	gone(e, 0, 8);
	assert_int_equal(e->near.host_free_pages, 4);
	map(e, 0, 8);
	read_page(e, 1);
	assert_int_equal(e->counts.tier2_hits, 1);
	assert_int_equal(tide_bits(&e->box[TD_BOX_EVICT].view, (tide_chunk){1}, TIDE_DIRTY), 0);
	td_engine_destroy(e);
}

static void the_observed_are_forgotten(void **state)
{
	struct td_engine_config config = config_of(2, 8);
	struct td_engine *e;

	(void)state;
	config.maps = true;
	config.evict = named("observ-lru", TIDE_EVICT);
	e = start(&config);
	map(e, 0, 8);
	read_page(e, 0);
	assert_int_equal(e->observe.n[TIDE_OBSERVE], 1);
	gone(e, 0, 2);
	assert_int_equal(e->observe.n[TIDE_OBSERVE], 0);
	assert_int_equal(e->counts.notices, 0);
	td_engine_destroy(e);
}

/* Two allocations meet in the chunk: it is asked for once. */
static void a_mark_takes_each_chunk_once(void **state)
{
	struct td_engine *e = begin_maps(8, 64);
	struct tide_mark bring = {TIDE_MARK_BRING, 0, 6, 12}, cold = {TIDE_MARK_COLD, 0, 0, 100};
	struct tide_mark beyond = {TIDE_MARK_COLD, 0, 1, UINT64_MAX};

	(void)state;
	map(e, 0, 16);
	map(e, 24, 8);
	gone(e, 9, 2);
	assert_int_equal(td_engine_mark(e, &bring, NULL), 0);
	assert_heard("p migrated 0 c0\ne migrated 0 c0\np migrated 1 f9\ne migrated 1 f9\n");
	assert_int_equal(td_engine_mark(e, &cold, NULL), 0);
	assert_heard("p evicted 0 c0 0 0\ne evicted 0 c0 0 0\np evicted 1 f9 0 0\n"
		     "e evicted 1 f9 0 0\n");
	assert_int_equal(td_engine_mark(e, &beyond, NULL), -EINVAL);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_maps_are_refused),
		cmocka_unit_test(the_range_is_what_is_mapped),
		cmocka_unit_test(a_hole_splits),
		cmocka_unit_test(plans_bring_only_what_exists),
		cmocka_unit_test(what_is_gone_is_not_evicted),
		cmocka_unit_test(all_memory_is_taken_by_the_map),
		cmocka_unit_test(asked_pages_come_without_a_fault),
		cmocka_unit_test(cold_chunks_are_evicted),
		cmocka_unit_test(cold_chunks_are_placed),
		cmocka_unit_test(the_observed_are_forgotten),
		cmocka_unit_test(a_mark_takes_each_chunk_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
