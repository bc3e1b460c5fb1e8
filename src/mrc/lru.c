/* lru: the distance of an access is the number of other pages used since the last one to its page
 * (Mattson and others, 1970), counted by core/recency.h. */
#include "core/recency.h"
#include "numbers.h"

struct lru {
	struct td_mrc_numbers numbers;
	struct td_recency order;
	struct td_mrc_hist hist;
	uint64_t others[TIDE_BATCH]; /* of the present batch: the distances */
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct lru *l = self;
	(void)config;
	td_mrc_hist_init(&l->hist);
	int rc = td_recency_init(&l->order);
	if (!rc)
		rc = tide_map_init(&l->numbers.map, 0);
	return rc ? td_mrc_no_memory(err) : 0;
}

/* Where a distance is counted is known only when it is, and seldom in the cache: so all counters of
 * a batch are asked for before the first of them is needed. */
static void count(struct lru *l, uint32_t n)
{
	uint64_t *counts = td_mrc_hist_counts(&l->hist);
	for (uint32_t i = 0; i < n; i++)
		++*(l->others[i] == TD_RECENCY_FIRST ? &l->hist.first : &counts[l->others[i]]);
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
	return 0;
}

static int answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		  struct tide_error *err)
{
	(void)accesses;
	(void)err;
	td_mrc_hist_answer(&((struct lru *)self)->hist, at, n);
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
}

const struct td_mrc_method td_mrc_lru = {
	.policy = "lru",
	.bytes = sizeof(struct lru),
	.create = create,
	.see = see,
	.answer = answer,
	.pages = distinct,
	.destroy = destroy,
};
