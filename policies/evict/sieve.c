/* SIEVE: a queue and a hand. The hand moves from the oldest entry towards the newest. It clears the
 * bits of the entries that it passes, and stops at the first entry without a bit: the victim. No
 * entry ever moves in the queue.
 *
 *     head                        tail
 *     newest <- ... <- hand <- oldest
 *
 * This is the file to copy for a policy of your own: state, notices, a question, one struct. */
#include "tide/list.h"
#include "tide/policy.h"
#include "tide/trail.h"

/* The state of the policy. Its state about each chunk is a struct tide_walked: a link of the queue,
 * and whether the chunk was used. Both are zero at first. */
struct sieve {
	const struct tide_view *view;
	struct tide_list queue;
	struct tide_trail trail; /* so that the hand finds the next entries in the cache */
	uint32_t hand;           /* TIDE_NIL: at the tail */
};

static struct tide_walked *entry(const struct sieve *s, tide_chunk c)
{
	return tide_slot(s->view, struct tide_walked, c);
}

static struct tide_links links(const struct sieve *s)
{
	return tide_walked_links(s->view);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct sieve *s = self;
	(void)values, (void)err;
	s->view = view;
	s->hand = TIDE_NIL;
	tide_list_init(&s->queue);
	return 0;
}

/* ---- notices: what has happened ---- */

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct sieve *s = self;
	(void)pages;
	entry(s, c)->used = false;
	tide_list_push_head(&s->queue, links(s), c.index);
	tide_trail_put(&s->trail, s->view, c.index);
}

/* The access that brought the page in does not count. */
static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct sieve *s = self;
	(void)p, (void)ref;
	if (c.index != s->view->near->fault_chunk.index)
		entry(s, c)->used = true;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct sieve *s = self;
	(void)what;
	if (s->hand == c.index)
		s->hand = entry(s, c)->link.prev;
	tide_list_remove(&s->queue, links(s), c.index);
}

/* ---- the question: which chunk leaves? ---- */

/* The hand passes chunks that are not valid, and leaves their bits as they are. */
static tide_chunk pick_victim(void *self)
{
	struct sieve *s = self;
	for (;;) {
		tide_chunk c = {s->hand == TIDE_NIL ? s->queue.tail : s->hand};
		struct tide_walked *at = entry(s, c);
		bool valid = tide_valid(s->view, c);
		tide_trail_look(s->view, at);
		s->hand = c.index;
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
	.summary = "a queue with a hand from oldest to newest; nothing moves on a hit",
	.paper = "SIEVE, NSDI 2024",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES | TIDE_TAKES_SIZES,
	.state_bytes = sizeof(struct sieve),
	.chunk_bytes = sizeof(struct tide_walked),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
