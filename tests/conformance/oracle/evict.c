/* The reference eviction policies of section 2 that work for every chunk size. List a is their
 * only list; chunks leave it when they are evicted. */
#include "oracle.h"

#include <string.h>

void leave(struct evictor *e, uint32_t c, bool unused)
{
	(void)unused;
	list_drop(&e->a, c);
}

void enter_once(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	(void)pages;
	if (first_page)
		list_push(&e->a, c);
}

/* The first valid entry from index `from` on, or NONE. */
static uint32_t first_valid(const struct evictor *e, size_t from)
{
	for (size_t i = from; i < e->a.n; i++)
		if (valid(e->o, e->a.at[i]))
			return e->a.at[i];
	return NONE;
}

uint32_t oldest(struct evictor *e)
{
	return first_valid(e, 0);
}

/* lrm */

static void lrm_fault(struct evictor *e, uint32_t c)
{
	if (list_has(&e->a, c))
		list_renew(&e->a, c);
}

static void lrm_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	list_renew(&e->a, c);
}

/* lru, mru, reserved-lru */

static void lru_accessed(struct evictor *e, uint32_t c, const struct access *a, bool hit)
{
	(void)a;
	(void)hit;
	list_renew(&e->a, c);
}

static uint32_t newest(struct evictor *e)
{
	for (size_t i = e->a.n; i-- > 0;)
		if (valid(e->o, e->a.at[i]))
			return e->a.at[i];
	return NONE;
}

static void reserve(struct evictor *e)
{
	e->pct = param_decimal(e->spec, "pct", "10");
}

static uint32_t after_reserve(struct evictor *e)
{
	unsigned __int128 share = (unsigned __int128)e->pct.digits * e->a.n;
	uint32_t v = first_valid(e, (size_t)(share / ((unsigned __int128)100 * e->pct.scale)));

	return v == NONE ? first_valid(e, 0) : v;
}

/* lfu */

static void lfu_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	enter_once(e, c, first_page, pages);
	if (first_page)
		state(e, c)->uses = 0;
}

static void lfu_accessed(struct evictor *e, uint32_t c, const struct access *a, bool hit)
{
	lru_accessed(e, c, a, hit);
	state(e, c)->uses++;
}

static uint32_t least_used(struct evictor *e)
{
	uint32_t best = NONE;

	for (size_t i = 0; i < e->a.n; i++) {
		uint32_t c = e->a.at[i];

		if (valid(e->o, c) && (best == NONE || state(e, c)->uses < state(e, best)->uses))
			best = c;
	}
	return best;
}

/* clock: a is the ring, hand an index into it */

static void clock_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	(void)pages;
	if (!first_page)
		return;
	state(e, c)->mark = 0;
	if (e->a.n == 0) {
		list_push(&e->a, c);
		e->hand = 0;
	} else {
		list_insert(&e->a, e->hand, c);
		e->hand++;
	}
}

static void clock_accessed(struct evictor *e, uint32_t c, const struct access *a, bool hit)
{
	(void)a;
	(void)hit;
	state(e, c)->mark = 1;
}

static uint32_t clock_victim(struct evictor *e)
{
	for (;;) {
		uint32_t c = e->a.at[e->hand];

		e->hand = (e->hand + 1) % e->a.n;
		if (!valid(e->o, c))
			continue;
		if (!state(e, c)->mark)
			return c;
		state(e, c)->mark = 0;
	}
}

static void clock_evicted(struct evictor *e, uint32_t c, bool unused)
{
	size_t at = list_find(&e->a, c);

	(void)unused;
	list_take(&e->a, at);
	if (at < e->hand)
		e->hand--;
	if (e->hand == e->a.n)
		e->hand = 0;
}

/* random: a is kept in ascending order of chunk numbers */

static void random_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	size_t at = 0;

	(void)pages;
	if (!first_page)
		return;
	while (at < e->a.n && e->o->chunks[e->a.at[at]].number < e->o->chunks[c].number)
		at++;
	list_insert(&e->a, at, c);
}

static uint32_t random_victim(struct evictor *e)
{
	uint64_t n = 0, index;

	for (size_t i = 0; i < e->a.n; i++)
		n += valid(e->o, e->a.at[i]);
	index = next_random(e->o) % n;
	for (size_t i = 0; i < e->a.n; i++)
		if (valid(e->o, e->a.at[i]) && index-- == 0)
			return e->a.at[i];
	return NONE;
}

/* opt */

static bool further(const struct chunk *x, const struct chunk *y)
{
	if (x->next == NEVER && y->next == NEVER)
		return x->number < y->number;
	return x->next > y->next;
}

static uint32_t furthest(struct evictor *e)
{
	uint32_t best = NONE;

	for (size_t i = 0; i < e->a.n; i++) {
		uint32_t c = e->a.at[i];

		if (valid(e->o, c) &&
		    (best == NONE || further(&e->o->chunks[c], &e->o->chunks[best])))
			best = c;
	}
	return best;
}

const struct evict reference_evictors[] = {
	{.name = "fifo", .victim = oldest, .evicted = leave, .migrated = enter_once},
	{.name = "lrm",
	 .fault = lrm_fault,
	 .victim = oldest,
	 .evicted = leave,
	 .migrated = lrm_migrated},
	{.name = "lru",
	 .victim = oldest,
	 .evicted = leave,
	 .migrated = enter_once,
	 .accessed = lru_accessed},
	{.name = "mru",
	 .victim = newest,
	 .evicted = leave,
	 .migrated = enter_once,
	 .accessed = lru_accessed},
	{.name = "lfu",
	 .victim = least_used,
	 .evicted = leave,
	 .migrated = lfu_migrated,
	 .accessed = lfu_accessed},
	{.name = "clock",
	 .victim = clock_victim,
	 .evicted = clock_evicted,
	 .migrated = clock_migrated,
	 .accessed = clock_accessed},
	{.name = "random", .victim = random_victim, .evicted = leave, .migrated = random_migrated},
	{.name = "reserved-lru",
	 .keys = "pct",
	 .create = reserve,
	 .victim = after_reserve,
	 .evicted = leave,
	 .migrated = enter_once,
	 .accessed = lru_accessed},
	{.name = "opt", .victim = furthest, .evicted = leave, .migrated = enter_once},
	{0},
};
