/* The policies of cache studies (P = 1, demand paging): each as its paper prints it, cut into
 * what happens at the fault, at the choice of a victim, and when the page has come in. */
#include "oracle.h"

#include <string.h>

static void forget(struct oracle *o, uint32_t c)
{
	(void)o;
	(void)c;
}

/* ARC: a = T1, b = T2, c = B1, d = B2 */

static void arc_fault(struct oracle *o, uint32_t x)
{
	uint64_t b1 = o->c.n, b2 = o->d.n;

	o->ghost = GHOST_NO;
	if (list_has(&o->c, x)) {
		uint64_t delta = b1 >= b2 ? 1 : b2 / b1;

		o->ghost = GHOST_FIRST;
		o->arc_p = o->arc_p + delta < o->near ? o->arc_p + delta : o->near;
	} else if (list_has(&o->d, x)) {
		uint64_t delta = b2 >= b1 ? 1 : b1 / b2;

		o->ghost = GHOST_SECOND;
		o->arc_p = o->arc_p > delta ? o->arc_p - delta : 0;
	}
}

static uint32_t arc_replace(struct oracle *o)
{
	uint64_t t1 = o->a.n;
	uint32_t v;

	if (t1 > 0 && (t1 > o->arc_p || (o->ghost == GHOST_SECOND && t1 == o->arc_p))) {
		v = list_take(&o->a, 0);
		list_push(&o->c, v);
	} else {
		v = list_take(&o->b, 0);
		list_push(&o->d, v);
	}
	return v;
}

static uint32_t arc_victim(struct oracle *o)
{
	if (o->ghost != GHOST_NO)
		return arc_replace(o);
	if (o->a.n + o->c.n == o->near) {
		if (o->a.n == o->near)
			return list_take(&o->a, 0);
		list_take(&o->c, 0);
	} else if (o->a.n + o->b.n + o->c.n + o->d.n == 2 * o->near) {
		list_take(&o->d, 0);
	}
	return arc_replace(o);
}

static void arc_migrated(struct oracle *o, uint32_t x, bool first_page)
{
	(void)first_page;
	list_drop(&o->c, x);
	list_drop(&o->d, x);
	list_push(o->ghost == GHOST_NO ? &o->a : &o->b, x);
}

static void arc_accessed(struct oracle *o, uint32_t x, bool hit)
{
	if (!hit)
		return;
	list_drop(&o->a, x);
	list_renew(&o->b, x);
}

/* 2Q, full version: a = A1in, b = Am, c = A1out */

static void twoq_fault(struct oracle *o, uint32_t x)
{
	o->ghost = list_has(&o->c, x) ? GHOST_FIRST : GHOST_NO;
}

static uint32_t twoq_victim(struct oracle *o)
{
	uint64_t kin = o->near * 25 / 100, kout = o->near * 50 / 100;
	uint32_t y;

	if (o->a.n <= kin && o->b.n > 0)
		return list_take(&o->b, 0);
	y = list_take(&o->a, 0);
	list_push(&o->c, y);
	if (o->c.n > kout)
		list_take(&o->c, 0);
	return y;
}

static void twoq_migrated(struct oracle *o, uint32_t x, bool first_page)
{
	(void)first_page;
	list_drop(&o->c, x);
	list_push(o->ghost == GHOST_NO ? &o->a : &o->b, x);
}

static void twoq_accessed(struct oracle *o, uint32_t x, bool hit)
{
	if (hit && list_has(&o->b, x))
		list_renew(&o->b, x);
}

/* LIRS: a = stack S (at[0] is its bottom), b = list Q of resident HIR blocks. A block of S that
 * is neither LIR nor in Q is a non-resident HIR block. */

static uint64_t lirs_limit(const struct oracle *o)
{
	uint64_t hirs = o->near / 100 > 1 ? o->near / 100 : 1;

	return o->near - hirs;
}

static void lirs_prune(struct oracle *o)
{
	while (o->a.n > 0 && !o->chunks[o->a.at[0]].lir)
		list_take(&o->a, 0);
}

static void lirs_demote_bottom(struct oracle *o)
{
	size_t i = 0;
	uint32_t c;

	while (!o->chunks[o->a.at[i]].lir)
		i++;
	c = list_take(&o->a, i);
	o->chunks[c].lir = false;
	list_push(&o->b, c);
	lirs_prune(o);
}

static void lirs_bound(struct oracle *o)
{
	while (o->a.n > 3 * o->near) {
		size_t i = 0;

		while (o->chunks[o->a.at[i]].lir || list_has(&o->b, o->a.at[i]))
			i++;
		list_take(&o->a, i);
	}
}

static uint32_t lirs_victim(struct oracle *o)
{
	return list_take(&o->b, 0);
}

static void lirs_make_lir(struct oracle *o, uint32_t x)
{
	o->chunks[x].lir = true;
	list_drop(&o->b, x);
	list_renew(&o->a, x);
}

static void lirs_migrated(struct oracle *o, uint32_t x, bool first_page)
{
	(void)first_page;
	if (o->lir_count < lirs_limit(o)) {
		o->lir_count++;
		lirs_make_lir(o, x);
	} else if (list_has(&o->a, x)) {
		lirs_make_lir(o, x);
		lirs_demote_bottom(o);
	} else {
		list_push(&o->a, x);
		list_push(&o->b, x);
	}
	lirs_bound(o);
}

static void lirs_accessed(struct oracle *o, uint32_t x, bool hit)
{
	if (!hit)
		return;
	if (o->chunks[x].lir) {
		list_renew(&o->a, x);
		lirs_prune(o);
	} else if (list_has(&o->a, x)) {
		lirs_make_lir(o, x);
		lirs_demote_bottom(o);
	} else {
		list_push(&o->a, x);
		list_renew(&o->b, x);
	}
	lirs_bound(o);
}

/* S3-FIFO: a = small, b = main, c = ghost */

static uint64_t small_size(const struct oracle *o)
{
	return o->near / 10 > 1 ? o->near / 10 : 1;
}

static uint32_t s3_victim_main(struct oracle *o)
{
	for (;;) {
		uint32_t t = list_take(&o->b, 0);

		if (o->chunks[t].mark == 0)
			return t;
		o->chunks[t].mark--;
		list_push(&o->b, t);
	}
}

static uint32_t s3_victim(struct oracle *o)
{
	uint64_t main_size = o->near - small_size(o);

	if (o->a.n < small_size(o))
		return s3_victim_main(o);
	for (;;) {
		uint32_t t = list_take(&o->a, 0);

		if (o->chunks[t].mark <= 1) {
			list_push(&o->c, t);
			if (o->c.n > main_size)
				list_take(&o->c, 0);
			return t;
		}
		o->chunks[t].mark = 0;
		list_push(&o->b, t);
		if (o->b.n > main_size)
			return s3_victim_main(o);
	}
}

static void s3_migrated(struct oracle *o, uint32_t x, bool first_page)
{
	(void)first_page;
	o->chunks[x].mark = 0;
	list_push(list_drop(&o->c, x) ? &o->b : &o->a, x);
}

static void s3_accessed(struct oracle *o, uint32_t x, bool hit)
{
	if (hit && o->chunks[x].mark < 3)
		o->chunks[x].mark++;
}

/* SIEVE: a is the queue, at[0] its tail */

static uint32_t sieve_victim(struct oracle *o)
{
	size_t i = o->sieve_hand == NONE ? 0 : list_find(&o->a, o->sieve_hand);
	uint32_t v;

	while (o->chunks[o->a.at[i]].mark) {
		o->chunks[o->a.at[i]].mark = 0;
		i = i + 1 == o->a.n ? 0 : i + 1;
	}
	o->sieve_hand = i + 1 == o->a.n ? NONE : o->a.at[i + 1];
	v = list_take(&o->a, i);
	return v;
}

static void sieve_migrated(struct oracle *o, uint32_t x, bool first_page)
{
	(void)first_page;
	o->chunks[x].mark = 0;
	list_push(&o->a, x);
}

static void sieve_accessed(struct oracle *o, uint32_t x, bool hit)
{
	if (hit)
		o->chunks[x].mark = 1;
}

/* A victim is taken off its list when it is chosen: with one page per chunk nothing can make the
 * answer invalid, so nothing is left to do at the eviction. */
static const struct evict policies[] = {
	{"arc", true, arc_fault, arc_victim, forget, arc_migrated, arc_accessed},
	{"2q", true, twoq_fault, twoq_victim, forget, twoq_migrated, twoq_accessed},
	{"lirs", true, forget, lirs_victim, forget, lirs_migrated, lirs_accessed},
	{"s3fifo", true, forget, s3_victim, forget, s3_migrated, s3_accessed},
	{"sieve", true, forget, sieve_victim, forget, sieve_migrated, sieve_accessed},
};

const struct evict *find_study(const char *name)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		if (!strcmp(policies[i].name, name))
			return &policies[i];
	return NULL;
}
