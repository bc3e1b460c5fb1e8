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
#include "tide/list.h"
#include "tide/policy.h"

enum { OUT, LIR, HIR, GONE };

struct slot {
	struct tide_link stack, queue; /* queue: of HIR pages, or of gone pages */
	uint8_t state;
	bool stacked;
};

struct lirs {
	const struct tide_view *view;
	struct tide_list stack; /* the head is the bottom */
	struct tide_list queue, gone;
	uint64_t lir, lir_max, stack_max;
};

static struct slot *slot(const struct lirs *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static struct tide_links stack(const struct lirs *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static struct tide_links queue(const struct lirs *s)
{
	return (struct tide_links){s->view->slots + offsetof(struct slot, queue),
				   sizeof(struct slot)};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct lirs *s = self;
	uint64_t n = view->near->capacity_pages;
	uint64_t hir = (uint64_t)((double)n * values[0].r / 100);
	(void)err;
	s->view = view;
	s->lir_max = n - (hir ? hir : 1);
	s->stack_max = n * (uint64_t)values[1].i;
	tide_list_init(&s->stack);
	tide_list_init(&s->queue);
	tide_list_init(&s->gone);
	return 0;
}

static void unstack(struct lirs *s, uint32_t i)
{
	struct slot *at = slot(s, i);
	tide_list_remove(&s->stack, stack(s), i);
	at->stacked = false;
	if (at->state == GONE) {
		tide_list_remove(&s->gone, queue(s), i);
		at->state = OUT;
	}
}

static void prune(struct lirs *s)
{
	while (s->stack.n && slot(s, s->stack.head)->state != LIR)
		unstack(s, s->stack.head);
}

static void to_top(struct lirs *s, uint32_t i)
{
	if (slot(s, i)->stacked)
		tide_list_remove(&s->stack, stack(s), i);
	slot(s, i)->stacked = true;
	tide_list_push_tail(&s->stack, stack(s), i);
}

static void become_hir(struct lirs *s, uint32_t i)
{
	slot(s, i)->state = HIR;
	tide_list_push_tail(&s->queue, queue(s), i);
}

/* The page at the bottom is LIR; if there are too many, it becomes HIR and leaves the stack. */
static void demote_bottom(struct lirs *s)
{
	if (s->lir <= s->lir_max)
		return;
	uint32_t bottom = s->stack.head;
	unstack(s, bottom);
	become_hir(s, bottom);
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
		unstack(s, s->gone.head);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct lirs *s = self;
	(void)pages;
	if (slot(s, c.index)->state == GONE) {
		tide_list_remove(&s->gone, queue(s), c.index);
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
	tide_list_remove(&s->queue, queue(s), i);
	if (slot(s, i)->stacked) {
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
	tide_list_remove(&s->queue, queue(s), c.index);
	tide_list_expect(&s->queue, queue(s));
	tide_expect(s->view, (tide_chunk){s->queue.head});
	at->state = at->stacked ? GONE : OUT;
	if (at->state == GONE)
		tide_list_push_tail(&s->gone, queue(s), c.index);
}

static void expect_access(void *self, tide_chunk c)
{
	const struct lirs *s = self;
	tide_links_expect(stack(s), slot(s, c.index)->stack);
	tide_links_expect(queue(s), slot(s, c.index)->queue);
}

static tide_chunk pick_victim(void *self)
{
	struct lirs *s = self;
	tide_chunk c = {s->queue.head};
	while (c.index != TIDE_NIL && !tide_valid(s->view, c))
		c.index = slot(s, c.index)->queue.next;
	if (c.index != TIDE_NIL)
		return c;
	for (c.index = s->stack.head; c.index != TIDE_NIL; c.index = slot(s, c.index)->stack.next) {
		if (slot(s, c.index)->state == LIR && tide_valid(s->view, c))
			break;
	}
	return c;
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
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.expect_access = expect_access,
};
