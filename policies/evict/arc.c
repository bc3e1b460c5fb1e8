/* ARC, adaptive replacement cache: pages seen once (T1) and more often (T2), each with a ghost
 * list (B1, B2); hits on the ghosts move the target size p of T1. p and its steps are integers. */
#include "queues.h"

enum { T1 = 1, T2, B1, B2 };

struct arc {
	struct queues q;
	uint64_t p;
	bool ghost2; /* the faulting page is in B2 */
	bool forget; /* the next victim of T1 leaves no ghost */
};

static uint64_t size(const struct arc *s, int which)
{
	return s->q.list[which].n;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct arc *s = self;
	(void)values, (void)err;
	queues_init(&s->q, view);
	return 0;
}

static uint64_t step(uint64_t other, uint64_t own)
{
	return other > own ? other / own : 1;
}

static void adapt(struct arc *s, uint8_t ghost, uint64_t n)
{
	if (ghost == B1) {
		s->p += step(size(s, B2), size(s, B1));
		s->p = s->p < n ? s->p : n;
	} else {
		uint64_t down = step(size(s, B1), size(s, B2));
		s->p -= down < s->p ? down : s->p;
	}
}

/* A page that no list knows: the ghosts make room first. */
static void forget_oldest(struct arc *s, uint64_t n)
{
	uint64_t l1 = size(s, T1) + size(s, B1);
	if (l1 >= n) {
		if (size(s, T1) < n)
			queues_trim(&s->q, B1, size(s, B1) - 1);
		else
			s->forget = true;
	} else if (l1 + size(s, T2) + size(s, B2) >= 2 * n) {
		queues_trim(&s->q, B2, size(s, B2) - 1);
	}
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct arc *s = self;
	const struct tide_near *near = s->q.view->near;
	uint8_t in = queued(&s->q, c.index)->queue;
	(void)p;
	s->ghost2 = in == B2;
	s->forget = false;
	if (in)
		adapt(s, in, near->capacity_pages);
	else if (!near->free_pages)
		forget_oldest(s, near->capacity_pages);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct arc *s = self;
	uint64_t n = s->q.view->near->capacity_pages;
	(void)pages;
	queues_move(&s->q, c.index, queued(&s->q, c.index)->queue ? T2 : T1);
	if (queues_faulting(&s->q, c))
		return;
	/* The algorithm keeps these bounds itself, but knows nothing of prefetched pages. */
	if (size(s, T1) + size(s, B1) > n)
		queues_trim(&s->q, B1, n - size(s, T1));
	if (size(s, T2) + size(s, B2) > 2 * n)
		queues_trim(&s->q, B2, 2 * n - size(s, T2));
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct arc *s = self;
	(void)p, (void)ref;
	if (!queues_faulting(&s->q, c))
		queues_move(&s->q, c.index, T2);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct arc *s = self;
	(void)what;
	if (queued(&s->q, c.index)->queue == T2)
		queues_move(&s->q, c.index, B2);
	else
		queues_move(&s->q, c.index, s->forget ? 0 : B1);
	s->forget = false;
}

static tide_chunk pick_victim(void *self)
{
	struct arc *s = self;
	uint64_t t1 = size(s, T1);
	bool first = s->forget || (t1 && (t1 > s->p || (s->ghost2 && t1 == s->p)));
	tide_chunk c = queues_oldest(&s->q, first ? T1 : T2);
	return c.index != TD_NIL ? c : queues_oldest(&s->q, first ? T2 : T1);
}

static void report(void *self, const struct tide_report *r)
{
	const struct arc *s = self;
	r->number(r->to, "p", s->p);
}

const struct tide_policy td_policy_evict_arc = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "arc",
	.role = TIDE_EVICT,
	.summary = "adaptive between recency and frequency, with ghosts",
	.paper = "ARC, FAST 2003",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.state_bytes = sizeof(struct arc),
	.chunk_bytes = sizeof(struct walked),
	.create = create,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
