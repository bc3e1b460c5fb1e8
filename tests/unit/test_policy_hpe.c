/* hpe beside the naive reading of its rules, with walks short and long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chain_books.h"

enum { REGULAR, IRREGULAR_1, IRREGULAR_2 };

static struct {
	int class;
	bool lru;
	uint64_t distance, age, switches;
	uint64_t left_at[2]; /* how old LRU, MRU-C was when it was left; 0: never */
	uint64_t far;        /* searches that went past 64 chunks */
} own_books;

static bool is_complete(uint32_t c)
{
	return __builtin_popcountll(books.resident[c]) == (int)books.view->near->chunk_pages;
}

static bool to_head(void)
{
	return false;
}

static void full(void)
{
	double complete = 0;

	for (uint32_t i = 0; i < books.chain.n; i++)
		complete += is_complete(books.chain.at[i]);
	double f = complete / books.chain.n;
	own_books.class = f >= 0.75 ? REGULAR : f <= 0.25 ? IRREGULAR_1 : IRREGULAR_2;
	own_books.lru = own_books.class != REGULAR;
}

static void interval_ended(void)
{
	uint64_t *left_at = own_books.left_at;

	own_books.age++;
	if (own_books.class == REGULAR) {
		own_books.distance += books.wrong > 4 ? 4 : books.wrong;
		if (own_books.distance > 32)
			own_books.distance = 32;
	}
	if (own_books.class == IRREGULAR_2 && books.wrong >= 2 &&
	    (!left_at[own_books.lru] || own_books.age <= left_at[own_books.lru])) {
		left_at[!own_books.lru] = own_books.age;
		own_books.lru = !own_books.lru;
		own_books.age = 0;
		own_books.switches++;
	}
	books.wrong = 0;
}

static uint32_t victim(void)
{
	struct array old = aged(2, UINT64_MAX);

	if (own_books.lru)
		return oldest_of_all();
	if (!old.n)
		return oldest_of_younger();
	uint32_t start = start_in(&old, own_books.distance);
	for (uint32_t i = start + 1; i-- > 0;) {
		if (is_complete(old.at[i])) {
			own_books.far += start - i > 64;
			return old.at[i];
		}
	}
	own_books.far += start > 64;
	return old.at[start];
}

static const struct rules rules = {to_head, full, interval_ended, victim};

static void run_one(const struct run *r)
{
	static const char *const classes[] = {"regular", "irregular#1", "irregular#2"};
	char evict[64];
	struct run with_name = *r;
	struct tide_policy room;

	memset(&own_books, 0, sizeof own_books);
	snprintf(evict, sizeof evict, "hpe:interval=%lu", r->length);
	with_name.evict = evict;
	struct td_engine *e = run_beside_books(&with_name, &rules, &room);
	assert_string_equal(reported(e, "class").text, classes[own_books.class]);
	assert_string_equal(reported(e, "strategy").text, own_books.lru ? "lru" : "mru-c");
	assert_int_equal(reported(e, "forward_distance").number, own_books.distance);
	assert_int_equal(reported(e, "switches").number, own_books.switches);
	td_engine_destroy(e);
}

static void victims_are_those_of_the_rules(void **state)
{
	static const char *const prefetch[] = {"none",           "none",   "locality",
					       "locality-stop",  "tree",   "sequential:n=3",
					       "sequential:n=7", "pattern"};
	static const uint32_t chunk_pages[] = {1, 2, 4, 16};
	uint64_t asked = 0, class[3] = {0}, switches = 0, far = 0, grown = 0;

	(void)state;
	for (uint64_t i = 0; i < 8 * 4 * 6; i++) {
		uint32_t p = chunk_pages[i / 8 % 4];
		uint64_t chunks = i / 32 % 2 ? 60 : 500;
		struct run r = {.prefetch = prefetch[i % 8],
				.chunk_pages = p,
				.near_pages = (i / 64 + 1) * chunks / 8 * p + i % 3,
				.pages = chunks * p - p / 2,
				.length = i % 3 ? 3 * p + 1 : 64,
				.accesses = 12000,
				.seed = i};
		run_one(&r);
		asked += books.asked;
		class[own_books.class]++;
		switches += own_books.switches;
		far += own_books.far;
		grown += own_books.distance > 4;
	}
	assert_true(asked > 100000);
	assert_true(class[REGULAR] > 20 && class[IRREGULAR_1] > 10 && class[IRREGULAR_2] > 10);
	assert_true(switches > 20 && far > 1000 && grown > 10);
}

/* ---- by hand: chunks of 4 pages, of which the first n are read ---- */

static void read_chunk(struct td_engine *e, uint64_t chunk, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		read_page(e, 4 * chunk + i);
}

static struct td_engine *start_hpe(const char *evict, const char *prefetch, uint64_t near_pages)
{
	struct td_engine_config config = config_of(4, near_pages);

	config.last_page = 4 * 64 - 1;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	return start(&config);
}

static void assert_class(const char *prefetch, uint64_t whole, uint64_t halves, const char *class)
{
	struct td_engine *e = start_hpe("hpe", prefetch, 8 * 4);

	assert_null(reported(e, "class").text);
	assert_null(reported(e, "strategy").text);
	for (uint64_t c = 0; c < whole + halves; c++)
		read_chunk(e, c, c < whole ? 4 : 1);
	for (uint64_t page = 4 * 40; !e->full; page++)
		read_page(e, page); /* whole chunks, to fill what is left */
	assert_string_equal(reported(e, "class").text, class);
	td_engine_destroy(e);
}

/* What faults fill memory with are 8 chunks of 4 pages; a prefetcher makes all of them complete. */
static void class_by_complete_chunks(void **state)
{
	(void)state;
	assert_class("none", 6, 8, "irregular#2");  /* 6 of 14 */
	assert_class("none", 7, 4, "irregular#2");  /* 7 of 11 */
	assert_class("none", 7, 1, "regular");      /* 7 of 9, with 3 pages of one more */
	assert_class("none", 4, 16, "irregular#1"); /* 4 of 20 */
	assert_class("locality", 0, 8, "regular");
}

/* Old is C0 to C6; C5 and C6, its newest, are not complete. */
static void complete_chunks_leave_first(void **state)
{
	static const uint64_t pages[10] = {4, 4, 4, 4, 4, 3, 1, 4, 4, 4};
	struct td_engine *e = start_hpe("hpe:interval=12", "none", 36);

	(void)state;
	for (uint64_t c = 0; c < 10; c++)
		read_chunk(e, c, pages[c]);
	read_page(e, 4 * 10);
	assert_string_equal(reported(e, "class").text, "regular");
	assert_false(is_resident(e, 4 * 4));
	for (uint64_t c = 11; c < 15; c++)
		read_page(e, 4 * c);
	assert_false(is_resident(e, 4 * 3));
	assert_true(is_resident(e, 4 * 5) && is_resident(e, 4 * 6));
	assert_int_equal(e->counts.evicted_chunks, 2);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(victims_are_those_of_the_rules),
		cmocka_unit_test(class_by_complete_chunks),
		cmocka_unit_test(complete_chunks_leave_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
