/* SIEVE: a queue whose hand moves from the oldest entry towards the newest, clears bits as it
 * goes and evicts the first entry without one; unlike clock, nothing ever moves in the queue. */
#include "trail.h"

struct sieve {
	const struct tide_view *view;
	struct td_list queue; /* the tail is the oldest */
	struct trail trail;   /* in the order of coming in, which is that of the hand */
	uint32_t hand;        /* TD_NIL: at the tail */
};

static struct td_links links(const struct sieve *s)
{
	return walked_links(s->view);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct sieve *s = self;
	(void)values, (void)err;
	s->view = view;
	s->hand = TD_NIL;
	td_list_init(&s->queue);
	return 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct sieve *s = self;
	(void)pages;
	tide_slot(s->view, struct walked, c)->used = false;
	td_list_push_head(&s->queue, links(s), c.index);
	trail_put(&s->trail, s->view, c.index);
}

/* The access that brought the page in does not count as a visit. */
static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct sieve *s = self;
	(void)p, (void)ref;
	if (c.index != s->view->near->fault_chunk.index)
		tide_slot(s->view, struct walked, c)->used = true;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct sieve *s = self;
	(void)what;
	if (s->hand == c.index)
		s->hand = td_link_at(links(s), c.index)->prev;
	td_list_remove(&s->queue, links(s), c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct sieve *s = self;
	for (;;) {
		if (s->hand == TD_NIL)
			s->hand = s->queue.tail;
		tide_chunk c = {s->hand};
		struct walked *at = tide_slot(s->view, struct walked, c);
		bool valid = tide_valid(s->view, c);
		trail_look(s->view, at);
		if (valid && !at->used)
			return c;
		if (valid)
			at->used = false;
		s->hand = at->link.prev;
	}
}

const struct tide_policy td_policy_evict_sieve = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "sieve",
	.role = TIDE_EVICT,
	.summary = "a queue with a hand from oldest to newest, nothing moves on a hit",
	.paper = "SIEVE, NSDI 2024",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.state_bytes = sizeof(struct sieve),
	.chunk_bytes = sizeof(struct walked),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
