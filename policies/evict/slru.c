/* SLRU, segmented LRU (Karedla, Love and Wherry, Computer 27(3), 1994). A new page enters the
 * probationary segment. A hit moves a page to the newest end of the protected segment. If that is
 * too long then, its oldest page goes back to the newest end of the probationary segment. The
 * victim is the oldest probationary page.
 *
 * The paper leaves the size of the protected segment to the user. The default, 80%, is that of
 * W-TinyLFU's main part. At least one page is probationary. */
#include "queues.h"

enum { PROBATION = 1, PROTECTED };

struct slru {
	struct queues q;
	uint64_t protected_pages;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct slru *s = self;
	uint64_t n = view->near->capacity_pages;
	s->protected_pages = (uint64_t)((double)n * values[0].r / 100);
	if (s->protected_pages >= n)
		s->protected_pages = n - 1;
	return queues_init(&s->q, view, err);
}

static void destroy(void *self)
{
	struct slru *s = self;
	queues_free(&s->q);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct slru *s = self;
	(void)pages;
	queues_move(&s->q, c.index, PROBATION);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct slru *s = self;
	(void)p, (void)ref;
	if (queues_faulting(&s->q, c))
		return;
	queues_move(&s->q, c.index, PROTECTED);
	if (queues_length(&s->q, PROTECTED) > s->protected_pages)
		queues_move(&s->q, queues_first(&s->q, PROTECTED), PROBATION);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct slru *s = self;
	(void)what;
	queues_move(&s->q, c.index, 0);
}

static tide_chunk pick_victim(void *self)
{
	struct slru *s = self;
	tide_chunk c = queues_oldest(&s->q, PROBATION);
	return c.index != TIDE_NIL ? c : queues_oldest(&s->q, PROTECTED);
}

static const struct tide_param params[] = {
	{"protected", TIDE_PARAM_REAL, "80", 0, 100,
	 "size of the protected segment, per cent of near memory"},
	{0},
};

const struct tide_policy td_policy_evict_slru = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "slru",
	.role = TIDE_EVICT,
	.summary = "a probationary and a protected segment; a hit protects a page",
	.paper = "Segmented LRU, Computer 27(3), 1994",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct slru),
	.chunk_bytes = sizeof(struct queued),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
