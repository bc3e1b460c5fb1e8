/* Least recently used, as far as the policy can see uses. The list is lrm's, and a notice moves a
 * chunk to the tail as a fault does. The policy observes the chunks that will be victims next. */
#include "watch.h"

struct observ_lru {
	const struct tide_view *view;
	struct watch chunks;
};

static struct tide_links links(const struct observ_lru *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct tide_link)};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct observ_lru *s = self;
	(void)values, (void)err;
	s->view = view;
	watch_init(&s->chunks);
	return 0;
}

static void to_tail(struct observ_lru *s, tide_chunk c)
{
	watch_remove(&s->chunks, links(s), c.index);
	watch_push_tail(&s->chunks, links(s), c.index);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct observ_lru *s = self;
	(void)p;
	if (tide_resident(s->view, c))
		to_tail(s, c);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct observ_lru *s = self;
	if (tide_came_in(s->view, c, pages))
		watch_push_tail(&s->chunks, links(s), c.index);
	else
		to_tail(s, c);
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	(void)p;
	if (purpose != TIDE_REMOTE)
		to_tail(self, c);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct observ_lru *s = self;
	(void)what;
	watch_remove(&s->chunks, links(s), c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct observ_lru *s = self;
	return list_valid_from(s->view, links(s), s->chunks.list.head);
}

static tide_chunk pick_observed(void *self)
{
	struct observ_lru *s = self;
	return watch_first(&s->chunks, links(s), s->view);
}

static const struct tide_param params[] = {
	TIDE_OBSERVE_PARAMS,
	{0},
};

const struct tide_policy td_policy_evict_observ_lru = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "observ-lru",
	.role = TIDE_EVICT,
	.summary = "least recently used, by faults and observed chunks",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.needs_with = watch_needs_with,
	.params = params,
	.state_bytes = sizeof(struct observ_lru),
	.chunk_bytes = sizeof(struct tide_link),
	.create = create,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.pick_observed = pick_observed,
};
