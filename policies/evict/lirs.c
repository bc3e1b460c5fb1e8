/* LIRS. Pages with a short distance between uses (LIR) stay. The others (HIR) pass through a short
 * queue. The stack holds LIR pages and HIR pages, resident or not, by recency. The page at its
 * bottom is always LIR. A HIR page that is used while it is in the stack becomes LIR. If there are
 * then too many LIR pages, the page at the bottom becomes HIR.
 *
 *     stack   top [ HIR  LIR  gone  LIR  HIR  gone  LIR ] bottom
 *     queue       [ HIR  HIR ]  front leaves next
 *
 * A page that left near memory may still be in the stack (gone). Such pages left the queue in the
 * order in which they stand in the stack. So a list of them in that order finds the lowest one when
 * the stack is too long. */
#include <errno.h>

#include "tide/order.h"

enum { OUT, LIR, HIR, GONE };

struct slot {
	uint32_t stack; /* place there; 0: not stacked */
	uint32_t queue; /* place among the HIR pages, or among the gone pages */
	uint8_t state;
};

struct lirs {
	const struct tide_view *view;
	struct tide_order stack; /* the oldest is the bottom */
	struct tide_order queue, gone;
	uint64_t lir, lir_max, stack_max;
};

static inline struct slot *slot(const struct lirs *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static inline struct tide_links stack(const struct lirs *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static inline struct tide_links queue(const struct lirs *s)
{
	return (struct tide_links){s->view->slots + offsetof(struct slot, queue),
				   sizeof(struct slot)};
}

static inline uint32_t bottom(struct lirs *s)
{
	return tide_order_first(&s->stack, stack(s), s->view).index;
}

static void destroy(void *self)
{
	struct lirs *s = self;
	tide_order_free(&s->stack);
	tide_order_free(&s->queue);
	tide_order_free(&s->gone);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct lirs *s = self;
	uint64_t n = view->near->capacity_pages;
	uint64_t hir = (uint64_t)((double)n * values[0].r / 100);
	s->view = view;
	s->lir_max = n - (hir ? hir : 1);
	s->stack_max = n * (uint64_t)values[1].i;
	int rc = tide_order_init(&s->stack, s->stack_max);
	if (!rc)
		rc = tide_order_init_one(&s->queue, n, 0);
	if (!rc)
		rc = tide_order_init_one(&s->gone, s->stack_max, 1);
	if (!rc)
		return 0;
	destroy(self);
	return tide_fail(err, -ENOMEM, "out of memory for the stack of lirs");
}

static void unstack(struct lirs *s, uint32_t i)
{
	struct slot *at = slot(s, i);
	tide_order_remove(&s->stack, stack(s), i);
	if (at->state == GONE) {
		tide_order_remove(&s->gone, queue(s), i);
		at->state = OUT;
	}
}

static void prune(struct lirs *s)
{
	while (s->stack.n && slot(s, bottom(s))->state != LIR)
		unstack(s, bottom(s));
}

static void to_top(struct lirs *s, uint32_t i)
{
	tide_order_put(&s->stack, stack(s), i);
}

/* It enters the queue, or moves to its end. */
static void become_hir(struct lirs *s, uint32_t i)
{
	slot(s, i)->state = HIR;
	tide_order_put(&s->queue, queue(s), i);
}

/* The page at the bottom is LIR; if there are too many, it becomes HIR and leaves the stack. */
static void demote_bottom(struct lirs *s)
{
	if (s->lir <= s->lir_max)
		return;
	uint32_t lowest = bottom(s);
	unstack(s, lowest);
	become_hir(s, lowest);
	s->lir--;
	prune(s);
}

static void become_lir(struct lirs *s, uint32_t i)
{
	slot(s, i)->state = LIR;
	s->lir++;
	to_top(s, i);
	prune(s);
	demote_bottom(s);
}

static void bound_stack(struct lirs *s)
{
	while (s->stack.n > s->stack_max && s->gone.n)
		unstack(s, tide_order_first(&s->gone, queue(s), s->view).index);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct lirs *s = self;
	(void)pages;
	if (slot(s, c.index)->state == GONE) {
		tide_order_remove(&s->gone, queue(s), c.index);
		become_lir(s, c.index);
	} else if (s->lir < s->lir_max) {
		become_lir(s, c.index);
	} else {
		become_hir(s, c.index);
		to_top(s, c.index);
		bound_stack(s);
	}
}

static void use_hir(struct lirs *s, uint32_t i)
{
	if (slot(s, i)->stack) {
		tide_order_remove(&s->queue, queue(s), i);
		become_lir(s, i);
		return;
	}
	become_hir(s, i);
	to_top(s, i);
	bound_stack(s);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct lirs *s = self;
	(void)p, (void)ref;
	if (s->view->near->fault_chunk.index == c.index)
		return;
	if (slot(s, c.index)->state == LIR) {
		to_top(s, c.index);
		prune(s);
	} else {
		use_hir(s, c.index);
	}
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct lirs *s = self;
	struct slot *at = slot(s, c.index);
	(void)what;
	if (at->state == LIR) { /* only when no HIR page is a valid victim */
		s->lir--;
		unstack(s, c.index);
		at->state = OUT;
		prune(s);
		return;
	}
	tide_order_remove(&s->queue, queue(s), c.index);
	at->state = at->stack ? GONE : OUT;
	if (at->state == GONE)
		tide_order_put(&s->gone, queue(s), c.index);
}

/* The lowest LIR page that may leave, where no HIR page may. */
__attribute__((noinline, cold)) static tide_chunk lowest_lir(const struct lirs *s)
{
	for (uint32_t at = s->stack.head; at < s->stack.tail; at++) {
		tide_chunk c = {tide_order_log(&s->stack)[at]};
		if (tide_order_counts(&s->stack, stack(s), at) && slot(s, c.index)->state == LIR &&
		    tide_valid(s->view, c))
			return c;
	}
	return TIDE_NO_CHUNK;
}

static tide_chunk pick_victim(void *self)
{
	struct lirs *s = self;
	tide_chunk c = tide_order_oldest(&s->queue, queue(s), s->view);
	return __builtin_expect(c.index != TIDE_NIL, 1) ? c : lowest_lir(s);
}

static const struct tide_param params[] = {
	{"hir", TIDE_PARAM_REAL, "1", 0, 100, "size of the HIR pages, per cent of near memory"},
	{"stack", TIDE_PARAM_INT, "3", 1, 1000, "length of the stack, times near memory"},
	{0},
};

const struct tide_policy td_policy_evict_lirs = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lirs",
	.role = TIDE_EVICT,
	.summary = "keeps pages with a short distance between uses",
	.paper = "LIRS, SIGMETRICS 2002",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct lirs),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
