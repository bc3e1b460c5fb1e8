/* Hyperbolic caching (Blankstein, Sen and Freedman, USENIX ATC 2017). The priority of a page is its
 * uses since it came in, divided by the time since then. The victim has the lowest priority of 64
 * pages drawn at random, as published. A page that leaves is forgotten.
 *
 * The paper does not say whether a page may be drawn twice for one victim; here it may. Time is
 * counted in accesses. Ties go to the lowest chunk number.
 *
 * To draw from them, the resident pages are kept in an array without holes. It lives in the slots:
 * `at` of slot p is the p-th resident page. */
#include "heap.h"

struct page {
	uint32_t at;    /* the page at the place that has this slot's number */
	uint32_t place; /* of this page */
	uint64_t uses, since;
};

struct hyperbolic {
	const struct tide_view *view;
	uint64_t drawn;
	uint32_t n; /* pages in the array */
};

static struct page *page(const struct hyperbolic *s, uint32_t i)
{
	return tide_slot(s->view, struct page, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct hyperbolic *s = self;
	(void)err;
	s->view = view;
	s->drawn = (uint64_t)values[0].i;
	return 0;
}

static void put(struct hyperbolic *s, uint32_t place, uint32_t i)
{
	page(s, place)->at = i;
	page(s, i)->place = place;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct hyperbolic *s = self;
	(void)pages;
	put(s, s->n++, c.index);
	page(s, c.index)->uses = 0;
	page(s, c.index)->since = s->view->near->time;
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct hyperbolic *s = self;
	(void)p, (void)ref;
	page(s, c.index)->uses++;
}

/* The last page of the array moves to the place that becomes free. */
static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct hyperbolic *s = self;
	(void)what;
	put(s, page(s, c.index)->place, page(s, --s->n)->at);
}

/* Is uses / age of a below that of b? */
static bool before(const struct hyperbolic *s, uint32_t a, uint32_t b)
{
	const struct page *x = page(s, a), *y = page(s, b);
	uint64_t now = s->view->near->time;
	unsigned __int128 left = (unsigned __int128)x->uses * (now - y->since);
	unsigned __int128 right = (unsigned __int128)y->uses * (now - x->since);
	return left != right ? left < right : heap_lower_number(s->view, a, b);
}

static void consider(const struct hyperbolic *s, uint32_t i, tide_chunk *best)
{
	if (!tide_valid(s->view, (tide_chunk){i}))
		return;
	if (best->index == TIDE_NIL || before(s, i, best->index))
		best->index = i;
}

static tide_chunk pick_victim(void *self)
{
	struct hyperbolic *s = self;
	tide_chunk best = TIDE_NO_CHUNK;
	for (uint64_t i = 0; i < s->drawn; i++)
		consider(s, page(s, (uint32_t)tide_random_below(s->view, s->n))->at, &best);
	/* None of those drawn may leave: look at all. */
	for (uint32_t i = 0; best.index == TIDE_NIL && i < s->n; i++)
		consider(s, page(s, i)->at, &best);
	return best;
}

static const struct tide_param params[] = {
	{"drawn", TIDE_PARAM_INT, "64", 1, 256, "pages drawn for each victim"},
	{0},
};

const struct tide_policy td_policy_evict_hyperbolic = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "hyperbolic",
	.role = TIDE_EVICT,
	.summary = "fewest uses by age, of 64 pages drawn at random",
	.paper = "Hyperbolic Caching, USENIX ATC 2017",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct hyperbolic),
	.chunk_bytes = sizeof(struct page),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
