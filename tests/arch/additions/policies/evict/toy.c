/* The newest chunk leaves first. */
#include "tide/list.h"
#include "tide/policy.h"

struct toy {
	const struct tide_view *view;
	struct tide_list list; /* tail: came in last */
};

static struct tide_links links(const struct toy *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct tide_link)};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct toy *s = self;
	(void)values, (void)err;
	s->view = view;
	tide_list_init(&s->list);
	return 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct toy *s = self;
	if (tide_came_in(s->view, c, pages))
		tide_list_push_tail(&s->list, links(s), c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct toy *s = self;
	(void)what;
	tide_list_remove(&s->list, links(s), c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct toy *s = self;
	tide_chunk c = {s->list.tail};
	while (c.index != TIDE_NIL && !tide_valid(s->view, c))
		c.index = tide_link_at(links(s), c.index)->prev;
	return c;
}

const struct tide_policy td_policy_evict_toy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "toy",
	.role = TIDE_EVICT,
	.summary = "the newest chunk leaves first",
	.paper = "reference",
	.state_bytes = sizeof(struct toy),
	.chunk_bytes = sizeof(struct tide_link),
	.create = create,
	.on_migrated = on_migrated,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
