/* GDSF, Greedy-Dual-Size with frequency (Cherkasova, HP Labs technical report HPL-98-69R1, 1998).
 * The page with the lowest priority leaves:
 *
 *     priority = clock + uses * cost / size
 *
 * The clock is the priority of the last victim. A use gives the page a priority by the clock of
 * that moment, so pages that are no longer used fall behind. A page that leaves is forgotten. Ties
 * go to the least recently used page. With equal sizes and costs this is LFU with dynamic aging. */
#include "heap.h"

struct page {
	struct heap_node node;
	double priority;
	uint64_t last;
	uint64_t uses;
};

struct gdsf {
	const struct tide_view *view;
	struct heap heap;
	double clock;
	uint32_t picked; /* the last answer of pick_victim() */
};

static struct page *page(const struct gdsf *s, uint32_t i)
{
	return tide_slot(s->view, struct page, (tide_chunk){i});
}

/* What so many uses of the page are worth: uses * cost / size, per million bytes, so that small
 * worths keep their digits beside the clock. Pages of one size are worth their uses. */
static inline double worth(const struct tide_view *v, tide_chunk c, uint64_t uses)
{
	if (!v->near->objects)
		return (double)uses;
	return (double)uses * (double)tide_object_cost(v, c) * 1e6 /
	       (double)tide_object_bytes(v, c);
}

static bool before(const void *self, uint32_t a, uint32_t b)
{
	const struct gdsf *s = self;
	const struct page *x = page(s, a), *y = page(s, b);
	if (x->priority < y->priority || x->priority > y->priority)
		return x->priority < y->priority;
	if (x->last != y->last)
		return x->last < y->last;
	return heap_lower_number(s->view, a, b);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct gdsf *s = self;
	(void)values, (void)err;
	s->view = view;
	s->picked = TIDE_NIL;
	s->heap = (struct heap){view, sizeof(struct page), 0, before, s};
	return 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct gdsf *s = self;
	struct page *at = page(s, c.index);
	(void)pages;
	at->uses = 0;
	at->priority = s->clock;
	at->last = s->view->near->time;
	heap_add(&s->heap, c.index);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct gdsf *s = self;
	struct page *at = page(s, c.index);
	(void)p, (void)ref;
	at->uses++;
	at->priority = s->clock + worth(s->view, c, at->uses);
	at->last = s->view->near->time;
	heap_moved(&s->heap, c.index);
}

/* A page that left for another reason than its priority does not move the clock. */
static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct gdsf *s = self;
	(void)what;
	if (c.index == s->picked)
		s->clock = page(s, c.index)->priority;
	s->picked = TIDE_NIL;
	heap_remove(&s->heap, c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct gdsf *s = self;
	tide_chunk c = heap_first(&s->heap, NULL);
	s->picked = c.index;
	return c;
}

static void report(void *self, const struct tide_report *r)
{
	const struct gdsf *s = self;
	r->real(r->to, "clock", s->clock);
}

const struct tide_policy td_policy_evict_gdsf = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "gdsf",
	.role = TIDE_EVICT,
	.summary = "uses times cost by size, with aging; with equal sizes LFU with aging",
	.paper = "GDSF, HP Labs HPL-98-69R1, 1998",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES | TIDE_TAKES_SIZES,
	.state_bytes = sizeof(struct gdsf),
	.chunk_bytes = sizeof(struct page),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
