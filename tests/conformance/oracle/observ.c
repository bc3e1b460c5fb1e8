/* ObservUVM's eviction policies: section 5.2 of the policies' specification. */
#include "oracle.h"

/* ---- observ-lru: list a as of lrm ---- */

static void lru_used(struct evictor *e, uint32_t c)
{
	if (list_has(&e->a, c))
		list_renew(&e->a, c);
}

static void lru_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	list_renew(&e->a, c);
}

static uint32_t first_unobserved(struct evictor *e, size_t from)
{
	for (size_t i = from; i < e->a.n; i++)
		if (!e->o->chunks[e->a.at[i]].armed)
			return e->a.at[i];
	return NONE;
}

static uint32_t lru_candidate(struct evictor *e)
{
	return first_unobserved(e, 0);
}

/* ---- observ-lfu: list a holds all chunks in the order of their last move; a bin is those of
 * one frequency ---- */

static void lfu_used(struct evictor *e, uint32_t c, bool fault)
{
	struct state *s = state(e, c);

	if (s->uses == 0)
		s->uses = 1;
	else if (!fault || s->faulted)
		s->uses++;
	s->faulted |= fault;
	if (list_has(&e->a, c))
		list_renew(&e->a, c);
}

static void lfu_fault(struct evictor *e, uint32_t c)
{
	lfu_used(e, c, true);
}

static void lfu_notice(struct evictor *e, uint32_t c)
{
	lfu_used(e, c, false);
}

static void lfu_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	enter_once(e, c, first_page, pages);
	if (state(e, c)->uses == 0)
		state(e, c)->uses = 1;
}

static uint32_t least_used(struct evictor *e, bool (*fits)(const struct oracle *, uint32_t c))
{
	uint32_t best = NONE;

	for (size_t i = 0; i < e->a.n; i++) {
		uint32_t c = e->a.at[i];

		if (fits(e->o, c) && (best == NONE || state(e, c)->uses < state(e, best)->uses))
			best = c;
	}
	return best;
}

static bool is_unobserved(const struct oracle *o, uint32_t c)
{
	return !o->chunks[c].armed;
}

static uint32_t lfu_victim(struct evictor *e)
{
	return least_used(e, valid);
}

static uint32_t lfu_candidate(struct evictor *e)
{
	return least_used(e, is_unobserved);
}

/* ---- cp: list a in order of coming in ---- */

struct cp {
	bool full;
	uint64_t u;
	uint64_t served;  /* the fault for which the area was fixed */
	struct list area; /* its unprotected chunks then */
};

static uint64_t limit(const struct evictor *e, uint64_t u)
{
	uint64_t most = e->a.n > 2 ? e->a.n - 1 : 1;

	return u < 1 ? 1 : u > most ? most : u;
}

/* Index of the oldest unprotected entry. */
static size_t split(const struct evictor *e)
{
	const struct cp *x = e->own;

	return x->full && e->a.n ? e->a.n - limit(e, x->u) : e->a.n;
}

static bool is_unprotected(const struct evictor *e, uint32_t c)
{
	size_t at = list_find(&e->a, c);

	return at < e->a.n && at >= split(e);
}

static void cp_create(struct evictor *e)
{
	e->own = own_state(sizeof(struct cp));
}

static void cp_full(struct evictor *e)
{
	struct cp *x = e->own;

	x->full = true;
	x->u = limit(e, e->a.n / 16 > 2 ? e->a.n / 16 : 2);
}

static void cp_fault(struct evictor *e, uint32_t c)
{
	if (is_unprotected(e, c))
		list_renew(&e->a, c);
}

static void fix_area(struct evictor *e)
{
	struct cp *x = e->own;

	if (x->served == e->o->served)
		return;
	x->served = e->o->served;
	x->area.n = 0;
	for (size_t i = split(e); i < e->a.n; i++)
		list_push(&x->area, e->a.at[i]);
}

static uint32_t cp_victim(struct evictor *e)
{
	const struct cp *x = e->own;

	fix_area(e);
	for (size_t i = 0; i < x->area.n; i++)
		if (valid(e->o, x->area.at[i]))
			return x->area.at[i];
	for (size_t i = e->a.n; i-- > 0;)
		if (valid(e->o, e->a.at[i]))
			return e->a.at[i];
	return NONE;
}

static void cp_evicted(struct evictor *e, uint32_t c, bool unused)
{
	struct cp *x = e->own;

	fix_area(e); /* it may be another's victim */
	list_drop(&e->a, c);
	if (unused)
		x->u = limit(e, x->u - 1);
}

static void cp_notice(struct evictor *e, uint32_t c)
{
	struct cp *x = e->own;

	if (is_unprotected(e, c))
		x->u = limit(e, x->u + 1);
}

static uint32_t cp_candidate(struct evictor *e)
{
	return first_unobserved(e, split(e));
}

#define OBSERVE_KEYS "observe samples adapt"

const struct evict observ_evictors[] = {
	{.name = "observ-lru",
	 .keys = OBSERVE_KEYS,
	 .fault = lru_used,
	 .victim = oldest,
	 .evicted = leave,
	 .migrated = lru_migrated,
	 .notice = lru_used,
	 .candidate = lru_candidate},
	{.name = "observ-lfu",
	 .keys = OBSERVE_KEYS,
	 .fault = lfu_fault,
	 .victim = lfu_victim,
	 .evicted = leave,
	 .migrated = lfu_migrated,
	 .notice = lfu_notice,
	 .candidate = lfu_candidate},
	{.name = "cp",
	 .keys = OBSERVE_KEYS,
	 .create = cp_create,
	 .full = cp_full,
	 .fault = cp_fault,
	 .victim = cp_victim,
	 .evicted = cp_evicted,
	 .migrated = enter_once,
	 .notice = cp_notice,
	 .candidate = cp_candidate},
	{0},
};
