/* CPPE: section 4 of the policies' specification. List a is the chunk chain, at[0] its head;
 * list b the wrong-eviction buffer, oldest first. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>

enum kind { REGULAR, IRREGULAR_1, IRREGULAR_2 };

struct cppe {
	uint64_t interval_pages, pages, interval; /* length, pages so far, number */
	uint64_t first;                           /* number of the first interval after on_full */
	bool full;
	size_t buffer_size;
	uint64_t fd, wrong; /* W */
	bool lru;
	/* mhpe */
	uint64_t t1, t2, t3, untouched, first_four; /* U1, U2 */
	uint64_t switched_at;
	/* hpe */
	enum kind kind;
	uint64_t since;     /* first interval of the present strategy */
	uint64_t lasted[2]; /* by strategy, lru first: when it was left; 0: never left */
};

static void create_chain(struct evictor *e)
{
	struct cppe *x = e->own = own_state(sizeof(*x));

	x->interval_pages = param_number(e->spec, "interval", 64);
}

/* ---- the chain ---- */

static void to_tail(struct evictor *e, uint32_t c)
{
	const struct cppe *x = e->own;

	list_renew(&e->a, c);
	state(e, c)->interval = x->interval;
	state(e, c)->at_head = false;
}

static void to_head(struct evictor *e, uint32_t c)
{
	const struct cppe *x = e->own;

	list_drop(&e->a, c);
	list_insert(&e->a, 0, c);
	state(e, c)->interval = x->interval;
	state(e, c)->at_head = true;
}

enum part { OLD, MIDDLE, NEW };

static enum part part_of(struct evictor *e, uint32_t c)
{
	const struct cppe *x = e->own;
	const struct state *s = state(e, c);

	if (s->at_head || s->interval + 1 < x->interval)
		return OLD;
	return s->interval < x->interval ? MIDDLE : NEW;
}

/* The valid chunks of a partition, from its oldest to its newest. */
static struct list partition(struct evictor *e, enum part part)
{
	struct list l = {0};

	for (size_t i = 0; i < e->a.n; i++)
		if (valid(e->o, e->a.at[i]) && part_of(e, e->a.at[i]) == part)
			list_push(&l, e->a.at[i]);
	return l;
}

/* Where MRU starts: fd from the newest end of old, or the nearest there is. *at is the place in
 * old, which is to be freed. */
static uint32_t start_point(struct evictor *e, struct list *old, size_t *at)
{
	const struct cppe *x = e->own;

	*old = partition(e, OLD);
	*at = 0;
	for (enum part part = MIDDLE; old->n == 0 && part <= NEW; part++) {
		struct list l = partition(e, part);
		uint32_t c = l.n ? l.at[0] : NONE;

		free(l.at);
		if (c != NONE)
			return c;
	}
	if (old->n >= x->fd + 1)
		*at = old->n - 1 - x->fd;
	return old->n ? old->at[*at] : NONE;
}

/* ---- the buffer ---- */

static void start_buffer(struct evictor *e)
{
	struct cppe *x = e->own;

	x->full = true;
	x->buffer_size = e->a.n / 64 * 8 > 8 ? e->a.n / 64 * 8 : 8;
	x->pages = 0;
	x->first = x->since = x->interval;
}

static void remember(struct evictor *e, uint32_t c)
{
	const struct cppe *x = e->own;

	list_renew(&e->b, c);
	if (e->b.n > x->buffer_size)
		list_take(&e->b, 0);
	list_drop(&e->a, c);
}

/* ---- intervals ---- */

/* True when an interval has just ended; its number is then the present one less one. */
static bool count_pages(struct cppe *x, uint64_t pages)
{
	x->pages += pages;
	if (x->pages < x->interval_pages)
		return false;
	x->pages = 0;
	x->interval++;
	return true;
}

/* ---- mhpe ---- */

static void mhpe_create(struct evictor *e)
{
	struct cppe *x;

	create_chain(e);
	x = e->own;
	x->t1 = param_number(e->spec, "t1", 32);
	x->t2 = param_number(e->spec, "t2", 40);
	x->t3 = param_number(e->spec, "t3", 32);
}

static void mhpe_full(struct evictor *e)
{
	struct cppe *x = e->own;
	uint64_t hundredth = e->a.n / 100;

	start_buffer(e);
	x->fd = hundredth < 2 ? 2 : hundredth > 8 ? 8 : hundredth;
}

static void mhpe_fault(struct evictor *e, uint32_t c)
{
	struct cppe *x = e->own;
	bool wrong = list_drop(&e->b, c);

	x->wrong += wrong;
	state(e, c)->wrong = wrong && !x->lru;
	if (!list_has(&e->a, c))
		return;
	if (state(e, c)->wrong)
		to_head(e, c);
	else
		to_tail(e, c);
}

static uint32_t mhpe_victim(struct evictor *e)
{
	const struct cppe *x = e->own;
	struct list old;
	size_t at;
	uint32_t v;

	if (x->lru)
		return oldest(e);
	v = start_point(e, &old, &at);
	free(old.at);
	return v;
}

static void mhpe_evicted(struct evictor *e, uint32_t c, bool unused)
{
	struct cppe *x = e->own;
	const struct chunk *chunk = &e->o->chunks[c];

	(void)unused;
	x->untouched += count_bits(chunk->resident & ~chunk->touched);
	remember(e, c);
}

static uint64_t level(uint64_t untouched)
{
	return untouched <= 3    ? 0
	       : untouched <= 10 ? 1
	       : untouched <= 17 ? 2
	       : untouched <= 24 ? 3
				 : 4;
}

static void mhpe_judge(struct cppe *x)
{
	uint64_t nth = x->interval - x->first; /* 1: the first after on_full has ended */
	uint64_t growth = level(x->untouched), wrong = x->wrong < 4 ? x->wrong : 4;

	if (nth <= 4)
		x->first_four += x->untouched;
	if (x->untouched >= x->t1 || (nth == 4 && x->first_four >= x->t2)) {
		x->lru = true;
		x->switched_at = nth;
	} else if (x->fd < x->t3) {
		x->fd += growth > wrong ? growth : wrong;
		x->fd = x->fd < x->t3 ? x->fd : x->t3;
	}
	x->untouched = x->wrong = 0;
}

static void mhpe_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	struct cppe *x = e->own;

	if (first_page && state(e, c)->wrong)
		to_head(e, c);
	else if (first_page)
		to_tail(e, c);
	state(e, c)->wrong = false;
	if (count_pages(x, pages) && x->full && !x->lru)
		mhpe_judge(x);
}

static bool is_lru(struct evictor *e)
{
	const struct cppe *x = e->own;

	return x->lru;
}

static void mhpe_report(struct evictor *e)
{
	const struct cppe *x = e->own;

	printf("\"strategy\":\"%s\"\n\"forward_distance\":%lu\n", x->lru ? "lru" : "mru", x->fd);
	if (x->switched_at)
		printf("\"switched_at_interval\":%lu\n", x->switched_at);
	else
		printf("\"switched_at_interval\":null\n");
}

/* ---- hpe ---- */

static void hpe_full(struct evictor *e)
{
	struct cppe *x = e->own;
	uint64_t whole = 0;

	start_buffer(e);
	for (size_t i = 0; i < e->a.n; i++)
		whole += state(e, e->a.at[i])->counter >= e->o->pages_per_chunk;
	x->kind = 4 * whole >= 3 * e->a.n ? REGULAR
		  : 4 * whole <= e->a.n   ? IRREGULAR_1
					  : IRREGULAR_2;
	x->lru = x->kind != REGULAR;
}

static void hpe_fault(struct evictor *e, uint32_t c)
{
	struct cppe *x = e->own;

	x->wrong += list_drop(&e->b, c);
	if (list_has(&e->a, c))
		to_tail(e, c);
}

static uint32_t hpe_victim(struct evictor *e)
{
	const struct cppe *x = e->own;
	struct list old;
	size_t at;
	uint32_t v;

	if (x->lru)
		return oldest(e);
	v = start_point(e, &old, &at);
	for (size_t i = at + 1; old.n && i-- > 0;) {
		if (state(e, old.at[i])->counter >= e->o->pages_per_chunk) {
			v = old.at[i];
			break;
		}
	}
	free(old.at);
	return v;
}

static void hpe_evicted(struct evictor *e, uint32_t c, bool unused)
{
	(void)unused;
	remember(e, c);
}

static void hpe_judge(struct cppe *x)
{
	uint64_t lasted = x->interval - x->since;
	uint64_t other = x->lasted[x->lru];

	if (x->kind == REGULAR)
		x->fd += x->wrong < 4 ? x->wrong : 4;
	if (x->fd > 32)
		x->fd = 32;
	if (x->kind == IRREGULAR_2 && x->wrong >= 2 && (!other || lasted <= other)) {
		x->lasted[!x->lru] = lasted;
		x->lru = !x->lru;
		x->since = x->interval;
	}
	x->wrong = 0;
}

static void hpe_migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	struct cppe *x = e->own;

	if (first_page) {
		to_tail(e, c);
		state(e, c)->counter = 0;
	}
	state(e, c)->counter += pages;
	if (count_pages(x, pages) && x->full)
		hpe_judge(x);
}

const struct evict cppe_evictors[] = {
	{.name = "mhpe",
	 .keys = "t1 t2 t3 interval",
	 .create = mhpe_create,
	 .full = mhpe_full,
	 .fault = mhpe_fault,
	 .victim = mhpe_victim,
	 .evicted = mhpe_evicted,
	 .migrated = mhpe_migrated,
	 .follows_lru = is_lru,
	 .report = mhpe_report},
	{.name = "hpe",
	 .keys = "interval",
	 .create = create_chain,
	 .full = hpe_full,
	 .fault = hpe_fault,
	 .victim = hpe_victim,
	 .evicted = hpe_evicted,
	 .migrated = hpe_migrated,
	 .follows_lru = is_lru},
	{0},
};
