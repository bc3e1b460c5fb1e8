/* mhpe beside the naive reading of its rules, and on the examples of its paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chain_books.h"

/* ---- the rules, naively ---- */

static struct {
	uint64_t t1, t2, t3; /* parameters */
	bool lru;
	uint64_t distance, ended, switched_at;
	uint64_t untouched_by[4];
} own_books;

static bool to_head(void)
{
	return !own_books.lru;
}

static void full(void)
{
	uint64_t d = books.chain.n / 100;

	own_books.distance = d < 2 ? 2 : d > 8 ? 8 : d;
}

static uint64_t growth(void)
{
	static const uint64_t from[] = {4, 11, 18, 25};
	uint64_t level = 0, wrong = books.wrong > 4 ? 4 : books.wrong;

	for (int i = 0; i < 4; i++)
		level += books.untouched >= from[i];
	return level > wrong ? level : wrong;
}

static void interval_ended(void)
{
	uint64_t first_four = 0;

	if (own_books.ended < 4)
		own_books.untouched_by[own_books.ended] = books.untouched;
	own_books.ended++;
	for (int i = 0; i < 4; i++)
		first_four += own_books.untouched_by[i];
	if (!own_books.lru && (books.untouched >= own_books.t1 ||
			       (own_books.ended == 4 && first_four >= own_books.t2))) {
		own_books.lru = true;
		own_books.switched_at = own_books.ended;
	} else if (!own_books.lru && own_books.distance < own_books.t3) {
		own_books.distance += growth();
		if (own_books.distance > own_books.t3)
			own_books.distance = own_books.t3;
	}
	books.untouched = books.wrong = 0;
}

static uint32_t victim(void)
{
	struct array old = aged(2, UINT64_MAX);

	if (own_books.lru)
		return oldest_of_all();
	return old.n ? old.at[start_in(&old, own_books.distance)] : oldest_of_younger();
}

static const struct rules rules = {to_head, full, interval_ended, victim};

static void run_one(const struct run *r, uint64_t t1, uint64_t t2, uint64_t t3)
{
	char evict[96];
	struct run with_name = *r;
	struct tide_policy room;

	memset(&own_books, 0, sizeof own_books);
	own_books.t1 = t1, own_books.t2 = t2, own_books.t3 = t3;
	snprintf(evict, sizeof evict, "mhpe:t1=%lu,t2=%lu,t3=%lu,interval=%lu", t1, t2, t3,
		 r->length);
	with_name.evict = evict;
	struct td_engine *e = run_beside_books(&with_name, &rules, &room);
	assert_string_equal(reported(e, "strategy").text, own_books.lru ? "lru" : "mru");
	assert_int_equal(reported(e, "forward_distance").number, own_books.distance);
	assert_int_equal(reported(e, "switched_at_interval").number, own_books.switched_at);
	td_engine_destroy(e);
}

/* Every combination sees both strategies somewhere, or the test tests less than it says. */
static void victims_are_those_of_the_rules(void **state)
{
	static const char *const prefetch[] = {"none",       "locality", "tree", "sequential:n=24",
					       "sequential", "pattern"};
	static const uint32_t chunk_pages[] = {1, 3, 16};
	uint64_t asked = 0, switched[5] = {0}, grown = 0;

	(void)state;
	for (uint64_t i = 0; i < 6 * 3 * 6; i++) {
		uint32_t p = chunk_pages[i / 6 % 3];
		uint64_t chunks = i % 4 ? 60 : 400;
		struct run r = {.prefetch = prefetch[i % 6],
				.chunk_pages = p,
				.near_pages = (i / 18 % 3 + 1) * chunks / 4 * p + i % 3,
				.pages = chunks * p - p / 2,
				.length = i / 18 % 2 ? 64 : 3 * p + 1,
				.accesses = 6000,
				.seed = i};
		run_one(&r, i % 5 ? 32 : 1000, i % 7 ? 40 : 1000, i % 3 ? 32 : 5);
		asked += books.asked;
		switched[own_books.switched_at < 4 ? own_books.switched_at : 4]++;
		grown += own_books.distance > 8;
	}
	assert_true(asked > 100000);
	assert_true(switched[0] && switched[1] && switched[2] + switched[3] && switched[4]);
	assert_true(grown > 10);
}

/* ---- the paper's Figure 5 and other statements, chunk by chunk ---- */

/* Chunks of 4 pages, of which each fault brings all; C1 is chunk 1. */
static struct td_engine *eight_chunks(const char *evict)
{
	struct td_engine_config config = config_of(4, 32);

	config.last_page = 4 * 64 - 1;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named("locality", TIDE_PREFETCH);
	struct td_engine *e = start(&config);
	for (uint64_t c = 1; c <= 8; c++)
		read_page(e, 4 * c);
	return e;
}

static void fault_evicts(struct td_engine *e, uint64_t chunk, uint64_t gone)
{
	uint64_t before = e->counts.evicted_chunks;

	assert_true(is_resident(e, 4 * gone));
	read_page(e, 4 * chunk);
	assert_int_equal(e->counts.evicted_chunks, before + 1);
	assert_false(is_resident(e, 4 * gone));
}

static void figure_5(void **state)
{
	static const struct {
		const char *evict;
		uint64_t gone;
	} cases[] = {{"mhpe:interval=16,fd=0", 4}, {"mhpe:interval=16,fd=2", 2},
		     {"mhpe:interval=16", 2},      {"mhpe:interval=16,fd=3", 1},
		     {"mhpe:interval=16,fd=9", 1}, {"lrm", 1}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct td_engine *e = eight_chunks(cases[i].evict);
		fault_evicts(e, 9, cases[i].gone);
		td_engine_destroy(e);
	}
}

/* Nothing is two intervals old: the oldest of middle, then of new. */
static void no_old_chunks(void **state)
{
	struct td_engine *e = eight_chunks("mhpe:interval=20,fd=0"); /* C6 to C8 are new */

	(void)state;
	fault_evicts(e, 9, 1);
	td_engine_destroy(e);
	e = eight_chunks("mhpe:interval=1000,fd=0");
	fault_evicts(e, 9, 1);
	td_engine_destroy(e);
}

/* C4 comes back at the head, where the search from the other end gets last. */
static void wrongly_evicted_goes_to_the_head(void **state)
{
	struct td_engine *e = eight_chunks("mhpe:interval=16,fd=0,t1=1000,t2=1000,t3=0");

	(void)state;
	fault_evicts(e, 9, 4);
	fault_evicts(e, 4, 3); /* old is now C4 C1 C2 */
	fault_evicts(e, 10, 2);
	fault_evicts(e, 11, 1); /* the interval ends: C5 to C8 are old */
	for (uint64_t c = 12; c < 16; c++)
		fault_evicts(e, c, 8 - (c - 12));
	assert_true(is_resident(e, 16));
	assert_int_equal(reported(e, "buffer_entries").number, 7);
	assert_int_equal(reported(e, "chain_entries").number, 8);
	td_engine_destroy(e);
}

/* After the switch a chunk that comes back is as new as any. */
static void wrongly_evicted_goes_to_the_tail_under_lru(void **state)
{
	struct td_engine *e = eight_chunks("mhpe:interval=16,fd=0,t1=0");

	(void)state;
	fault_evicts(e, 9, 4);
	fault_evicts(e, 10, 3);
	fault_evicts(e, 11, 2);
	fault_evicts(e, 12, 1); /* the interval ends, with 12 untouched pages, and so does MRU */
	assert_int_equal(reported(e, "switched_at_interval").number, 1);
	fault_evicts(e, 4, 5);
	fault_evicts(e, 3, 6);
	assert_true(is_resident(e, 16));
	assert_int_equal(reported(e, "untouch_by_interval").list[0], 12);
	td_engine_destroy(e);
}

/* 12 of 16 pages leave untouched in each interval: 48 in four. */
static void second_threshold_is_for_the_fourth_interval(void **state)
{
	struct td_engine *e = eight_chunks("mhpe:interval=16,t1=13,t2=48");

	(void)state;
	for (uint64_t c = 9; c < 9 + 15; c++)
		read_page(e, 4 * c);
	assert_string_equal(reported(e, "strategy").text, "mru");
	read_page(e, 4 * 24);
	assert_string_equal(reported(e, "strategy").text, "lru");
	assert_int_equal(reported(e, "switched_at_interval").number, 4);
	struct reported distances = reported(e, "forward_distance_by_interval");
	assert_int_equal(distances.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(distances.list[i], 2 + 2 * i); /* level 2 each */
	td_engine_destroy(e);

	e = eight_chunks("mhpe:interval=16,t1=13,t2=49");
	for (uint64_t c = 9; c < 9 + 40; c++)
		read_page(e, 4 * c);
	assert_string_equal(reported(e, "strategy").text, "mru");
	assert_null(reported(e, "switched_at_interval").text);
	td_engine_destroy(e);
}

static void never_full(void **state)
{
	struct td_engine *e = eight_chunks("mhpe");

	(void)state;
	assert_string_equal(reported(e, "strategy").text, "mru");
	assert_int_equal(reported(e, "forward_distance").number, 0);
	assert_int_equal(reported(e, "untouch_by_interval").n, 0);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(victims_are_those_of_the_rules),
		cmocka_unit_test(figure_5),
		cmocka_unit_test(no_old_chunks),
		cmocka_unit_test(wrongly_evicted_goes_to_the_head),
		cmocka_unit_test(wrongly_evicted_goes_to_the_tail_under_lru),
		cmocka_unit_test(second_threshold_is_for_the_fourth_interval),
		cmocka_unit_test(never_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
