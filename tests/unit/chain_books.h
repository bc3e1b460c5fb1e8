/* What the tests of mhpe and hpe share: a chunk chain and a wrong-eviction buffer kept the naive
 * way, in arrays, with the number of its interval beside each chunk. The policy runs inside one
 * that keeps these books and compares every victim. */
#ifndef TESTS_UNIT_CHAIN_BOOKS_H
#define TESTS_UNIT_CHAIN_BOOKS_H

#include <string.h>

#include "engine_help.h"

#define CHUNKS 512 /* more than any trace here has */
#define NOBODY UINT32_MAX

struct array {
	uint32_t at[CHUNKS];
	uint32_t n;
};

/* What the policy under test adds. */
struct rules {
	bool (*wrong_to_head)(void);
	void (*full)(void);
	void (*interval_ended)(void);
	uint32_t (*victim)(void);
};

static struct books {
	const struct tide_policy *inner;
	const struct rules *rules;
	const struct tide_view *view;
	struct array chain, buffer;     /* the oldest first */
	uint64_t interval_of[CHUNKS];   /* of the last insertion or move; 0: put at the head */
	uint64_t resident[CHUNKS];      /* pages */
	uint64_t interval, pages, room; /* its number; migrated in it; of the buffer */
	uint64_t length;                /* of an interval, in pages */
	uint64_t wrong, untouched;      /* in this interval */
	uint32_t came_back;             /* chunk that is to enter at the head */
	bool full;
	uint64_t asked;
} books;

static void put(struct array *a, uint32_t place, uint32_t c)
{
	memmove(&a->at[place + 1], &a->at[place], (a->n - place) * sizeof *a->at);
	a->at[place] = c;
	a->n++;
}

static bool drop(struct array *a, uint32_t c)
{
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->at[i] != c)
			continue;
		memmove(&a->at[i], &a->at[i + 1], (a->n - i - 1) * sizeof *a->at);
		a->n--;
		return true;
	}
	return false;
}

static bool may_leave(uint32_t c)
{
	const struct tide_near *near = books.view->near;

	if (c == near->fault_chunk.index)
		return false;
	for (uint32_t i = 0; near->planned && i < near->plan->n; i++)
		if (near->plan->other[i].number == c)
			return false;
	return true;
}

/* The valid chunks of the chain whose age in intervals lies between the two, oldest first. */
static struct array aged(uint64_t least, uint64_t most)
{
	struct array result = {.n = 0};

	for (uint32_t i = 0; i < books.chain.n; i++) {
		uint32_t c = books.chain.at[i];
		uint64_t age = books.interval - books.interval_of[c];
		if (may_leave(c) && age >= least && age <= most)
			put(&result, result.n, c);
	}
	return result;
}

static uint32_t oldest_of_all(void)
{
	return aged(0, UINT64_MAX).at[0];
}

/* Place in old where a search from its newest end begins; old is not empty. */
static uint32_t start_in(const struct array *old, uint64_t distance)
{
	return old->n < distance + 1 ? 0 : old->n - 1 - (uint32_t)distance;
}

static uint32_t oldest_of_younger(void)
{
	struct array middle = aged(1, 1), new = aged(0, 0);

	return middle.n ? middle.at[0] : new.at[0];
}

static void enter(uint32_t c)
{
	bool head = c == books.came_back;

	put(&books.chain, head ? 0 : books.chain.n, c);
	books.interval_of[c] = head ? 0 : books.interval;
}

/* ---- the policy around the policy ---- */

#define INNER(callback, ...) \
	do { \
		if (books.inner->callback) \
			books.inner->callback(self, ##__VA_ARGS__); \
	} while (0)

static int books_create(void *self, const struct tide_view *view, const union tide_value *values,
			struct tide_error *err)
{
	books.view = view;
	return books.inner->create(self, view, values, err);
}

static void books_full(void *self)
{
	books.full = true;
	books.room = books.chain.n / 64 * 8 > 8 ? books.chain.n / 64 * 8 : 8;
	books.pages = 0;
	books.rules->full();
	INNER(on_full);
}

static void books_fault(void *self, tide_chunk c, tide_page p)
{
	bool wrong = drop(&books.buffer, c.index);

	books.wrong += wrong;
	books.came_back = wrong && books.rules->wrong_to_head() ? c.index : NOBODY;
	if (drop(&books.chain, c.index))
		enter(c.index);
	INNER(on_fault, c, p);
}

static void books_migrated(void *self, tide_chunk c, uint64_t pages)
{
	if (!books.resident[c.index])
		enter(c.index);
	books.resident[c.index] |= pages;
	books.pages += (uint64_t)__builtin_popcountll(pages);
	if (books.pages >= books.length) {
		books.pages = 0;
		books.interval++;
		if (books.full)
			books.rules->interval_ended();
	}
	INNER(on_migrated, c, pages);
}

static void books_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	books.untouched += (uint64_t)__builtin_popcountll(what->resident & ~what->touched);
	books.resident[c.index] = 0;
	drop(&books.chain, c.index);
	drop(&books.buffer, c.index);
	put(&books.buffer, books.buffer.n, c.index);
	if (books.buffer.n > books.room)
		drop(&books.buffer, books.buffer.at[0]);
	INNER(on_evicted, c, what);
}

static tide_chunk books_pick(void *self)
{
	uint32_t expected = books.rules->victim();

	books.asked++;
	assert_int_equal(books.inner->pick_victim(self).index, expected);
	return (tide_chunk){expected};
}

static struct tide_policy around(const struct tide_policy *inner)
{
	struct tide_policy p = *inner;

	p.create = books_create;
	p.on_full = books_full;
	p.on_fault = books_fault;
	p.on_migrated = books_migrated;
	p.on_evicted = books_evicted;
	p.pick_victim = books_pick;
	return p;
}

struct run {
	const char *evict, *prefetch;
	uint32_t chunk_pages;
	uint64_t near_pages, pages, length; /* pages of the address range; of an interval */
	uint64_t accesses, seed;
};

/* Scans that are begun again, jumps, strides and a hot corner. */
static uint64_t next_page(const struct run *r, uint64_t at, uint64_t *random)
{
	uint64_t draw = tide_random_next(random);

	switch (draw % 16) {
	case 0: return (draw >> 8) % r->pages;
	case 1:
	case 2: return (draw >> 8) % (r->pages / 8 + 1);
	case 3: return (at + 2) % r->pages;
	case 4: return (at + r->chunk_pages) % r->pages;
	default: return (at + 1) % r->pages;
	}
}

/* Runs it with every victim compared; the caller destroys what comes back. */
static struct td_engine *run_beside_books(const struct run *r, const struct rules *rules,
					  struct tide_policy *room)
{
	struct td_engine_config config = config_of(r->chunk_pages, r->near_pages);
	uint64_t random = r->seed, page = 0;

	books = (struct books){
		.rules = rules, .interval = 2, .length = r->length, .came_back = NOBODY};
	config.evict = named(r->evict, TIDE_EVICT);
	config.prefetch = named(r->prefetch, TIDE_PREFETCH);
	books.inner = config.evict.policy;
	*room = around(books.inner);
	config.evict.policy = room;
	config.last_page = r->pages - 1;
	config.pages = r->pages;
	struct td_engine *e = start(&config);
	assert_true(e->space.identity);
	for (uint64_t i = 0; i < r->accesses; i++) {
		page = next_page(r, page, &random);
		read_page(e, page);
	}
	assert_int_equal(e->counts.policy_errors, 0);
	assert_int_equal(e->counts.evicted_chunks, books.asked);
	return e;
}

/* ---- what a policy reports ---- */

struct reported {
	const char *key;
	uint64_t number;
	const char *text;
	uint64_t list[16];
	size_t n;
	bool found;
};

static void see_number(void *to, const char *key, uint64_t value)
{
	struct reported *r = to;
	if (!strcmp(r->key, key))
		r->number = value, r->found = true;
}

static void see_text(void *to, const char *key, const char *value)
{
	struct reported *r = to;
	if (!strcmp(r->key, key))
		r->text = value, r->found = true;
}

static void see_list(void *to, const char *key, const uint64_t *values, size_t n)
{
	struct reported *r = to;
	if (strcmp(r->key, key))
		return;
	assert_true(n <= 16);
	r->n = n;
	r->found = true;
	memcpy(r->list, values, n * sizeof *values);
}

static struct reported reported(struct td_engine *e, const char *key)
{
	struct reported r = {.key = key};
	struct tide_report report = {&r, see_number, NULL, see_text, see_list};

	e->box[TD_BOX_EVICT].choice.policy->report(e->box[TD_BOX_EVICT].self, &report);
	if (!r.found)
		fail_msg("%s is not reported", key);
	return r;
}

#endif
