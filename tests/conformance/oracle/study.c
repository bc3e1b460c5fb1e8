/* The policies of cache studies (P = 1, demand paging): each as its paper prints it, cut into
 * what happens at the fault, at the choice of a victim, and when the page has come in. */
#include "oracle.h"

#include <string.h>

/* ARC: a = T1, b = T2, c = B1, d = B2 */

static void arc_fault(struct evictor *e, uint32_t x)
{
	uint64_t b1 = e->c.n, b2 = e->d.n;

	e->ghost = GHOST_NO;
	if (list_has(&e->c, x)) {
		uint64_t delta = b1 >= b2 ? 1 : b2 / b1;

		e->ghost = GHOST_FIRST;
		e->arc_p = e->arc_p + delta < e->o->near ? e->arc_p + delta : e->o->near;
	} else if (list_has(&e->d, x)) {
		uint64_t delta = b2 >= b1 ? 1 : b1 / b2;

		e->ghost = GHOST_SECOND;
		e->arc_p = e->arc_p > delta ? e->arc_p - delta : 0;
	}
}

static uint32_t arc_replace(struct evictor *e)
{
	uint64_t t1 = e->a.n;
	uint32_t v;

	if (t1 > 0 && (t1 > e->arc_p || (e->ghost == GHOST_SECOND && t1 == e->arc_p))) {
		v = list_take(&e->a, 0);
		list_push(&e->c, v);
	} else {
		v = list_take(&e->b, 0);
		list_push(&e->d, v);
	}
	return v;
}

static uint32_t arc_victim(struct evictor *e)
{
	if (e->ghost != GHOST_NO)
		return arc_replace(e);
	if (e->a.n + e->c.n == e->o->near) {
		if (e->a.n == e->o->near)
			return list_take(&e->a, 0);
		list_take(&e->c, 0);
	} else if (e->a.n + e->b.n + e->c.n + e->d.n == 2 * e->o->near) {
		list_take(&e->d, 0);
	}
	return arc_replace(e);
}

static void arc_migrated(struct evictor *e, uint32_t x, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	list_drop(&e->c, x);
	list_drop(&e->d, x);
	list_push(e->ghost == GHOST_NO ? &e->a : &e->b, x);
}

static void arc_accessed(struct evictor *e, uint32_t x, const struct access *a, bool hit)
{
	(void)a;
	if (!hit)
		return;
	list_drop(&e->a, x);
	list_renew(&e->b, x);
}

/* 2Q, full version: a = A1in, b = Am, c = A1out */

static void twoq_fault(struct evictor *e, uint32_t x)
{
	e->ghost = list_has(&e->c, x) ? GHOST_FIRST : GHOST_NO;
}

static uint32_t twoq_victim(struct evictor *e)
{
	uint64_t kin = e->o->near * 25 / 100, kout = e->o->near * 50 / 100;
	uint32_t y;

	if (e->a.n <= kin && e->b.n > 0)
		return list_take(&e->b, 0);
	y = list_take(&e->a, 0);
	list_push(&e->c, y);
	if (e->c.n > kout)
		list_take(&e->c, 0);
	return y;
}

static void twoq_migrated(struct evictor *e, uint32_t x, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	list_drop(&e->c, x);
	list_push(e->ghost == GHOST_NO ? &e->a : &e->b, x);
}

static void twoq_accessed(struct evictor *e, uint32_t x, const struct access *a, bool hit)
{
	(void)a;
	if (hit && list_has(&e->b, x))
		list_renew(&e->b, x);
}

/* LIRS: a = stack S (at[0] is its bottom), b = list Q of resident HIR blocks. A block of S that
 * is neither LIR nor in Q is a non-resident HIR block. */

static uint64_t lirs_limit(const struct evictor *e)
{
	uint64_t hirs = e->o->near / 100 > 1 ? e->o->near / 100 : 1;

	return e->o->near - hirs;
}

static void lirs_prune(struct evictor *e)
{
	while (e->a.n > 0 && !state(e, e->a.at[0])->lir)
		list_take(&e->a, 0);
}

static void lirs_demote_bottom(struct evictor *e)
{
	size_t i = 0;
	uint32_t c;

	while (!state(e, e->a.at[i])->lir)
		i++;
	c = list_take(&e->a, i);
	state(e, c)->lir = false;
	list_push(&e->b, c);
	lirs_prune(e);
}

static void lirs_bound(struct evictor *e)
{
	while (e->a.n > 3 * e->o->near) {
		size_t i = 0;

		while (state(e, e->a.at[i])->lir || list_has(&e->b, e->a.at[i]))
			i++;
		list_take(&e->a, i);
	}
}

static uint32_t lirs_victim(struct evictor *e)
{
	return list_take(&e->b, 0);
}

static void lirs_make_lir(struct evictor *e, uint32_t x)
{
	state(e, x)->lir = true;
	list_drop(&e->b, x);
	list_renew(&e->a, x);
}

static void lirs_migrated(struct evictor *e, uint32_t x, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	if (e->lir_count < lirs_limit(e)) {
		e->lir_count++;
		lirs_make_lir(e, x);
	} else if (list_has(&e->a, x)) {
		lirs_make_lir(e, x);
		lirs_demote_bottom(e);
	} else {
		list_push(&e->a, x);
		list_push(&e->b, x);
	}
	lirs_bound(e);
}

static void lirs_accessed(struct evictor *e, uint32_t x, const struct access *a, bool hit)
{
	(void)a;
	if (!hit)
		return;
	if (state(e, x)->lir) {
		list_renew(&e->a, x);
		lirs_prune(e);
	} else if (list_has(&e->a, x)) {
		lirs_make_lir(e, x);
		lirs_demote_bottom(e);
	} else {
		list_push(&e->a, x);
		list_renew(&e->b, x);
	}
	lirs_bound(e);
}

/* S3-FIFO: a = small, b = main, c = ghost */

static uint64_t small_size(const struct evictor *e)
{
	return e->o->near / 10 > 1 ? e->o->near / 10 : 1;
}

static uint32_t s3_victim_main(struct evictor *e)
{
	for (;;) {
		uint32_t t = list_take(&e->b, 0);

		if (state(e, t)->mark == 0)
			return t;
		state(e, t)->mark--;
		list_push(&e->b, t);
	}
}

static uint32_t s3_victim(struct evictor *e)
{
	uint64_t main_size = e->o->near - small_size(e);

	if (e->a.n < small_size(e))
		return s3_victim_main(e);
	for (;;) {
		uint32_t t = list_take(&e->a, 0);

		if (state(e, t)->mark <= 1) {
			list_push(&e->c, t);
			if (e->c.n > main_size)
				list_take(&e->c, 0);
			return t;
		}
		state(e, t)->mark = 0;
		list_push(&e->b, t);
		if (e->b.n > main_size)
			return s3_victim_main(e);
	}
}

static void s3_migrated(struct evictor *e, uint32_t x, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	state(e, x)->mark = 0;
	list_push(list_drop(&e->c, x) ? &e->b : &e->a, x);
}

static void s3_accessed(struct evictor *e, uint32_t x, const struct access *a, bool hit)
{
	(void)a;
	if (hit && state(e, x)->mark < 3)
		state(e, x)->mark++;
}

/* SIEVE: a is the queue, at[0] its tail */

static uint32_t sieve_victim(struct evictor *e)
{
	size_t i = e->sieve_hand == NONE ? 0 : list_find(&e->a, e->sieve_hand);
	uint32_t v;

	while (state(e, e->a.at[i])->mark) {
		state(e, e->a.at[i])->mark = 0;
		i = i + 1 == e->a.n ? 0 : i + 1;
	}
	e->sieve_hand = i + 1 == e->a.n ? NONE : e->a.at[i + 1];
	v = list_take(&e->a, i);
	return v;
}

static void sieve_migrated(struct evictor *e, uint32_t x, bool first_page, uint64_t pages)
{
	(void)first_page;
	(void)pages;
	state(e, x)->mark = 0;
	list_push(&e->a, x);
}

static void sieve_accessed(struct evictor *e, uint32_t x, const struct access *a, bool hit)
{
	(void)a;
	if (hit)
		state(e, x)->mark = 1;
}

/* A victim is taken off its list when it is chosen: with one page per chunk nothing can make the
 * answer invalid, so nothing is left to do at the eviction. */
const struct evict study_evictors[] = {
	{.name = "arc",
	 .study = true,
	 .single = true,
	 .fault = arc_fault,
	 .victim = arc_victim,
	 .migrated = arc_migrated,
	 .accessed = arc_accessed},
	{.name = "2q",
	 .study = true,
	 .single = true,
	 .fault = twoq_fault,
	 .victim = twoq_victim,
	 .migrated = twoq_migrated,
	 .accessed = twoq_accessed},
	{.name = "lirs",
	 .study = true,
	 .single = true,
	 .victim = lirs_victim,
	 .migrated = lirs_migrated,
	 .accessed = lirs_accessed},
	{.name = "s3fifo",
	 .study = true,
	 .single = true,
	 .victim = s3_victim,
	 .migrated = s3_migrated,
	 .accessed = s3_accessed},
	{.name = "sieve",
	 .study = true,
	 .single = true,
	 .victim = sieve_victim,
	 .migrated = sieve_migrated,
	 .accessed = sieve_accessed},
	{0},
};
