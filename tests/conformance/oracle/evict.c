/* The reference eviction policies of section 2 that work for every chunk size. List a is their
 * only list; chunks leave it when they are evicted. */
#include "oracle.h"

#include <string.h>

static void ignore_fault(struct oracle *o, uint32_t c)
{
	(void)o;
	(void)c;
}

static void ignore_access(struct oracle *o, uint32_t c, bool hit)
{
	(void)o;
	(void)c;
	(void)hit;
}

static void leave(struct oracle *o, uint32_t c)
{
	list_drop(&o->a, c);
}

static void enter_once(struct oracle *o, uint32_t c, bool first_page)
{
	if (first_page)
		list_push(&o->a, c);
}

/* The first valid entry from index `from` on, or NONE. */
static uint32_t first_valid(const struct oracle *o, size_t from)
{
	for (size_t i = from; i < o->a.n; i++)
		if (valid(o, o->a.at[i]))
			return o->a.at[i];
	return NONE;
}

static uint32_t oldest(struct oracle *o)
{
	return first_valid(o, 0);
}

/* lrm */

static void lrm_fault(struct oracle *o, uint32_t c)
{
	if (list_has(&o->a, c))
		list_renew(&o->a, c);
}

static void lrm_migrated(struct oracle *o, uint32_t c, bool first_page)
{
	(void)first_page;
	list_renew(&o->a, c);
}

/* lru, mru, reserved-lru */

static void lru_accessed(struct oracle *o, uint32_t c, bool hit)
{
	(void)hit;
	list_renew(&o->a, c);
}

static uint32_t newest(struct oracle *o)
{
	for (size_t i = o->a.n; i-- > 0;)
		if (valid(o, o->a.at[i]))
			return o->a.at[i];
	return NONE;
}

static uint32_t after_reserve(struct oracle *o)
{
	unsigned __int128 share = (unsigned __int128)o->pct.digits * o->a.n;
	uint32_t v = first_valid(o, (size_t)(share / ((unsigned __int128)100 * o->pct.scale)));

	return v == NONE ? first_valid(o, 0) : v;
}

/* lfu */

static void lfu_migrated(struct oracle *o, uint32_t c, bool first_page)
{
	enter_once(o, c, first_page);
	if (first_page)
		o->chunks[c].uses = 0;
}

static void lfu_accessed(struct oracle *o, uint32_t c, bool hit)
{
	lru_accessed(o, c, hit);
	o->chunks[c].uses++;
}

static uint32_t least_used(struct oracle *o)
{
	uint32_t best = NONE;

	for (size_t i = 0; i < o->a.n; i++) {
		uint32_t c = o->a.at[i];

		if (valid(o, c) && (best == NONE || o->chunks[c].uses < o->chunks[best].uses))
			best = c;
	}
	return best;
}

/* clock: a is the ring, hand an index into it */

static void clock_migrated(struct oracle *o, uint32_t c, bool first_page)
{
	if (!first_page)
		return;
	o->chunks[c].mark = 0;
	if (o->a.n == 0) {
		list_push(&o->a, c);
		o->hand = 0;
	} else {
		list_insert(&o->a, o->hand, c);
		o->hand++;
	}
}

static void clock_accessed(struct oracle *o, uint32_t c, bool hit)
{
	(void)hit;
	o->chunks[c].mark = 1;
}

static uint32_t clock_victim(struct oracle *o)
{
	for (;;) {
		uint32_t c = o->a.at[o->hand];

		o->hand = (o->hand + 1) % o->a.n;
		if (!valid(o, c))
			continue;
		if (!o->chunks[c].mark)
			return c;
		o->chunks[c].mark = 0;
	}
}

static void clock_evicted(struct oracle *o, uint32_t c)
{
	size_t at = list_find(&o->a, c);

	list_take(&o->a, at);
	if (at < o->hand)
		o->hand--;
}

/* random: a is kept in ascending order of chunk numbers */

static void random_migrated(struct oracle *o, uint32_t c, bool first_page)
{
	size_t at = 0;

	if (!first_page)
		return;
	while (at < o->a.n && o->chunks[o->a.at[at]].number < o->chunks[c].number)
		at++;
	list_insert(&o->a, at, c);
}

static uint64_t next_random(struct oracle *o)
{
	uint64_t z = o->random_state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static uint32_t random_victim(struct oracle *o)
{
	uint64_t n = 0, index;

	for (size_t i = 0; i < o->a.n; i++)
		n += valid(o, o->a.at[i]);
	index = next_random(o) % n;
	for (size_t i = 0; i < o->a.n; i++)
		if (valid(o, o->a.at[i]) && index-- == 0)
			return o->a.at[i];
	return NONE;
}

/* opt */

static bool further(const struct chunk *x, const struct chunk *y)
{
	if (x->next == NEVER && y->next == NEVER)
		return x->number < y->number;
	return x->next > y->next;
}

static uint32_t furthest(struct oracle *o)
{
	uint32_t best = NONE;

	for (size_t i = 0; i < o->a.n; i++) {
		uint32_t c = o->a.at[i];

		if (valid(o, c) && (best == NONE || further(&o->chunks[c], &o->chunks[best])))
			best = c;
	}
	return best;
}

static const struct evict policies[] = {
	{"fifo", false, ignore_fault, oldest, leave, enter_once, ignore_access},
	{"lrm", false, lrm_fault, oldest, leave, lrm_migrated, ignore_access},
	{"lru", false, ignore_fault, oldest, leave, enter_once, lru_accessed},
	{"mru", false, ignore_fault, newest, leave, enter_once, lru_accessed},
	{"lfu", false, ignore_fault, least_used, leave, lfu_migrated, lfu_accessed},
	{"clock", false, ignore_fault, clock_victim, clock_evicted, clock_migrated, clock_accessed},
	{"random", false, ignore_fault, random_victim, leave, random_migrated, ignore_access},
	{"reserved-lru", false, ignore_fault, after_reserve, leave, enter_once, lru_accessed},
	{"opt", false, ignore_fault, furthest, leave, enter_once, ignore_access},
};

const struct evict *find_evict(const char *name)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		if (!strcmp(policies[i].name, name))
			return &policies[i];
	return find_study(name);
}
