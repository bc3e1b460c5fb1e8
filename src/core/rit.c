#include "rit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sort.h"

int td_rit_init(struct td_rit *t, uint32_t capacity)
{
	uint64_t heads = 2;
	while (heads < 2 * (uint64_t)capacity)
		heads *= 2;
	*t = (struct td_rit){.capacity = capacity, .mask = heads - 1};
	td_list_init(&t->recency);
	td_vec_init(&t->entries, sizeof(struct td_rit_entry));
	td_vec_init(&t->counts, (TD_RIT_BINS + TD_RIT_GROUPS) * sizeof(uint64_t));
	td_vec_init(&t->heads, sizeof(uint32_t));
	td_vec_init(&t->order, sizeof(uint32_t));
	int rc = td_vec_reserve(&t->entries, capacity);
	if (!rc)
		rc = td_vec_reserve(&t->counts, capacity);
	if (!rc)
		rc = td_vec_reserve(&t->heads, heads);
	if (!rc)
		rc = td_vec_reserve(&t->order, capacity);
	if (rc)
		td_rit_free(t);
	return rc;
}

void td_rit_free(struct td_rit *t)
{
	td_vec_free(&t->entries);
	td_vec_free(&t->counts);
	td_vec_free(&t->heads);
	td_vec_free(&t->order);
}

/* ---- keys ---- */

static void unchain(struct td_rit *t, uint32_t e)
{
	uint32_t *link = td_rit_head(t, td_rit_at(t, e)->key);
	while (*link != e + 1)
		link = &td_rit_at(t, *link - 1)->chain;
	*link = td_rit_at(t, e)->chain;
}

static void clear_counts(struct td_rit *t, uint32_t e)
{
	struct td_rit_entry *at = td_rit_at(t, e);
	uint64_t *counts = td_rit_counts(t, e);
	for (unsigned w = 0; w < TD_RIT_WORDS; w++)
		for (; at->used[w]; at->used[w] &= at->used[w] - 1) {
			unsigned bin = w * 64 + (unsigned)__builtin_ctzll(at->used[w]);
			counts[bin] = counts[TD_RIT_BINS + bin / 8] = 0;
		}
}

static int compare_recency(const void *a, const void *b, void *arg)
{
	const struct td_rit_entry *x = td_rit_at(arg, *(const uint32_t *)a);
	const struct td_rit_entry *y = td_rit_at(arg, *(const uint32_t *)b);
	if (x->recent != y->recent)
		return x->recent < y->recent ? -1 : 1;
	return x->key < y->key ? -1 : 1;
}

static void order(struct td_rit *t)
{
	uint32_t *by_recency = (uint32_t *)(void *)t->order.at;
	for (uint32_t e = 0; e < t->n; e++)
		by_recency[e] = e;
	td_sort(by_recency, t->n, sizeof *by_recency, compare_recency, t);
	for (uint32_t i = 0; i < t->n; i++)
		td_list_push_tail(&t->recency, td_rit_recency(t), by_recency[i]);
	t->ordered = true;
}

static uint32_t recycle(struct td_rit *t)
{
	if (!t->ordered)
		order(t);
	uint32_t e = t->recency.head;
	td_list_remove(&t->recency, td_rit_recency(t), e);
	unchain(t, e);
	clear_counts(t, e);
	t->recycled++;
	return e;
}

/* The touch that makes an entry may have credited another just now: of the two, the lower key is
 * recycled first. */
static void put_last(struct td_rit *t, uint32_t e)
{
	const struct td_rit_entry *at = td_rit_at(t, e);
	uint32_t tail = t->recency.tail;
	if (tail != TD_NIL && td_rit_at(t, tail)->recent == at->recent &&
	    td_rit_at(t, tail)->key > at->key)
		td_list_between(&t->recency, td_rit_recency(t), e, td_rit_at(t, tail)->recency.prev,
				tail);
	else
		td_list_push_tail(&t->recency, td_rit_recency(t), e);
}

uint32_t td_rit_make(struct td_rit *t, uint64_t key, uint64_t now)
{
	uint32_t e = t->n < t->capacity ? t->n++ : recycle(t);
	uint32_t *head = td_rit_head(t, key);
	struct td_rit_entry *at = td_rit_at(t, e);
	at->key = key;
	at->n = at->sum = at->groups = 0;
	at->last_bin = 0;
	at->made = at->recent = now;
	at->chain = *head;
	*head = e + 1;
	if (t->ordered)
		put_last(t, e);
	return e;
}

/* ---- counts ---- */

static void halve(struct td_rit_entry *at, uint64_t *counts)
{
	uint64_t endless = at->n - at->sum;
	at->sum = 0;
	at->last_bin = 0;
	at->groups = 0;
	memset(counts + TD_RIT_BINS, 0, TD_RIT_GROUPS * sizeof *counts);
	for (unsigned bin = 0; bin < TD_RIT_BINS; bin++) {
		counts[bin] /= 2;
		counts[TD_RIT_BINS + bin / 8] += counts[bin];
		at->sum += counts[bin];
		if (counts[bin]) {
			at->last_bin = bin;
			at->groups |= UINT64_C(1) << (bin / 8);
		} else {
			at->used[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
		}
	}
	at->n = at->sum + endless / 2;
}

void td_rit_halve(struct td_rit *t)
{
	for (uint32_t e = 0; e < t->n; e++)
		halve(td_rit_at(t, e), td_rit_counts(t, e));
}

/* ---- worth ---- */

/* Is k / ahead more than w's? Both belong to the same entry and age, so rest is the same. */
static inline bool more(uint64_t k, uint64_t ahead, const struct td_rit_worth *w)
{
	return (unsigned __int128)k * w->ahead > (unsigned __int128)w->k * ahead;
}

/* Looks at the bins from `bin` to the end of their group; k counts up to before `bin`. */
static inline uint64_t best_in_group(const struct td_rit_entry *at, const uint64_t *counts,
				     unsigned bin, uint64_t age, uint64_t k, struct td_rit_worth *w)
{
	unsigned used = (unsigned)(at->used[bin / 64] >> (bin & 56)) & 0xff & 0xffu << bin % 8;
	for (; used; used &= used - 1) {
		unsigned b = (bin & ~7u) + (unsigned)__builtin_ctz(used);
		uint64_t ahead = td_rit_high(b) - age;
		k += counts[b];
		if (more(k, ahead, w)) {
			w->k = k;
			w->ahead = ahead;
		}
	}
	return k;
}

/* A group is looked into only if all of it at its lowest edge would be worth more than the best so
 * far. What is not behind the age is known only when all later bins were seen. */
struct td_rit_worth td_rit_worth_of(const struct td_rit *t, uint32_t e, uint64_t age)
{
	const uint64_t *counts = td_rit_counts(t, e);
	const struct td_rit_entry *at = td_rit_at(t, e);
	unsigned bin = td_rit_past(t, age) + 1;
	struct td_rit_worth w = {0, 1, 1};
	uint64_t k = 0, groups = 0;
	if (bin <= at->last_bin)
		groups = at->groups >> (bin / 8) << (bin / 8);
	if (bin % 8 && groups >> (bin / 8) & 1) {
		k = best_in_group(at, counts, bin, age, 0, &w);
		groups &= groups - 1;
	}
	for (; groups; groups &= groups - 1) {
		unsigned group = (unsigned)__builtin_ctzll(groups);
		uint64_t inside = counts[TD_RIT_BINS + group];
		if (more(k + inside, td_rit_high(group * 8) - age, &w))
			best_in_group(at, counts, group * 8, age, k, &w);
		k += inside;
	}
	w.rest = at->n - at->sum + k;
	return k ? w : TD_RIT_WORTHLESS;
}

/* ---- a pass beforehand ---- */

struct touch {
	uint64_t time, key; /* time 0: never */
};

int td_rit_pass_init(struct td_rit_pass *p, struct td_rit *table)
{
	*p = (struct td_rit_pass){.table = table};
	td_vec_init(&p->last, sizeof(struct touch));
	return td_map_init(&p->things, 4096);
}

void td_rit_pass_free(struct td_rit_pass *p)
{
	td_map_free(&p->things);
	td_vec_free(&p->last);
}

static int last_of(struct td_rit_pass *p, uint64_t thing, struct touch **out)
{
	struct td_map_entry *at = td_map_find(&p->things, thing);
	uint64_t i = at->value_plus_1 ? at->value_plus_1 - 1 : p->things.n;
	int rc = i < TD_NIL ? td_vec_reserve(&p->last, i + 1) : -ENOMEM;
	if (!rc && !at->value_plus_1)
		rc = td_map_put(&p->things, at, thing, (uint32_t)i);
	*out = (struct touch *)(void *)p->last.at + i;
	return rc;
}

int td_rit_pass_touch(struct td_rit_pass *p, uint64_t thing, uint64_t key, bool counted)
{
	struct touch *last;
	uint32_t e = TD_NIL;
	int rc = last_of(p, thing, &last);
	if (rc)
		return rc;
	p->now++;
	if (counted && last->time)
		e = td_rit_find(p->table, last->key);
	if (e != TD_NIL)
		td_rit_credit(p->table, e, last->time, p->now);
	if (counted) {
		e = td_rit_find(p->table, key);
		td_rit_count(p->table, e != TD_NIL ? e : td_rit_make(p->table, key, p->now));
	}
	*last = (struct touch){p->now, key};
	return 0;
}
