/* LRU-K (O'Neil, O'Neil and Weikum, SIGMOD 1993). The victim is the page whose k-th last reference
 * is the oldest. Pages with fewer references leave first, the least recently used one before the
 * others. A page that has left keeps its references.
 *
 * References that come within `correlated` accesses of the one before count as one, and a page may
 * not leave until that time has passed, unless no other page may. The default is 0, as in the
 * paper's simulations. The paper suggests to forget a page after about 200 s. Accesses have no such
 * time here, so the default, `retain=0`, never forgets. */
#include "heap.h"

#define K_MOST 8

struct page {
	struct heap_node node;
	uint64_t last;         /* reference, or coming in */
	uint64_t hist[K_MOST]; /* times of references, the newest first; 0: none. k are in use */
};

struct lru_k {
	const struct tide_view *view;
	struct heap heap;
	size_t page_bytes;
	uint64_t correlated, retain;
	unsigned k;
};

static size_t chunk_bytes_with(const union tide_value *values, uint32_t chunk_pages)
{
	(void)chunk_pages;
	return offsetof(struct page, hist) + (size_t)values[0].i * sizeof(uint64_t);
}

static struct page *page(const struct lru_k *s, uint32_t i)
{
	return (struct page *)(void *)(s->view->slots + (size_t)i * s->page_bytes);
}

static bool before(const void *self, uint32_t a, uint32_t b)
{
	const struct lru_k *s = self;
	const struct page *x = page(s, a), *y = page(s, b);
	if (x->hist[s->k - 1] != y->hist[s->k - 1])
		return x->hist[s->k - 1] < y->hist[s->k - 1];
	if (x->last != y->last)
		return x->last < y->last;
	return heap_lower_number(s->view, a, b);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct lru_k *s = self;
	(void)err;
	s->view = view;
	s->k = (unsigned)values[0].i;
	s->correlated = (uint64_t)values[1].i;
	s->retain = (uint64_t)values[2].i;
	s->page_bytes = chunk_bytes_with(values, 1);
	s->heap = (struct heap){view, s->page_bytes, 0, before, s};
	return 0;
}

/* One more reference. The older ones move up by the length of the correlated period that ends, so
 * that it counts as a single moment. */
static void refer(const struct lru_k *s, struct page *at, uint64_t now)
{
	uint64_t period = at->hist[0] ? at->last - at->hist[0] : 0;
	for (unsigned i = s->k - 1; i; i--)
		at->hist[i] = at->hist[i - 1] ? at->hist[i - 1] + period : 0;
	at->hist[0] = now;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct lru_k *s = self;
	struct page *at = page(s, c.index);
	uint64_t now = s->view->near->time;
	(void)pages;
	if (s->retain && now - at->last > s->retain)
		memset(at->hist, 0, s->k * sizeof *at->hist);
	/* What came before is no correlated period: the page was away. */
	at->last = at->hist[0] ? at->hist[0] : now;
	heap_add(&s->heap, c.index);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct lru_k *s = self;
	struct page *at = page(s, c.index);
	uint64_t now = s->view->near->time;
	(void)p, (void)ref;
	if (!at->hist[0] || s->view->near->fault_chunk.index == c.index ||
	    now - at->last > s->correlated)
		refer(s, at, now);
	at->last = now;
	heap_moved(&s->heap, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct lru_k *s = self;
	(void)what;
	heap_remove(&s->heap, c.index);
}

static bool may_leave(const void *self, uint32_t i)
{
	const struct lru_k *s = self;
	return tide_valid(s->view, (tide_chunk){i}) &&
	       s->view->near->time - page(s, i)->last > s->correlated;
}

static tide_chunk pick_victim(void *self)
{
	struct lru_k *s = self;
	tide_chunk c = heap_first(&s->heap, s->correlated ? may_leave : NULL);
	return c.index != TIDE_NIL ? c : heap_first(&s->heap, NULL);
}

static const struct tide_param params[] = {
	{"k", TIDE_PARAM_INT, "2", 1, K_MOST, "the reference that counts, from the newest back"},
	{"correlated", TIDE_PARAM_INT, "0", 0, 1e9,
	 "accesses within which references count as one"},
	{"retain", TIDE_PARAM_INT, "0", 0, 1e15,
	 "accesses after which a page's references are forgotten; 0: never"},
	{0},
};

const struct tide_policy td_policy_evict_lru_k = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lru-k",
	.role = TIDE_EVICT,
	.summary = "the page whose k-th last reference is the oldest",
	.paper = "LRU-K, SIGMOD 1993",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct lru_k),
	.chunk_bytes = sizeof(struct page),
	.chunk_bytes_with = chunk_bytes_with,
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
