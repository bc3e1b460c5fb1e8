/* The victims of the ordered policies beside choosers that look at every chunk: each policy runs
 * inside one that keeps its own books and compares every answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine_help.h"

#define CHUNKS 128 /* more than any trace here has */
#define SEED 7

/* What a naive reader of the specification keeps about a chunk. */
struct book {
	uint64_t resident;                /* pages */
	uint64_t entered, migrated, used; /* stamps */
	uint64_t count;
};

static struct {
	const struct tide_policy *inner;
	tide_chunk (*expected)(void); /* compares by number */
	const struct tide_view *view;
	struct book book[CHUNKS];
	uint64_t base; /* number of the first chunk; its book is 0 */
	uint64_t stamp, random, asked;
	const struct td_event *events;
	uint64_t n_events;
	unsigned pct_tenths; /* of reserved-lru */
} books;

static uint64_t number(tide_chunk c)
{
	return tide_chunk_number(books.view, c) - books.base;
}

static struct book *book_of(tide_chunk c)
{
	assert_true(number(c) < CHUNKS);
	return &books.book[number(c)];
}

/* By the set itself, not by the engine's bitmap of it. */
static bool is_valid(uint64_t chunk)
{
	const struct tide_near *near = books.view->near;

	if (!books.book[chunk].resident || chunk == number(near->fault_chunk))
		return false;
	for (uint32_t i = 0; near->planned && i < near->plan->n; i++)
		if (near->plan->other[i].number - books.base == chunk)
			return false;
	return true;
}

/* ---- the choosers: chunk numbers, CHUNKS for none ---- */

static tide_chunk as_number(uint64_t chunk)
{
	return (tide_chunk){(uint32_t)chunk};
}

/* The valid chunk with the lowest key, the first of them on a tie. */
static tide_chunk least(uint64_t (*key)(uint64_t chunk))
{
	uint64_t best = CHUNKS;

	for (uint64_t c = 0; c < CHUNKS; c++)
		if (is_valid(c) && (best == CHUNKS || key(c) < key(best)))
			best = c;
	return as_number(best);
}

static uint64_t by_entry(uint64_t c)
{
	return books.book[c].entered;
}

static uint64_t by_migration(uint64_t c)
{
	return books.book[c].migrated;
}

static uint64_t by_use(uint64_t c)
{
	return books.book[c].used;
}

static uint64_t by_use_downward(uint64_t c)
{
	return UINT64_MAX - books.book[c].used;
}

static uint64_t by_count(uint64_t c)
{
	return books.book[c].count << 32 | books.book[c].used;
}

/* Furthest first; never is furthest of all, and then the lowest number wins. */
static uint64_t by_next_use(uint64_t c)
{
	for (uint64_t t = books.view->near->time; t < books.n_events; t++)
		if (books.events[t].page / books.view->near->chunk_pages - books.base == c)
			return UINT64_MAX - t;
	return 0;
}

static tide_chunk fifo(void)
{
	return least(by_entry);
}

static tide_chunk lrm(void)
{
	return least(by_migration);
}

static tide_chunk lru(void)
{
	return least(by_use);
}

static tide_chunk mru(void)
{
	return least(by_use_downward);
}

static tide_chunk lfu(void)
{
	return least(by_count);
}

static tide_chunk opt(void)
{
	return least(by_next_use);
}

static tide_chunk uniform(void)
{
	uint64_t n = 0, k;

	for (uint64_t c = 0; c < CHUNKS; c++)
		n += is_valid(c);
	k = tide_random_next(&books.random) % n;
	for (uint64_t c = 0;; c++)
		if (is_valid(c) && k-- == 0)
			return as_number(c);
}

/* How many resident chunks stand before this one in the lru list. */
static uint64_t place_in_lru(uint64_t chunk)
{
	uint64_t place = 0;

	for (uint64_t c = 0; c < CHUNKS; c++)
		place += books.book[c].resident && by_use(c) < by_use(chunk);
	return place;
}

static tide_chunk reserved_lru(void)
{
	uint64_t length = 0, spared, best = CHUNKS;

	for (uint64_t c = 0; c < CHUNKS; c++)
		length += books.book[c].resident != 0;
	spared = books.pct_tenths * length / 1000;
	for (uint64_t c = 0; c < CHUNKS; c++)
		if (is_valid(c) && place_in_lru(c) >= spared &&
		    (best == CHUNKS || by_use(c) < by_use(best)))
			best = c;
	return best == CHUNKS ? lru() : as_number(best);
}

/* ---- the policy around the policy ---- */

#define INNER(callback, ...) \
	do { \
		if (books.inner->callback) \
			books.inner->callback(self, ##__VA_ARGS__); \
	} while (0)

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	books.view = view;
	return books.inner->create(self, view, values, err);
}

static void destroy(void *self)
{
	INNER(destroy);
}

static void on_full(void *self)
{
	INNER(on_full);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	book_of(c)->migrated = ++books.stamp;
	INNER(on_fault, c, p);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct book *b = book_of(c);

	assert_int_equal(b->resident & pages, 0);
	b->migrated = ++books.stamp;
	if (!b->resident) {
		b->entered = b->used = b->migrated;
		b->count = 0;
	}
	b->resident |= pages;
	INNER(on_migrated, c, pages);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	book_of(c)->used = ++books.stamp;
	book_of(c)->count++;
	INNER(on_access, c, p, ref);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	assert_int_equal(book_of(c)->resident, what->resident);
	book_of(c)->resident = 0;
	INNER(on_evicted, c, what);
}

static tide_chunk pick_victim(void *self)
{
	tide_chunk expected = books.expected(), answer = books.inner->pick_victim(self);

	books.asked++;
	assert_int_not_equal(expected.index, CHUNKS);
	assert_int_not_equal(answer.index, UINT32_MAX);
	assert_int_equal(number(answer), expected.index);
	return answer;
}

static struct tide_policy around(const struct tide_policy *inner)
{
	struct tide_policy p = *inner;

	p.needs |= TIDE_NEEDS_ACCESSES;
	p.create = create;
	p.destroy = destroy;
	p.on_full = on_full;
	p.on_fault = on_fault;
	p.on_migrated = on_migrated;
	p.on_access = on_access;
	p.on_evicted = on_evicted;
	p.pick_victim = pick_victim;
	return p;
}

/* ---- runs ---- */

static const struct subject {
	const char *evict;
	tide_chunk (*expected)(void);
	unsigned pct_tenths;
} subjects[] = {
	{"fifo", fifo, 0},
	{"lrm", lrm, 0},
	{"lru", lru, 0},
	{"mru", mru, 0},
	{"lfu", lfu, 0},
	{"opt", opt, 0},
	{"random", uniform, 0},
	{"reserved-lru", reserved_lru, 100},
	{"reserved-lru:pct=0", reserved_lru, 0},
	{"reserved-lru:pct=12.5", reserved_lru, 125},
	{"reserved-lru:pct=50", reserved_lru, 500},
	{"reserved-lru:pct=99.9", reserved_lru, 999},
	{"reserved-lru:pct=100", reserved_lru, 1000},
};

struct run {
	uint32_t chunk_pages;
	uint64_t near_pages, last_page;
	const char *prefetch;
	uint64_t base; /* not 0: too high for anything but a map of the chunks */
};

static void run_one(const struct subject *s, const struct run *r, const struct td_event *events,
		    uint64_t n)
{
	struct td_engine_config config = config_of(r->chunk_pages, r->near_pages);
	struct array_source source = array_of(events, n);
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_policy policy;
	struct td_engine *e;

	assert_non_null(batch);
	memset(&books, 0, sizeof books);
	config.evict = named(s->evict, TIDE_EVICT);
	config.prefetch = named(r->prefetch, TIDE_PREFETCH);
	books.inner = config.evict.policy;
	books.expected = s->expected;
	books.pct_tenths = s->pct_tenths;
	books.events = events;
	books.n_events = config.length = n;
	books.random = config.seed = SEED;
	policy = around(books.inner);
	config.evict.policy = &policy;
	config.last_page = r->last_page;
	books.base = r->base;
	e = start(&config);
	assert_int_equal(e->space.identity, !r->base);
	if (e->wants_future)
		assert_int_equal(td_sim_foresee(e, &source.head, NULL), 0);
	while (!array_next(&source.head, batch, NULL) && batch->n)
		assert_int_equal(td_sim_batch(e, batch, NULL), 0);
	assert_int_equal(e->counts.policy_errors, 0);
	assert_int_equal(e->counts.evicted_chunks, books.asked);
	td_engine_destroy(e);
	free(batch);
}

/* Steps, jumps and a hot corner. */
static void make_events(struct td_event *events, uint64_t n, uint64_t first, uint64_t pages,
			uint64_t seed)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t draw = tide_random_next(&seed);
		if (draw % 4 == 0)
			at = (draw >> 8) % pages;
		else if (draw % 4 == 1)
			at = (draw >> 8) % (pages / 8 + 1);
		else
			at = (at + 1) % pages;
		events[i] = (struct td_event){.page = first + at, .write = draw >> 63};
	}
}

static void run_all(uint32_t chunk_pages, uint64_t chunks)
{
	static const char *const prefetch[] = {"none", "locality", "tree", "sequential:n=5",
					       "sequential"};
	static struct td_event events[400];
	uint64_t pages = chunks * chunk_pages - chunk_pages / 2, asked = 0;

	for (size_t i = 0; i < 5 * sizeof subjects / sizeof *subjects; i++) {
		for (uint64_t k = 0; k < 6; k++) {
			uint64_t near = chunk_pages * (k % 3 ? chunks * (k % 3) / 4 : 2) + k;
			uint64_t base = k % 2 ? 0 : UINT64_C(1) << 40, first = base * chunk_pages;
			struct run r = {chunk_pages, near, first + pages - 1, prefetch[i % 5],
					base};
			make_events(events, 400, first, pages, i * 10 + k);
			run_one(&subjects[i / 5], &r, events, 400);
			asked += books.asked;
		}
	}
	assert_true(asked > 10000);
}

static void victims_of_single_pages(void **state)
{
	(void)state;
	run_all(1, 60);
}

static void victims_of_chunks_of_3(void **state)
{
	(void)state;
	run_all(3, 30);
}

static void victims_of_chunks_of_16(void **state)
{
	(void)state;
	run_all(16, 24);
}

static void victims_of_chunks_of_64(void **state)
{
	(void)state;
	run_all(64, 16);
}

/* All pages of its small queue were used often enough for main, which is empty: the one that is
 * here must be named all the same. */
static void s3fifo_names_the_only_page(void **state)
{
	struct td_engine_config config = config_of(1, 20);
	struct tide_error err = {0};
	struct td_engine *e;

	(void)state;
	config.evict = named("s3fifo", TIDE_EVICT);
	config.prefetch = named("sequential:n=20", TIDE_PREFETCH);
	config.last_page = 1000;
	e = start(&config);
	for (int i = 0; i < 3; i++)
		read_page(e, 1000);
	if (try_event(e, (struct td_event){.page = 0}, &err))
		fail_msg("%s", err.text);
	assert_int_equal(e->counts.evicted_pages, 1);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(victims_of_single_pages),
		cmocka_unit_test(victims_of_chunks_of_3),
		cmocka_unit_test(victims_of_chunks_of_16),
		cmocka_unit_test(victims_of_chunks_of_64),
		cmocka_unit_test(s3fifo_names_the_only_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
