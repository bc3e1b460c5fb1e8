/* A policy beside a slow version of itself, written from its description with plain arrays. Both
 * get the same accesses. Every hit, every miss and every victim must be the same. */
#ifndef TESTS_UNIT_SLOW_HELP_H
#define TESTS_UNIT_SLOW_HELP_H

#include "engine_help.h"

#define PAGES 240 /* more than any trace here has */
#define SLOW_ACCESSES 3000
#define HIT (UINT64_MAX - 1)
#define ROOM UINT64_MAX /* a miss for which nothing leaves */

/* One access: returns HIT, ROOM or the page that leaves for it. */
struct slow {
	const char *spec;
	void (*begin)(uint64_t near_pages);
	uint64_t (*access)(uint64_t page);
	/* SLOW_ACCESSES pages to access, and their positions in groups; NULL: the usual traces. */
	const uint64_t *pages, *positions;
};

/* ---- what a slow version needs ---- */

/* Pages in some order, the oldest first. */
struct line {
	uint64_t at[PAGES];
	size_t n;
};

static inline size_t line_find(const struct line *l, uint64_t page)
{
	size_t i = 0;
	while (i < l->n && l->at[i] != page)
		i++;
	return i;
}

static inline bool line_has(const struct line *l, uint64_t page)
{
	return line_find(l, page) < l->n;
}

static inline bool line_drop(struct line *l, uint64_t page)
{
	size_t i = line_find(l, page);
	if (i == l->n)
		return false;
	memmove(&l->at[i], &l->at[i + 1], (l->n - i - 1) * sizeof *l->at);
	l->n--;
	return true;
}

static inline void line_append(struct line *l, uint64_t page)
{
	assert_true(l->n < PAGES);
	l->at[l->n++] = page;
}

static inline uint64_t line_pop(struct line *l)
{
	uint64_t page = l->at[0];
	line_drop(l, page);
	return page;
}

/* ---- the policy, watched ---- */

static struct {
	const struct tide_policy *inner;
	const struct tide_view *view;
	uint64_t victim;   /* of the last access, or ROOM */
	uint64_t position; /* of the present access in its group */
} watched;

static int watched_create(void *self, const struct tide_view *view, const union tide_value *values,
			  struct tide_error *err)
{
	watched.view = view;
	return watched.inner->create(self, view, values, err);
}

static void watched_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	watched.victim = tide_chunk_number(watched.view, c);
	watched.inner->on_evicted(self, c, what);
}

/* The engine's near memory is not constant, only the policy's view of it. */
static void set_position(void)
{
	((struct tide_near *)(uintptr_t)watched.view->near)->group_at = watched.position;
}

static void watched_fault(void *self, tide_chunk c, tide_page p)
{
	set_position();
	if (watched.inner->on_fault)
		watched.inner->on_fault(self, c, p);
}

static void watched_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	set_position();
	watched.inner->on_access(self, c, p, ref);
}

/* ---- traces ---- */

enum trace_kind { RANDOM, ZIPF, LOOP, SCAN, PHASES, TRACES };

/* Small numbers often, large ones seldom. */
static inline uint64_t skewed(uint64_t *seed, uint64_t pages)
{
	uint64_t limit = 1 + tide_random_next(seed) % pages;
	limit = 1 + tide_random_next(seed) % limit;
	return tide_random_next(seed) % limit;
}

static inline uint64_t trace_page(enum trace_kind kind, uint64_t i, uint64_t *seed)
{
	switch (kind) {
	case RANDOM: return tide_random_next(seed) % (PAGES / 2);
	case ZIPF: return skewed(seed, PAGES);
	case LOOP: return i % 60;
	case SCAN: return i % 3 ? i / 3 % PAGES : skewed(seed, PAGES / 4);
	default: return (i / 700 * 40 + skewed(seed, PAGES / 2)) % PAGES;
	}
}

static inline void slow_run(const struct slow *slow, uint64_t near_pages, enum trace_kind kind)
{
	struct td_engine_config config = config_of(1, near_pages);
	struct tide_policy policy;
	struct td_engine *e;
	uint64_t seed = near_pages + 17, hits = 0;

	config.evict = named(slow->spec, TIDE_EVICT);
	config.prefetch = named("none", TIDE_PREFETCH);
	watched.inner = config.evict.policy;
	policy = *watched.inner;
	policy.create = watched_create;
	policy.on_evicted = watched_evicted;
	policy.on_fault = watched_fault;
	policy.on_access = watched_access;
	config.evict.policy = &policy;
	e = start(&config);
	slow->begin(near_pages);
	for (uint64_t i = 0; i < SLOW_ACCESSES; i++) {
		uint64_t page = slow->pages ? slow->pages[i] : trace_page(kind, i, &seed);
		watched.position = slow->positions ? slow->positions[i] : UINT64_MAX;
		watched.victim = ROOM;
		uint64_t expected = slow->access(page);
		read_page(e, page);
		hits += expected == HIT;
		if (e->counts.hits != hits || (expected != HIT && watched.victim != expected))
			fail_msg("%s, %lu pages, trace %d, access %lu to page %lu: %lu hits and "
				 "victim %ld; the slow version has %lu and %ld",
				 slow->spec, near_pages, kind, i, page, e->counts.hits,
				 (long)watched.victim, hits, (long)expected);
	}
	assert_int_equal(e->counts.faults, SLOW_ACCESSES - hits);
	td_engine_destroy(e);
}

static inline void slow_sizes(const struct slow *slow)
{
	static const uint64_t sizes[] = {1, 2, 3, 7, 20, 50, 110, 230};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (int kind = 0; kind < (slow->pages ? 1 : TRACES); kind++)
			slow_run(slow, sizes[i], (enum trace_kind)kind);
	}
}

static inline void slow_runs(const char *spec, void (*begin)(uint64_t near_pages),
			     uint64_t (*access)(uint64_t page))
{
	slow_sizes(&(struct slow){spec, begin, access, NULL, NULL});
}

/* ---- lru, which several policies are in a special case ---- */

static struct line lru_pages;
static uint64_t lru_capacity;

static inline void lru_begin(uint64_t near_pages)
{
	lru_pages.n = 0;
	lru_capacity = near_pages;
}

static inline uint64_t lru_access(uint64_t page)
{
	uint64_t result = line_drop(&lru_pages, page) ? HIT : ROOM;

	if (result == ROOM && lru_pages.n == lru_capacity)
		result = line_pop(&lru_pages);
	line_append(&lru_pages, page);
	return result;
}

#endif
