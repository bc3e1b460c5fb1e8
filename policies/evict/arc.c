/* ARC, adaptive replacement cache. T1 holds the pages accessed once, T2 the pages accessed more
 * often. Each has a ghost list (B1, B2). Hits on the ghosts move the target size p of T1. p and its
 * steps are integers.
 *
 * The page that leaves T1 is its oldest, and becomes the newest of B1. So T1 and B1 are one order,
 * and a page leaves when the mark between them moves past it. T2 and B2 are one order, too.
 *
 *     oldest   B B B B | T T T T T   newest
 *                      ^ mark */
#include <errno.h>

#include "tide/order.h"

/* What the slot of a chunk says; 0: in no list. */
enum { T1 = 1, T2, B1, B2 };

struct slot {
	uint32_t place; /* must be first */
	uint8_t in;
};

struct pages {
	struct tide_order order; /* the mark is before the oldest resident page */
	uint32_t here;
};

struct arc {
	const struct tide_view *view;
	struct pages once, often;
	uint64_t p;
	bool ghost2; /* the faulting page is in B2 */
	bool forget; /* the next victim of T1 leaves no ghost */
};

static inline struct slot *slot(const struct tide_view *v, uint32_t i)
{
	return tide_slot(v, struct slot, (tide_chunk){i});
}

static inline struct tide_links slots(const struct tide_view *v)
{
	return (struct tide_links){v->slots, sizeof(struct slot)};
}

static inline uint64_t ghosts(const struct pages *l)
{
	return l->order.n - l->here;
}

static void destroy(void *self)
{
	struct arc *s = self;
	tide_order_free(&s->once.order);
	tide_order_free(&s->often.order);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct arc *s = self;
	uint64_t n = view->near->capacity_pages;
	(void)values;
	s->view = view;
	int rc = tide_order_init_one(&s->once.order, n, 0);
	if (!rc)
		rc = tide_order_init_one(&s->often.order, 2 * n, 1);
	if (!rc)
		return 0;
	destroy(self);
	return tide_fail(err, -ENOMEM, "out of memory for the lists of arc");
}

/* ---- the two lists ---- */

static inline void enter(struct pages *l, const struct tide_view *v, uint32_t i, uint8_t as)
{
	slot(v, i)->in = as;
	tide_order_put(&l->order, slots(v), i);
	/* The newest ghost keeps its entry. */
	if (__builtin_expect(slot(v, i)->place < l->order.mark, 0))
		l->order.mark = slot(v, i)->place;
	l->here++;
}

static inline void leave(struct pages *l, const struct tide_view *v, uint32_t i)
{
	struct slot *at = slot(v, i);
	l->here -= at->in <= T2;
	at->in = 0;
	tide_order_remove(&l->order, slots(v), i);
}

static inline void move_to_often(struct arc *s, const struct tide_view *v, uint32_t i)
{
	if (slot(v, i)->in % 2)
		leave(&s->once, v, i);
	else
		s->often.here -= slot(v, i)->in == T2;
	enter(&s->often, v, i, T2);
}

/* Another page than the oldest leaves: its entry moves in front of those that stay. */
__attribute__((noinline, cold)) static void move_to_mark(struct tide_order *o,
							 struct tide_links links, uint32_t i)
{
	uint32_t *log = tide_order_log(o), at = *tide_order_place(links, i);
	for (; at > o->mark; at--) {
		log[at] = log[at - 1];
		if (*tide_order_place(links, log[at]) == at - 1)
			*tide_order_place(links, log[at]) = at;
	}
	log[at] = i;
	*tide_order_place(links, i) = at;
}

/* The newest ghost. */
static inline void become_ghost(struct pages *l, const struct tide_view *v, uint32_t i, uint8_t as)
{
	if (__builtin_expect(slot(v, i)->place != l->order.mark, 0))
		move_to_mark(&l->order, slots(v), i);
	l->order.mark++;
	slot(v, i)->in = as;
	l->here--;
}

/* Drops ghosts until ghosts and resident pages together are at most n. */
static inline void forget_ghosts(struct pages *l, const struct tide_view *v, uint64_t n)
{
	while (l->order.n > n && ghosts(l))
		leave(l, v, tide_order_first(&l->order, slots(v), v).index);
}

static inline uint32_t oldest_here(struct pages *l, const struct tide_view *v)
{
	return tide_order_marked(&l->order, slots(v), v).index;
}

static inline uint32_t oldest_of(struct arc *s, bool once, const struct tide_view *v)
{
	return once ? oldest_here(&s->once, v) : oldest_here(&s->often, v);
}

/* ---- events ---- */

static uint64_t step(uint64_t other, uint64_t own)
{
	return other > own ? other / own : 1;
}

static void adapt(struct arc *s, bool once, uint64_t n)
{
	uint64_t b1 = ghosts(&s->once), b2 = ghosts(&s->often);
	if (once) {
		s->p += step(b2, b1);
		s->p = s->p < n ? s->p : n;
	} else {
		uint64_t down = step(b1, b2);
		s->p -= down < s->p ? down : s->p;
	}
}

/* A page that is in no list comes in. The ghosts make room first. */
static void make_room(struct arc *s, const struct tide_view *v, uint64_t n)
{
	uint64_t l1 = s->once.order.n, all = l1 + s->often.order.n;
	if (l1 >= n) {
		s->forget = s->once.here >= n;
		if (!s->forget)
			forget_ghosts(&s->once, v, l1 - 1);
	} else if (all >= 2 * n) {
		forget_ghosts(&s->often, v, s->often.order.n - 1);
	}
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	uint8_t in = slot(&view, c.index)->in;
	(void)p;
	s->ghost2 = in == B2;
	s->forget = false;
	if (in)
		adapt(s, in == B1, view.near->capacity_pages);
	else if (!view.near->free_pages)
		make_room(s, &view, view.near->capacity_pages);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	(void)pages;
	if (slot(&view, c.index)->in)
		move_to_often(s, &view, c.index);
	else
		enter(&s->once, &view, c.index, T1);
	if (view.near->fault_chunk.index == c.index)
		return;
	/* The algorithm itself keeps these bounds, but not for prefetched pages. */
	uint64_t n = view.near->capacity_pages;
	forget_ghosts(&s->once, &view, n);
	forget_ghosts(&s->often, &view, 2 * n);
}

/* The access that brought a page in does not count as reuse. */
static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	(void)p, (void)ref;
	if (view.near->fault_chunk.index != c.index)
		move_to_often(s, &view, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	(void)what;
	if (slot(&view, c.index)->in == T2)
		become_ghost(&s->often, &view, c.index, B2);
	else if (s->forget)
		leave(&s->once, &view, c.index);
	else
		become_ghost(&s->once, &view, c.index, B1);
	s->forget = false;
}

static tide_chunk pick_victim(void *self)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	uint64_t t1 = s->once.here;
	bool first = s->forget || (t1 && (t1 > s->p || (s->ghost2 && t1 == s->p)));
	uint32_t i = oldest_of(s, first, &view);
	return (tide_chunk){i != TIDE_NIL ? i : oldest_of(s, !first, &view)};
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
	.summary = "adapts between recency and frequency, with ghost lists",
	.paper = "ARC, FAST 2003",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.state_bytes = sizeof(struct arc),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.destroy = destroy,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
