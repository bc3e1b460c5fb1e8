/* SIEVE: a queue whose hand moves from the oldest entry towards the newest, clears bits as it
 * goes and evicts the first entry without one; unlike clock, nothing ever moves in the queue. */
#include "core/list.h"
#include "tide/policy.h"

struct slot {
	struct td_link link;
	bool visited;
};

struct sieve {
	const struct tide_view *view;
	struct td_list queue; /* the tail is the oldest */
	uint32_t hand;        /* TD_NIL: at the tail */
};

static struct td_links links(const struct sieve *s)
{
	return (struct td_links){s->view->slots, sizeof(struct slot)};
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
	tide_slot(s->view, struct slot, c)->visited = false;
	td_list_push_head(&s->queue, links(s), c.index);
}

/* The access that brought the page in does not count as a visit. */
static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct sieve *s = self;
	(void)p, (void)ref;
	if (c.index != s->view->near->fault_chunk.index)
		tide_slot(s->view, struct slot, c)->visited = true;
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
		struct slot *at = tide_slot(s->view, struct slot, c);
		bool valid = tide_valid(s->view, c);
		if (valid && !at->visited)
			return c;
		if (valid)
			at->visited = false;
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
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
