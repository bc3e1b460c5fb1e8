/* lru: the distance of an access is the number of other pages accessed since the last access to its
 * page (Mattson and others, 1970). core/recency.h counts it. */
#include "core/recency.h"
#include "numbers.h"

struct lru {
	struct td_mrc_numbers numbers;
	struct td_recency order;
	struct td_mrc_hist hist;
	/* Of inputs with groups: accesses by the longest distance in their group so far. A cache
	 * has all of a group up to an access if it holds more pages than that. */
	struct td_mrc_hist prefix;
	uint64_t longest;            /* of the present group; TD_RECENCY_FIRST: a page was new */
	uint64_t others[TIDE_BATCH]; /* of the present batch: the distances */
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct lru *l = self;
	(void)config;
	td_mrc_hist_init(&l->hist);
	td_mrc_hist_init(&l->prefix);
	l->longest = TD_RECENCY_FIRST; /* nothing is in a group before the first begins */
	int rc = td_recency_init(&l->order);
	if (!rc)
		rc = tide_map_init(&l->numbers.map, 0);
	return rc ? td_mrc_no_memory(err) : 0;
}

/* The counter of a distance is known only with the distance, and is seldom in the cache. So all
 * counters of a batch are prefetched before the first of them is needed. */
static void count(struct lru *l, uint32_t n)
{
	uint64_t *counts = td_mrc_hist_counts(&l->hist);
	for (uint32_t i = 0; i < n; i++)
		++*(l->others[i] == TD_RECENCY_FIRST ? &l->hist.first : &counts[l->others[i]]);
}

static int count_prefixes(struct lru *l, const struct td_mrc_accesses *a)
{
	if (td_mrc_hist_reserve(&l->prefix, l->numbers.map.n))
		return -ENOMEM;
	uint64_t *counts = td_mrc_hist_counts(&l->prefix);
	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t others = l->others[i];
		l->longest = a->first[i] || others > l->longest ? others : l->longest;
		++*(l->longest == TD_RECENCY_FIRST ? &l->prefix.first : &counts[l->longest]);
	}
	return 0;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct lru *l = self;
	int rc = td_mrc_number(&l->numbers, accesses, err);
	if (rc)
		return rc;
	if (td_recency_reserve(&l->order, l->numbers.map.n) ||
	    td_mrc_hist_reserve(&l->hist, l->numbers.map.n))
		return td_mrc_no_memory(err);
	const uint32_t *index = l->numbers.index;
	const uint64_t *counts = td_mrc_hist_counts(&l->hist);
	for (uint32_t i = 0; i < accesses->n; i++) {
		td_recency_expect(&l->order, index[i + 2 * TD_MRC_AHEAD]);
		td_recency_expect_soon(&l->order, index[i + TD_MRC_AHEAD]);
		l->others[i] = td_recency_touch(&l->order, index[i]);
		if (l->others[i] != TD_RECENCY_FIRST)
			__builtin_prefetch(counts + l->others[i], 1);
	}
	count(l, accesses->n);
	return accesses->first && count_prefixes(l, accesses) ? td_mrc_no_memory(err) : 0;
}

static int answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		  struct tide_error *err)
{
	struct lru *l = self;
	(void)accesses;
	(void)err;
	td_mrc_hist_answer(&l->prefix, at, n);
	for (size_t i = 0; i < n; i++)
		at[i].prefix_misses = at[i].misses;
	td_mrc_hist_answer(&l->hist, at, n);
	return 0;
}

static uint64_t distinct(const void *self)
{
	return ((const struct lru *)self)->numbers.map.n;
}

static void destroy(void *self)
{
	struct lru *l = self;
	tide_map_free(&l->numbers.map);
	td_recency_free(&l->order);
	td_mrc_hist_free(&l->hist);
	td_mrc_hist_free(&l->prefix);
}

const struct td_mrc_method td_mrc_lru = {
	.policy = "lru",
	.groups = true,
	.bytes = sizeof(struct lru),
	.create = create,
	.see = see,
	.answer = answer,
	.pages = distinct,
	.destroy = destroy,
};
