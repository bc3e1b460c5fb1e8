/* A reuse-interval table: for a bounded number of keys (whoever touches things), how long it takes
 * until a thing they touched is touched again, and from that what it is worth to keep one.
 *
 * An entry counts n touches by its key, and the intervals that ended, in bins:
 *
 *     interval   0  1  2 .. 63 | 64..71  72..79 .. 120..127 | 128..143  144..159 .. | ..
 *     bin        0  1  2 .. 63 | 64      65     .. 71       | 72        73       .. | ..
 *
 * one bin per value at first, then eight to an octave. What was never touched again (or not yet)
 * is in n alone: an interval without end.
 *
 * The worth of a thing that its key touched `age` ago, with g intervals in the bins that this age
 * has behind it, and k more up to the upper edge l of some later bin:
 *     max over l of  k / ((n - g) * (l - age)).
 * Which bins are behind it is read in two ways: all up to the one that age is in, or, with
 * next_edge, all before the one that age + 1 is in, so that what is due next is never behind.
 * Worths are fractions of integers and compared exactly.
 *
 * The table is full when it has `capacity` keys; a new one then takes the place of the least
 * recently credited. Time is a count of touches, from 1; intervals and counts stay below 2^42, so
 * that the products of a comparison fit 128 bits. */
#ifndef TD_CORE_RIT_H
#define TD_CORE_RIT_H

#include <stdbool.h>

#include "list.h"
#include "map.h"
#include "vec.h"

#define TD_RIT_FINE 64 /* intervals with a bin of their own */
#define TD_RIT_TOP 42  /* intervals of 2^42 and more are in the last bin */
#define TD_RIT_BINS (TD_RIT_FINE + 8 * (TD_RIT_TOP - 6))
#define TD_RIT_GROUPS (TD_RIT_BINS / 8) /* of eight bins, whose sums are kept */
#define TD_RIT_WORDS ((TD_RIT_BINS + 63) / 64)

static inline unsigned td_rit_bin(uint64_t interval)
{
	if (interval < TD_RIT_FINE)
		return (unsigned)interval;
	if (interval >> TD_RIT_TOP)
		return TD_RIT_BINS - 1;
	unsigned e = 63 - (unsigned)__builtin_clzll(interval);
	return TD_RIT_FINE + 8 * (e - 6) + (unsigned)(interval >> (e - 3) & 7);
}

/* The first interval of a bin; of the one past the last bin too. */
static inline uint64_t td_rit_low(unsigned bin)
{
	if (bin < TD_RIT_FINE)
		return bin;
	return (uint64_t)(8 + bin % 8) << ((bin - TD_RIT_FINE) / 8 + 3);
}

/* The last interval of a bin. */
static inline uint64_t td_rit_high(unsigned bin)
{
	return td_rit_low(bin + 1) - 1;
}

/* Worth as k / (rest * ahead); k is 0 where nothing is to be expected. */
struct td_rit_worth {
	uint64_t k, rest, ahead;
};

#define TD_RIT_WORTHLESS ((struct td_rit_worth){0, 1, 1})

/* Below 0, 0 or above 0, as a is less than, equal to or more than b. */
static inline int td_rit_compare(struct td_rit_worth a, struct td_rit_worth b)
{
	unsigned __int128 x = (unsigned __int128)(b.rest * (unsigned __int128)b.ahead) * a.k;
	unsigned __int128 y = (unsigned __int128)(a.rest * (unsigned __int128)a.ahead) * b.k;
	return (x > y) - (x < y);
}

/* About as much; off by less than one part in 2^50. */
static inline double td_rit_real(struct td_rit_worth w)
{
	return (double)w.k / ((double)w.rest * (double)w.ahead);
}

struct td_rit_entry {
	struct td_link recency; /* first: the list is made of it */
	uint64_t key;
	uint64_t n;                  /* touches */
	uint64_t sum;                /* of all bins, at most n */
	uint64_t made;               /* when the entry was made */
	uint64_t recent;             /* when it was last credited, or made */
	uint64_t groups;             /* bitmap of groups that are not 0 */
	uint64_t used[TD_RIT_WORDS]; /* of bins */
	unsigned last_bin;           /* the highest of them, or 0: from there on, worthless */
	uint32_t chain;              /* next entry + 1 of the same hash */
};

struct td_rit {
	struct td_vec entries, counts, heads, order;
	/* Head: least recently credited. It is made when an entry has to be recycled for the first
	 * time, and kept up to date from then on. */
	struct td_list recency;
	bool ordered;
	uint32_t n, capacity;
	uint64_t mask;     /* of heads, the hash table */
	bool next_edge;    /* false, unless set after td_rit_init() */
	uint64_t recycled; /* entries that lost their place */
};

int td_rit_init(struct td_rit *t, uint32_t capacity);
void td_rit_free(struct td_rit *t);

static inline struct td_rit_entry *td_rit_at(const struct td_rit *t, uint32_t e)
{
	return (struct td_rit_entry *)(void *)t->entries.at + e;
}

/* The bins of an entry, then the sums of its groups. */
static inline uint64_t *td_rit_counts(const struct td_rit *t, uint32_t e)
{
	return (uint64_t *)(void *)t->counts.at + (size_t)e * (TD_RIT_BINS + TD_RIT_GROUPS);
}

/* The last bin that an age has behind it. */
static inline unsigned td_rit_past(const struct td_rit *t, uint64_t age)
{
	return t->next_edge ? td_rit_bin(age + 1) - 1 : td_rit_bin(age);
}

/* The least age that has a bin behind it. */
static inline uint64_t td_rit_since(const struct td_rit *t, unsigned bin)
{
	return t->next_edge ? td_rit_high(bin) : td_rit_low(bin);
}

static inline uint32_t *td_rit_head(const struct td_rit *t, uint64_t key)
{
	return (uint32_t *)(void *)t->heads.at + (tide_hash64(key) & t->mask);
}

/* The entry of a key, or TD_NIL. */
static inline uint32_t td_rit_find(const struct td_rit *t, uint64_t key)
{
	uint32_t e = *td_rit_head(t, key);
	while (e && td_rit_at(t, e - 1)->key != key)
		e = td_rit_at(t, e - 1)->chain;
	return e - 1;
}

/* An entry, empty, for a key that has none. It may be one that was another key's. */
uint32_t td_rit_make(struct td_rit *t, uint64_t key, uint64_t now);

static inline struct td_links td_rit_recency(const struct td_rit *t)
{
	return (struct td_links){t->entries.at, sizeof(struct td_rit_entry)};
}

static inline void td_rit_first_in_bin(struct td_rit_entry *at, unsigned bin)
{
	at->used[bin / 64] |= UINT64_C(1) << (bin % 64);
	at->groups |= UINT64_C(1) << (bin / 8);
	at->last_bin = bin > at->last_bin ? bin : at->last_bin;
}

/* A thing that the entry's key touched at `last` is touched again. Says whether that counts: a
 * touch before the entry was made does not. */
static inline bool td_rit_credit(struct td_rit *t, uint32_t e, uint64_t last, uint64_t now)
{
	struct td_rit_entry *at = td_rit_at(t, e);
	unsigned bin = td_rit_bin(now - last);
	uint64_t *counts = td_rit_counts(t, e);
	if (last < at->made)
		return false;
	if (counts[bin]++ == 0)
		td_rit_first_in_bin(at, bin);
	counts[TD_RIT_BINS + bin / 8]++;
	if (at->sum++ == at->n)
		at->n++;
	at->recent = now;
	if (t->ordered)
		td_list_to_tail(&t->recency, td_rit_recency(t), e);
	return true;
}

/* The entry's key touches a thing. */
static inline void td_rit_count(struct td_rit *t, uint32_t e)
{
	td_rit_at(t, e)->n++;
}

/* Halves all counts, and what n has beyond them. Since touches from before may still be credited
 * in full, td_rit_credit() raises n where the bins would come to more. */
void td_rit_halve(struct td_rit *t);

struct td_rit_worth td_rit_worth_of(const struct td_rit *t, uint32_t e, uint64_t age);

/* A pass over touches before the table is put to use: it remembers who touched each thing last. */
struct td_rit_pass {
	struct td_rit *table;
	struct td_map things;
	struct td_vec last;
	uint64_t now;
};

int td_rit_pass_init(struct td_rit_pass *p, struct td_rit *table);
void td_rit_pass_free(struct td_rit_pass *p);

/* One touch; counted: it and the interval that it ends go into the table. 0 or -ENOMEM. */
int td_rit_pass_touch(struct td_rit_pass *p, uint64_t thing, uint64_t key, bool counted);

#endif
