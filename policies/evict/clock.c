/* Clock: a ring with one bit per chunk and a hand. The ring is a list whose ends meet. */
#include "trail.h"

struct ring {
	const struct tide_view *view;
	struct td_list ring;
	struct trail trail;  /* what the hand has passed, and what came in behind it */
	uint32_t hand;       /* TD_NIL only while the ring is empty */
	bool mark_new;       /* the access that brings a chunk in sets its bit */
	tide_chunk newcomer; /* came in and had no access yet */
};

static struct td_links links(const struct ring *s)
{
	return walked_links(s->view);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct ring *s = self;
	(void)err;
	s->view = view;
	s->mark_new = values[0].i;
	s->newcomer = TIDE_NO_CHUNK;
	s->hand = TD_NIL;
	td_list_init(&s->ring);
	return 0;
}

static uint32_t after(const struct ring *s, uint32_t i)
{
	uint32_t next = td_link_at(links(s), i)->next;
	return next != TD_NIL ? next : s->ring.head;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct ring *s = self;
	const struct tide_view view = *s->view;
	uint32_t hand = s->hand;
	if (!tide_came_in(&view, c, pages))
		return;
	tide_slot(&view, struct walked, c)->used = false;
	uint32_t before = hand == TD_NIL ? TD_NIL : td_link_at(walked_links(&view), hand)->prev;
	td_list_between(&s->ring, walked_links(&view), c.index, before, hand);
	if (hand == TD_NIL)
		s->hand = c.index;
	trail_put(&s->trail, &view, c.index);
	if (!s->mark_new && c.index == view.near->fault_chunk.index)
		s->newcomer = c;
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct ring *s = self;
	(void)p, (void)ref;
	if (c.index != s->newcomer.index)
		tide_slot(s->view, struct walked, c)->used = true;
	else
		s->newcomer = TIDE_NO_CHUNK;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct ring *s = self;
	(void)what;
	if (s->hand == c.index)
		s->hand = s->ring.n > 1 ? after(s, c.index) : TD_NIL;
	td_list_remove(&s->ring, links(s), c.index);
}

/* The view is copied here and above so that stores into slots do not make the compiler load it
 * again: this is the longest walk of all policies. */
static tide_chunk pick_victim(void *self)
{
	struct ring *s = self;
	const struct tide_view view = *s->view;
	const uint32_t head = s->ring.head;
	tide_chunk c = {s->hand};
	for (;;) {
		struct walked *at = tide_slot(&view, struct walked, c);
		trail_look(&view, at);
		if (tide_valid(&view, c)) {
			if (!at->used)
				break; /* it leaves, and the hand is left on the one after it */
			at->used = false;
		}
		trail_put(&s->trail, &view, c.index);
		c.index = at->link.next != TD_NIL ? at->link.next : head;
	}
	s->hand = c.index;
	return c;
}

static const struct tide_param params[] = {
	{"new", TIDE_PARAM_INT, "1", 0, 1, "bit of a chunk after the access that brought it in"},
	{0},
};

const struct tide_policy td_policy_evict_clock = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "clock",
	.role = TIDE_EVICT,
	.summary = "a ring with a hand and one bit per chunk, set by accesses",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES,
	.params = params,
	.state_bytes = sizeof(struct ring),
	.chunk_bytes = sizeof(struct walked),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
