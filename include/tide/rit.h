/* A reuse-interval table. A key (an instruction, say) touches things. For a bounded number of keys,
 * the table learns how long it takes until a thing that a key touched is touched again. From that
 * it computes what it is worth to keep such a thing.
 *
 * The entry of a key counts its touches in n, and the intervals that ended in bins:
 *
 *     interval   0  1  2 .. 63 | 64..71  72..79 .. 120..127 | 128..143  144..159 .. | ..
 *     bin        0  1  2 .. 63 | 64      65     .. 71       | 72        73       .. | ..
 *
 * Each of the first 64 intervals has a bin of its own. Then there are eight bins per octave. If a
 * thing was not touched again, or not yet, its touch counts in n alone: its interval has no end.
 *
 * The worth of a thing depends on its age, the time since its key touched it. Say that g intervals
 * are in the bins behind that age, and k intervals are in later bins, up to a bin whose upper edge
 * is l. The worth is
 *     max over l of  k / ((n - g) * (l - age)).
 * The bins behind an age are all bins up to the one that age is in. With next_edge they are all
 * bins before the one that age + 1 is in, so the interval that is due next is never behind. Worths
 * are fractions of integers, and are compared exactly.
 *
 * The table is full when it has `capacity` keys. A new key then takes the place of the key that was
 * credited least recently. Time is a count of touches, from 1. Intervals and counts stay below
 * 2^42, so that the products of a comparison fit 128 bits. */
#ifndef TIDE_RIT_H
#define TIDE_RIT_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "map.h"
#include "sort.h"
#include "vec.h"

#define TIDE_RIT_FINE 64 /* intervals with a bin of their own */
#define TIDE_RIT_TOP 42  /* intervals of 2^42 and more are in the last bin */
#define TIDE_RIT_BINS (TIDE_RIT_FINE + 8 * (TIDE_RIT_TOP - 6))
#define TIDE_RIT_GROUPS (TIDE_RIT_BINS / 8) /* of eight bins, whose sums are kept */
#define TIDE_RIT_WORDS ((TIDE_RIT_BINS + 63) / 64)

static inline unsigned tide_rit_bin(uint64_t interval)
{
	if (interval < TIDE_RIT_FINE)
		return (unsigned)interval;
	if (interval >> TIDE_RIT_TOP)
		return TIDE_RIT_BINS - 1;
	unsigned e = 63 - (unsigned)__builtin_clzll(interval);
	return TIDE_RIT_FINE + 8 * (e - 6) + (unsigned)(interval >> (e - 3) & 7);
}

/* The first interval of a bin. It works for the bin past the last one, too. */
static inline uint64_t tide_rit_low(unsigned bin)
{
	if (bin < TIDE_RIT_FINE)
		return bin;
	return (uint64_t)(8 + bin % 8) << ((bin - TIDE_RIT_FINE) / 8 + 3);
}

/* The last interval of a bin. */
static inline uint64_t tide_rit_high(unsigned bin)
{
	return tide_rit_low(bin + 1) - 1;
}

/* A worth: k / (rest * ahead). k is 0 if no touch is expected. */
struct tide_rit_worth {
	uint64_t k, rest, ahead;
};

#define TIDE_RIT_WORTHLESS ((struct tide_rit_worth){0, 1, 1})

/* Below 0, 0 or above 0, as a is less than, equal to or more than b. */
static inline int tide_rit_compare(struct tide_rit_worth a, struct tide_rit_worth b)
{
	unsigned __int128 x = (unsigned __int128)(b.rest * (unsigned __int128)b.ahead) * a.k;
	unsigned __int128 y = (unsigned __int128)(a.rest * (unsigned __int128)a.ahead) * b.k;
	return (x > y) - (x < y);
}

/* The worth as a real number; its error is less than one part in 2^50. */
static inline double tide_rit_real(struct tide_rit_worth w)
{
	return (double)w.k / ((double)w.rest * (double)w.ahead);
}

struct tide_rit_entry {
	struct tide_link recency; /* must be first: see tide_rit_recency() */
	uint64_t key;
	uint64_t n;                    /* touches */
	uint64_t sum;                  /* of all bins, at most n */
	uint64_t made;                 /* when the entry was made */
	uint64_t recent;               /* when it was last credited, or made */
	uint64_t groups;               /* bitmap of groups that are not 0 */
	uint64_t used[TIDE_RIT_WORDS]; /* bitmap of bins that are not 0 */
	unsigned last_bin;             /* the highest used bin, or 0: beyond it, worth is 0 */
	uint32_t chain;                /* next entry + 1 with the same hash */
};

struct tide_rit {
	struct tide_vec entries, counts, heads, order;
	/* Head: the entry credited least recently. The list is made when an entry has to be
	 * recycled for the first time, and is kept up to date from then on. */
	struct tide_list recency;
	bool ordered;
	uint32_t n, capacity;
	uint64_t mask;     /* of heads, the hash table */
	bool next_edge;    /* false, unless set after tide_rit_init() */
	uint64_t recycled; /* how often an entry was taken from its key */
};

static inline int tide_rit_init(struct tide_rit *t, uint32_t capacity);
static inline void tide_rit_free(struct tide_rit *t);

static inline struct tide_rit_entry *tide_rit_at(const struct tide_rit *t, uint32_t e)
{
	return (struct tide_rit_entry *)(void *)t->entries.at + e;
}

/* The bins of an entry, then the sums of its groups. */
static inline uint64_t *tide_rit_counts(const struct tide_rit *t, uint32_t e)
{
	return (uint64_t *)(void *)t->counts.at + (size_t)e * (TIDE_RIT_BINS + TIDE_RIT_GROUPS);
}

/* The last bin that an age has behind it. */
static inline unsigned tide_rit_past(const struct tide_rit *t, uint64_t age)
{
	return t->next_edge ? tide_rit_bin(age + 1) - 1 : tide_rit_bin(age);
}

/* The least age that has a bin behind it. */
static inline uint64_t tide_rit_since(const struct tide_rit *t, unsigned bin)
{
	return t->next_edge ? tide_rit_high(bin) : tide_rit_low(bin);
}

static inline uint32_t *tide_rit_head(const struct tide_rit *t, uint64_t key)
{
	return (uint32_t *)(void *)t->heads.at + (tide_hash64(key) & t->mask);
}

/* The entry of a key, or TIDE_NIL. */
static inline uint32_t tide_rit_find(const struct tide_rit *t, uint64_t key)
{
	uint32_t e = *tide_rit_head(t, key);
	while (e && tide_rit_at(t, e - 1)->key != key)
		e = tide_rit_at(t, e - 1)->chain;
	return e - 1;
}

/* An empty entry for a key that has none. It may have been another key's before. */
static inline uint32_t tide_rit_make(struct tide_rit *t, uint64_t key, uint64_t now);

static inline struct tide_links tide_rit_recency(const struct tide_rit *t)
{
	return (struct tide_links){t->entries.at, sizeof(struct tide_rit_entry)};
}

static inline void tide_rit_first_in_bin(struct tide_rit_entry *at, unsigned bin)
{
	at->used[bin / 64] |= UINT64_C(1) << (bin % 64);
	at->groups |= UINT64_C(1) << (bin / 8);
	at->last_bin = bin > at->last_bin ? bin : at->last_bin;
}

/* A thing that the entry's key touched at `last` is touched again. Returns false if the entry was
 * made after `last`: the interval is then not counted. */
static inline bool tide_rit_credit(struct tide_rit *t, uint32_t e, uint64_t last, uint64_t now)
{
	struct tide_rit_entry *at = tide_rit_at(t, e);
	unsigned bin = tide_rit_bin(now - last);
	uint64_t *counts = tide_rit_counts(t, e);
	if (last < at->made)
		return false;
	if (counts[bin]++ == 0)
		tide_rit_first_in_bin(at, bin);
	counts[TIDE_RIT_BINS + bin / 8]++;
	if (at->sum++ == at->n)
		at->n++;
	at->recent = now;
	if (t->ordered)
		tide_list_to_tail(&t->recency, tide_rit_recency(t), e);
	return true;
}

/* The entry's key touches a thing. */
static inline void tide_rit_count(struct tide_rit *t, uint32_t e)
{
	tide_rit_at(t, e)->n++;
}

/* Halves all bins, and the part of n that is in no bin. Earlier touches may still be credited in
 * full, so tide_rit_credit() raises n where the sum of the bins would exceed it. */
static inline void tide_rit_halve(struct tide_rit *t);

static inline struct tide_rit_worth tide_rit_worth_of(const struct tide_rit *t, uint32_t e,
						      uint64_t age);

/* A pass over touches, before the table is used. It remembers which key touched each thing last. */
struct tide_rit_pass {
	struct tide_rit *table;
	struct tide_map things;
	struct tide_vec last;
	uint64_t now;
};

static inline int tide_rit_pass_init(struct tide_rit_pass *p, struct tide_rit *table);
static inline void tide_rit_pass_free(struct tide_rit_pass *p);

/* One touch. counted: the touch and the interval that it ends go into the table. Returns 0 or
 * -ENOMEM. */
static inline int tide_rit_pass_touch(struct tide_rit_pass *p, uint64_t thing, uint64_t key,
				      bool counted);

/* ---- how ---- */

static inline int tide_rit_init(struct tide_rit *t, uint32_t capacity)
{
	uint64_t heads = 2;
	while (heads < 2 * (uint64_t)capacity)
		heads *= 2;
	*t = (struct tide_rit){.capacity = capacity, .mask = heads - 1};
	tide_list_init(&t->recency);
	tide_vec_init(&t->entries, sizeof(struct tide_rit_entry));
	tide_vec_init(&t->counts, (TIDE_RIT_BINS + TIDE_RIT_GROUPS) * sizeof(uint64_t));
	tide_vec_init(&t->heads, sizeof(uint32_t));
	tide_vec_init(&t->order, sizeof(uint32_t));
	int rc = tide_vec_reserve(&t->entries, capacity);
	if (!rc)
		rc = tide_vec_reserve(&t->counts, capacity);
	if (!rc)
		rc = tide_vec_reserve(&t->heads, heads);
	if (!rc)
		rc = tide_vec_reserve(&t->order, capacity);
	if (rc)
		tide_rit_free(t);
	return rc;
}

static inline void tide_rit_free(struct tide_rit *t)
{
	tide_vec_free(&t->entries);
	tide_vec_free(&t->counts);
	tide_vec_free(&t->heads);
	tide_vec_free(&t->order);
}

/* ---- keys ---- */

static inline void tide_rit_unchain(struct tide_rit *t, uint32_t e)
{
	uint32_t *link = tide_rit_head(t, tide_rit_at(t, e)->key);
	while (*link != e + 1)
		link = &tide_rit_at(t, *link - 1)->chain;
	*link = tide_rit_at(t, e)->chain;
}

static inline void tide_rit_clear_counts(struct tide_rit *t, uint32_t e)
{
	struct tide_rit_entry *at = tide_rit_at(t, e);
	uint64_t *counts = tide_rit_counts(t, e);
	for (unsigned w = 0; w < TIDE_RIT_WORDS; w++)
		for (; at->used[w]; at->used[w] &= at->used[w] - 1) {
			unsigned bin = w * 64 + (unsigned)__builtin_ctzll(at->used[w]);
			counts[bin] = counts[TIDE_RIT_BINS + bin / 8] = 0;
		}
}

static inline int tide_rit_compare_recency(const void *a, const void *b, void *arg)
{
	const struct tide_rit_entry *x = tide_rit_at(arg, *(const uint32_t *)a);
	const struct tide_rit_entry *y = tide_rit_at(arg, *(const uint32_t *)b);
	if (x->recent != y->recent)
		return x->recent < y->recent ? -1 : 1;
	return x->key < y->key ? -1 : 1;
}

static inline void tide_rit_order(struct tide_rit *t)
{
	uint32_t *by_recency = (uint32_t *)(void *)t->order.at;
	for (uint32_t e = 0; e < t->n; e++)
		by_recency[e] = e;
	tide_sort(by_recency, t->n, sizeof *by_recency, tide_rit_compare_recency, t);
	for (uint32_t i = 0; i < t->n; i++)
		tide_list_push_tail(&t->recency, tide_rit_recency(t), by_recency[i]);
	t->ordered = true;
}

static inline uint32_t tide_rit_recycle(struct tide_rit *t)
{
	if (!t->ordered)
		tide_rit_order(t);
	uint32_t e = t->recency.head;
	tide_list_remove(&t->recency, tide_rit_recency(t), e);
	tide_rit_unchain(t, e);
	tide_rit_clear_counts(t, e);
	t->recycled++;
	return e;
}

/* The touch that makes an entry may just have credited another entry. Of the two entries, the one
 * with the lower key is recycled first. */
static inline void tide_rit_put_last(struct tide_rit *t, uint32_t e)
{
	const struct tide_rit_entry *at = tide_rit_at(t, e);
	uint32_t tail = t->recency.tail;
	if (tail != TIDE_NIL && tide_rit_at(t, tail)->recent == at->recent &&
	    tide_rit_at(t, tail)->key > at->key)
		tide_list_between(&t->recency, tide_rit_recency(t), e,
				  tide_rit_at(t, tail)->recency.prev, tail);
	else
		tide_list_push_tail(&t->recency, tide_rit_recency(t), e);
}

static inline uint32_t tide_rit_make(struct tide_rit *t, uint64_t key, uint64_t now)
{
	uint32_t e = t->n < t->capacity ? t->n++ : tide_rit_recycle(t);
	uint32_t *head = tide_rit_head(t, key);
	struct tide_rit_entry *at = tide_rit_at(t, e);
	at->key = key;
	at->n = at->sum = at->groups = 0;
	at->last_bin = 0;
	at->made = at->recent = now;
	at->chain = *head;
	*head = e + 1;
	if (t->ordered)
		tide_rit_put_last(t, e);
	return e;
}

/* ---- counts ---- */

static inline void tide_rit_halve_entry(struct tide_rit_entry *at, uint64_t *counts)
{
	uint64_t endless = at->n - at->sum;
	at->sum = 0;
	at->last_bin = 0;
	at->groups = 0;
	memset(counts + TIDE_RIT_BINS, 0, TIDE_RIT_GROUPS * sizeof *counts);
	for (unsigned bin = 0; bin < TIDE_RIT_BINS; bin++) {
		counts[bin] /= 2;
		counts[TIDE_RIT_BINS + bin / 8] += counts[bin];
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

static inline void tide_rit_halve(struct tide_rit *t)
{
	for (uint32_t e = 0; e < t->n; e++)
		tide_rit_halve_entry(tide_rit_at(t, e), tide_rit_counts(t, e));
}

/* ---- worth ---- */

/* Is k / ahead more than w->k / w->ahead? The entry and the age are the same, so rest is too. */
static inline bool tide_rit_more(uint64_t k, uint64_t ahead, const struct tide_rit_worth *w)
{
	return (unsigned __int128)k * w->ahead > (unsigned __int128)w->k * ahead;
}

/* Looks at the bins from `bin` to the end of their group. k is the count of the bins before. */
static inline uint64_t tide_rit_best_in_group(const struct tide_rit_entry *at,
					      const uint64_t *counts, unsigned bin, uint64_t age,
					      uint64_t k, struct tide_rit_worth *w)
{
	unsigned used = (unsigned)(at->used[bin / 64] >> (bin & 56)) & 0xff & 0xffu << bin % 8;
	for (; used; used &= used - 1) {
		unsigned b = (bin & ~7u) + (unsigned)__builtin_ctz(used);
		uint64_t ahead = tide_rit_high(b) - age;
		k += counts[b];
		if (tide_rit_more(k, ahead, w)) {
			w->k = k;
			w->ahead = ahead;
		}
	}
	return k;
}

/* The search looks into a group only if the whole group, as if it were in the group's first bin,
 * would be worth more than the best so far. rest is known only when all later bins were counted. */
static inline struct tide_rit_worth tide_rit_worth_of(const struct tide_rit *t, uint32_t e,
						      uint64_t age)
{
	const uint64_t *counts = tide_rit_counts(t, e);
	const struct tide_rit_entry *at = tide_rit_at(t, e);
	unsigned bin = tide_rit_past(t, age) + 1;
	struct tide_rit_worth w = {0, 1, 1};
	uint64_t k = 0, groups = 0;
	if (bin <= at->last_bin)
		groups = at->groups >> (bin / 8) << (bin / 8);
	if (bin % 8 && groups >> (bin / 8) & 1) {
		k = tide_rit_best_in_group(at, counts, bin, age, 0, &w);
		groups &= groups - 1;
	}
	for (; groups; groups &= groups - 1) {
		unsigned group = (unsigned)__builtin_ctzll(groups);
		uint64_t inside = counts[TIDE_RIT_BINS + group];
		if (tide_rit_more(k + inside, tide_rit_high(group * 8) - age, &w))
			tide_rit_best_in_group(at, counts, group * 8, age, k, &w);
		k += inside;
	}
	w.rest = at->n - at->sum + k;
	return k ? w : TIDE_RIT_WORTHLESS;
}

/* ---- a pass beforehand ---- */

struct tide_rit_touch {
	uint64_t time, key; /* time 0: never */
};

static inline int tide_rit_pass_init(struct tide_rit_pass *p, struct tide_rit *table)
{
	*p = (struct tide_rit_pass){.table = table};
	tide_vec_init(&p->last, sizeof(struct tide_rit_touch));
	return tide_map_init(&p->things, 4096);
}

static inline void tide_rit_pass_free(struct tide_rit_pass *p)
{
	tide_map_free(&p->things);
	tide_vec_free(&p->last);
}

static inline int tide_rit_last_of(struct tide_rit_pass *p, uint64_t thing,
				   struct tide_rit_touch **out)
{
	struct tide_map_entry *at = tide_map_find(&p->things, thing);
	uint64_t i = at->value_plus_1 ? at->value_plus_1 - 1 : p->things.n;
	int rc = i < TIDE_NIL ? tide_vec_reserve(&p->last, i + 1) : -ENOMEM;
	if (!rc && !at->value_plus_1)
		rc = tide_map_put(&p->things, at, thing, (uint32_t)i);
	*out = (struct tide_rit_touch *)(void *)p->last.at + i;
	return rc;
}

static inline int tide_rit_pass_touch(struct tide_rit_pass *p, uint64_t thing, uint64_t key,
				      bool counted)
{
	struct tide_rit_touch *last;
	uint32_t e = TIDE_NIL;
	int rc = tide_rit_last_of(p, thing, &last);
	if (rc)
		return rc;
	p->now++;
	if (counted && last->time)
		e = tide_rit_find(p->table, last->key);
	if (e != TIDE_NIL)
		tide_rit_credit(p->table, e, last->time, p->now);
	if (counted) {
		e = tide_rit_find(p->table, key);
		tide_rit_count(p->table, e != TIDE_NIL ? e : tide_rit_make(p->table, key, p->now));
	}
	*last = (struct tide_rit_touch){p->now, key};
	return 0;
}

#endif
