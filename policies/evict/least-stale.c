/* Least-Stale, for caches of experts (SpecMD: Hoang, Jaiswal, Samragh and Cho, arXiv 2602.03921,
 * 2026). A model goes through its layers in order, once per token. An expert that the present pass
 * has used is current, every other one is stale. Stale experts leave before current ones. Among
 * each, experts of earlier layers leave first: the pass is already beyond them.
 *
 * A group is one pass. The position of an access in its group stands for the layer; `width`
 * accesses are one layer, such as the experts that a token uses per layer. Among experts of one
 * layer, the least recently used one leaves. A prefetched expert is current. Without groups there
 * is one pass with one layer, and this is lru.
 *
 * This is written from accounts that others give of the paper, not from its text. Most have the
 * rules above. They differ in how ties are broken, and some have other rules for the order. */
#include "heap.h"

struct expert {
	struct heap_node node; /* of the stale ones */
	struct tide_link link; /* of the current ones */
	uint64_t layer, last;
};

struct least_stale {
	const struct tide_view *view;
	struct heap stale;        /* by layer, then by last use */
	struct tide_list current; /* in order of use, which is the order of layers */
	uint64_t width;
	uint64_t begun; /* time of the pass's first access */
};

static struct expert *expert(const struct least_stale *s, uint32_t i)
{
	return tide_slot(s->view, struct expert, (tide_chunk){i});
}

static struct tide_links links(const struct least_stale *s)
{
	return (struct tide_links){s->view->slots + offsetof(struct expert, link),
				   sizeof(struct expert)};
}

static bool before(const void *self, uint32_t a, uint32_t b)
{
	const struct least_stale *s = self;
	const struct expert *x = expert(s, a), *y = expert(s, b);
	if (x->layer != y->layer)
		return x->layer < y->layer;
	return x->last != y->last ? x->last < y->last : heap_lower_number(s->view, a, b);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct least_stale *s = self;
	(void)err;
	s->view = view;
	s->width = (uint64_t)values[0].i;
	s->stale = (struct heap){view, sizeof(struct expert), 0, before, s};
	tide_list_init(&s->current);
	return 0;
}

/* With the first access of a pass, all experts become stale. */
static void begin_pass(struct least_stale *s)
{
	const struct tide_near *near = s->view->near;
	if (near->group_at || s->begun == near->time)
		return;
	s->begun = near->time;
	while (s->current.n) {
		uint32_t i = s->current.head;
		tide_list_remove(&s->current, links(s), i);
		heap_add(&s->stale, i);
	}
}

static void enter(struct least_stale *s, uint32_t i)
{
	const struct tide_near *near = s->view->near;
	expert(s, i)->layer = near->group_at == UINT64_MAX ? 0 : near->group_at / s->width;
	expert(s, i)->last = near->time;
	tide_list_push_tail(&s->current, links(s), i);
}

static void leave(struct least_stale *s, uint32_t i)
{
	if (heap_has(&s->stale, i))
		heap_remove(&s->stale, i);
	else
		tide_list_remove(&s->current, links(s), i);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	(void)c, (void)p;
	begin_pass(self);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	(void)pages;
	enter(self, c.index);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	(void)p, (void)ref;
	begin_pass(self);
	leave(self, c.index);
	enter(self, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	leave(self, c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct least_stale *s = self;
	tide_chunk c = heap_first(&s->stale, NULL);
	if (c.index != TIDE_NIL)
		return c;
	c.index = s->current.head;
	while (c.index != TIDE_NIL && !tide_valid(s->view, c))
		c.index = expert(s, c.index)->link.next;
	return c;
}

static const struct tide_param params[] = {
	{"width", TIDE_PARAM_INT, "1", 1, 1e9, "accesses of a group that are one layer"},
	{0},
};

const struct tide_policy td_policy_evict_least_stale = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "least-stale",
	.role = TIDE_EVICT,
	.summary =
		"experts that this pass has not used, of early layers first; without groups, lru",
	.paper = "SpecMD, arXiv 2602.03921, 2026",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct least_stale),
	.chunk_bytes = sizeof(struct expert),
	.create = create,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
