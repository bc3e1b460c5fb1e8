/* 2Q, full version. A page first comes into a short queue (A1in). When it leaves from there, it is
 * remembered (A1out). Only a page that faults while it is remembered enters the LRU list (Am). */
#include "queues.h"

enum { A1IN = 1, A1OUT, AM };

struct twoq {
	struct queues q;
	uint64_t kin, kout;
	bool known; /* the faulting page was in A1out, before its victim came there */
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct twoq *s = self;
	uint64_t n = view->near->capacity_pages;
	s->kin = n * (uint64_t)values[0].i / 100;
	s->kout = n * (uint64_t)values[1].i / 100;
	return queues_init(&s->q, view, err);
}

static void destroy(void *self)
{
	struct twoq *s = self;
	queues_free(&s->q);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct twoq *s = self;
	(void)p;
	s->known = queued(&s->q, c.index)->queue == A1OUT;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct twoq *s = self;
	(void)pages;
	queues_move(&s->q, c.index, s->known && queues_faulting(&s->q, c) ? AM : A1IN);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct twoq *s = self;
	(void)p, (void)ref;
	if (queued(&s->q, c.index)->queue == AM)
		queues_move(&s->q, c.index, AM);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct twoq *s = self;
	(void)what;
	queues_move(&s->q, c.index, queued(&s->q, c.index)->queue == A1IN ? A1OUT : 0);
	queues_trim(&s->q, A1OUT, s->kout);
}

static tide_chunk pick_victim(void *self)
{
	struct twoq *s = self;
	bool in = queues_length(&s->q, A1IN) > s->kin;
	tide_chunk c = queues_oldest(&s->q, in ? A1IN : AM);
	return c.index != TIDE_NIL ? c : queues_oldest(&s->q, in ? AM : A1IN);
}

static const struct tide_param params[] = {
	{"kin", TIDE_PARAM_INT, "25", 0, 100, "size of A1in, per cent of near memory"},
	{"kout", TIDE_PARAM_INT, "50", 0, 1000,
	 "pages that A1out remembers, per cent of near memory"},
	{0},
};

const struct tide_policy td_policy_evict_2q = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "2q",
	.role = TIDE_EVICT,
	.summary = "a short queue for new pages, an LRU list for pages used again",
	.paper = "2Q, VLDB 1994",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct twoq),
	.chunk_bytes = sizeof(struct queued),
	.create = create,
	.destroy = destroy,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
