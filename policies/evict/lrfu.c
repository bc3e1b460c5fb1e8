/* LRFU (Lee, Choi, Kim, Noh, Min, Cho and Kim, IEEE Transactions on Computers 50(12), 2001). Every
 * reference to a page adds (1/2)^(lambda * age) to its value, and the page with the least value
 * leaves. With lambda = 0 this is LFU, with lambda = 1 it is LRU. A page that leaves is forgotten.
 *
 * All values shrink at the same rate, so the order of two pages changes only if one of them is
 * used. The rank of a page, log2(value) + lambda * time of its last use, has that order and stays
 * as it is between uses. Ties go to the least recently used page.
 *
 * The paper has no default for lambda. It finds the best one between 0.000001 and 0.01, larger for
 * smaller caches. */
#include <math.h>

#include "ranks.h"

struct page {
	struct ranked head;
	double value; /* at the time of the last use */
};

struct lrfu {
	struct ranks ranks; /* must be first */
	double lambda;
};

static struct page *page(const struct lrfu *s, uint32_t i)
{
	return tide_slot(s->ranks.view, struct page, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct lrfu *s = self;
	(void)err;
	ranks_init(&s->ranks, view, sizeof(struct page));
	s->lambda = values[0].r;
	return 0;
}

/* A page that is not used yet has no value. */
static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct lrfu *s = self;
	(void)pages;
	page(s, c.index)->value = 0;
	ranks_add(&s->ranks, c.index, -INFINITY);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct lrfu *s = self;
	struct page *at = page(s, c.index);
	uint64_t now = s->ranks.view->near->time;
	(void)p, (void)ref;
	at->value = 1 + at->value * exp2(-s->lambda * (double)(now - at->head.last));
	ranks_use(&s->ranks, c.index, log2(at->value) + s->lambda * (double)now);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct lrfu *s = self;
	(void)what;
	heap_remove(&s->ranks.heap, c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct lrfu *s = self;
	return heap_first(&s->ranks.heap, NULL);
}

static const struct tide_param params[] = {
	{"lambda", TIDE_PARAM_REAL, "0.001", 0, 1,
	 "how fast references lose value; 0: as lfu, 1: as lru"},
	{0},
};

const struct tide_policy td_policy_evict_lrfu = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lrfu",
	.role = TIDE_EVICT,
	.summary = "least value, which every use adds to and time takes from",
	.paper = "LRFU, IEEE Transactions on Computers 50(12), 2001",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct lrfu),
	.chunk_bytes = sizeof(struct page),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
