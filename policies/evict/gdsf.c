/* GDSF, Greedy-Dual-Size with frequency (Cherkasova, HP Labs technical report HPL-98-69R1, 1998).
 * The page with the lowest priority leaves:
 *
 *     priority = clock + uses * cost / size
 *
 * The clock is the priority of the last victim. A use gives the page a priority by the clock of
 * that moment, so pages that are no longer used fall behind. A page that leaves is forgotten. Ties
 * go to the least recently used page. With equal sizes and costs this is LFU with dynamic aging. */
#include "ranks.h"

struct page {
	struct ranked head; /* its rank is the priority */
	uint64_t uses;
};

struct gdsf {
	struct ranks ranks; /* must be first */
	double clock;
	uint32_t picked; /* the last answer of pick_victim() */
};

static struct page *page(const struct gdsf *s, uint32_t i)
{
	return tide_slot(s->ranks.view, struct page, (tide_chunk){i});
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

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct gdsf *s = self;
	(void)values, (void)err;
	ranks_init(&s->ranks, view, sizeof(struct page));
	s->picked = TIDE_NIL;
	return 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct gdsf *s = self;
	(void)pages;
	page(s, c.index)->uses = 0;
	ranks_add(&s->ranks, c.index, s->clock);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct gdsf *s = self;
	struct page *at = page(s, c.index);
	(void)p, (void)ref;
	at->uses++;
	ranks_use(&s->ranks, c.index, s->clock + worth(s->ranks.view, c, at->uses));
}

/* A page that left for another reason than its priority does not move the clock. */
static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct gdsf *s = self;
	(void)what;
	if (c.index == s->picked)
		s->clock = ranked(&s->ranks, c.index)->rank;
	s->picked = TIDE_NIL;
	heap_remove(&s->ranks.heap, c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct gdsf *s = self;
	tide_chunk c = heap_first(&s->ranks.heap, NULL);
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
