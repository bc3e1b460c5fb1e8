/* ARC, adaptive replacement cache. T1 holds the pages accessed once, T2 the pages accessed more
 * often. Each has a ghost list (B1, B2). Hits on the ghosts move the target size p of T1. p and its
 * steps are integers.
 *
 * The page that leaves T1 is its oldest, and becomes the newest of B1. So T1 and B1 are one list,
 * and a page leaves when the edge between them moves past it. T2 and B2 are one list, too.
 *
 *     oldest   B B B B | T T T T T   newest
 *                        ^ edge */
#include "tide/trail.h"

/* What the slot of a chunk says; 0: in no list. */
enum { T1 = 1, T2, B1, B2 };

struct pages {
	struct tide_list list; /* the head is the oldest */
	uint32_t edge;         /* the oldest resident page, or TIDE_NIL */
	uint32_t here;
};

struct arc {
	const struct tide_view *view;
	struct pages once, often;
	struct tide_trail trail; /* of once; often is reordered by every hit */
	uint64_t p;
	bool ghost2; /* the faulting page is in B2 */
	bool forget; /* the next victim of T1 leaves no ghost */
};

static inline struct tide_walked *slot(const struct tide_view *v, uint32_t i)
{
	return tide_slot(v, struct tide_walked, (tide_chunk){i});
}

static inline uint64_t ghosts(const struct pages *l)
{
	return l->list.n - l->here;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct arc *s = self;
	(void)values, (void)err;
	s->view = view;
	tide_list_init(&s->once.list);
	tide_list_init(&s->often.list);
	s->once.edge = s->often.edge = TIDE_NIL;
	return 0;
}

/* ---- the two lists ---- */

static inline void enter(struct pages *l, const struct tide_view *v, uint32_t i, uint8_t as)
{
	slot(v, i)->queue = as;
	tide_list_push_tail(&l->list, tide_walked_links(v), i);
	l->here++;
	if (l->edge == TIDE_NIL)
		l->edge = i;
}

static inline void leave(struct pages *l, const struct tide_view *v, uint32_t i)
{
	struct tide_walked *at = slot(v, i);
	if (l->edge == i)
		l->edge = at->link.next;
	l->here -= at->queue <= T2;
	at->queue = 0;
	tide_list_remove(&l->list, tide_walked_links(v), i);
}

static inline void move_to_often(struct arc *s, const struct tide_view *v, uint32_t i)
{
	if (slot(v, i)->queue % 2)
		leave(&s->once, v, i);
	else
		leave(&s->often, v, i);
	enter(&s->often, v, i, T2);
}

/* The newest ghost. */
static inline void become_ghost(struct pages *l, const struct tide_view *v, uint32_t i, uint8_t as)
{
	struct tide_links links = tide_walked_links(v);
	if (l->edge == i) {
		l->edge = slot(v, i)->link.next;
		__builtin_prefetch(slot(v, l->edge), 1); /* likely the next victim */
		tide_expect(v, (tide_chunk){l->edge});
	} else {
		tide_list_remove(&l->list, links, i);
		uint32_t before = l->edge == TIDE_NIL ? l->list.tail : slot(v, l->edge)->link.prev;
		tide_list_between(&l->list, links, i, before, l->edge);
	}
	slot(v, i)->queue = as;
	l->here--;
}

/* Drops ghosts until ghosts and resident pages together are at most n. */
static inline void forget_ghosts(struct pages *l, const struct tide_view *v, uint64_t n)
{
	while (l->list.n > n && ghosts(l)) {
		tide_trail_look_gone(v, slot(v, l->list.head));
		leave(l, v, l->list.head);
		tide_list_expect(&l->list, tide_walked_links(v));
	}
}

static inline uint32_t oldest_here(const struct pages *l, const struct tide_view *v)
{
	uint32_t i = l->edge;
	while (i != TIDE_NIL && !tide_valid(v, (tide_chunk){i}))
		i = slot(v, i)->link.next;
	return i;
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
	uint64_t l1 = s->once.list.n, all = l1 + s->often.list.n;
	if (l1 >= n) {
		s->forget = s->once.here >= n;
		if (!s->forget)
			forget_ghosts(&s->once, v, l1 - 1);
	} else if (all >= 2 * n) {
		forget_ghosts(&s->often, v, s->often.list.n - 1);
	}
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	uint8_t in = slot(&view, c.index)->queue;
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
	if (slot(&view, c.index)->queue) {
		move_to_often(s, &view, c.index);
	} else {
		enter(&s->once, &view, c.index, T1);
		tide_trail_put(&s->trail, &view, c.index);
	}
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
	if (slot(&view, c.index)->queue == T2)
		become_ghost(&s->often, &view, c.index, B2);
	else if (s->forget)
		leave(&s->once, &view, c.index);
	else
		become_ghost(&s->once, &view, c.index, B1);
	s->forget = false;
}

static void expect_access(void *self, tide_chunk c)
{
	const struct arc *s = self;
	tide_links_expect(tide_walked_links(s->view), slot(s->view, c.index)->link);
}

static tide_chunk pick_victim(void *self)
{
	struct arc *s = self;
	const struct tide_view view = *s->view;
	uint64_t t1 = s->once.here;
	bool first = s->forget || (t1 && (t1 > s->p || (s->ghost2 && t1 == s->p)));
	uint32_t i = oldest_here(first ? &s->once : &s->often, &view);
	return (tide_chunk){i != TIDE_NIL ? i : oldest_here(first ? &s->often : &s->once, &view)};
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
	.chunk_bytes = sizeof(struct tide_walked),
	.create = create,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
	.expect_access = expect_access,
};
