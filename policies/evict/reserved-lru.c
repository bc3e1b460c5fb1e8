/* LRU that spares the oldest part of its list. A walk past that part for every victim would take
 * time in proportion to it. So the list is kept in two pieces. When the engine asks for a victim,
 * the border moves by a few entries:
 *
 *     head  [ spared: the oldest pct % ]  [ rest ]  tail */
#include "tide/list.h"
#include "tide/policy.h"

enum { REST, SPARED };

struct slot {
	struct tide_link link;
	bool spared;
};

struct reserved {
	const struct tide_view *view;
	struct tide_list lists[2];
	uint64_t millionths; /* of a per cent: exact, as a double is not */
	bool by_hits;
};

static struct tide_links links(const struct reserved *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static struct slot *slot(const struct reserved *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct reserved *s = self;
	(void)err;
	s->view = view;
	s->millionths = (uint64_t)(values[0].r * 1e6 + 0.5);
	s->by_hits = values[1].i;
	tide_list_init(&s->lists[SPARED]);
	tide_list_init(&s->lists[REST]);
	return 0;
}

static void take_out(struct reserved *s, uint32_t i)
{
	tide_list_remove(&s->lists[slot(s, i)->spared], links(s), i);
	slot(s, i)->spared = false;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct reserved *s = self;
	if (tide_came_in(s->view, c, pages))
		tide_list_push_tail(&s->lists[REST], links(s), c.index);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct reserved *s = self;
	(void)p, (void)ref;
	if (!s->by_hits)
		return;
	take_out(s, c.index);
	tide_list_push_tail(&s->lists[REST], links(s), c.index);
}

/* Without accesses, a fault on a resident chunk is the only sign that it is in use. */
static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct reserved *s = self;
	(void)p;
	if (s->by_hits || !tide_resident(s->view, c))
		return;
	take_out(s, c.index);
	tide_list_push_tail(&s->lists[REST], links(s), c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	take_out(self, c.index);
}

static void move_border(struct reserved *s)
{
	uint64_t length = s->lists[SPARED].n + s->lists[REST].n;
	uint64_t want = (uint64_t)((unsigned __int128)s->millionths * length / 100000000);
	while (s->lists[SPARED].n < want) {
		uint32_t i = s->lists[REST].head;
		take_out(s, i);
		slot(s, i)->spared = true;
		tide_list_push_tail(&s->lists[SPARED], links(s), i);
	}
	while (s->lists[SPARED].n > want) {
		uint32_t i = s->lists[SPARED].tail;
		take_out(s, i);
		tide_list_push_head(&s->lists[REST], links(s), i);
	}
}

static tide_chunk first_valid(const struct reserved *s, const struct tide_list *list)
{
	tide_chunk c = {list->head};
	while (c.index != TIDE_NIL && !tide_valid(s->view, c))
		c.index = tide_link_at(links(s), c.index)->next;
	return c;
}

static tide_chunk pick_victim(void *self)
{
	struct reserved *s = self;
	move_border(s);
	tide_chunk c = first_valid(s, &s->lists[REST]);
	return c.index != TIDE_NIL ? c : first_valid(s, &s->lists[SPARED]);
}

static const struct tide_param params[] = {
	{"pct", TIDE_PARAM_REAL, "10", 0, 100,
	 "per cent of the list, from its oldest end, to spare"},
	{"hits", TIDE_PARAM_INT, "1", 0, 1,
	 "0: only faults and migrations move a chunk, as in lrm"},
	{0},
};

const struct tide_policy td_policy_evict_reserved_lru = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "reserved-lru",
	.role = TIDE_EVICT,
	.summary = "LRU that spares the oldest part of its list",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES,
	.params = params,
	.state_bytes = sizeof(struct reserved),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_fault = on_fault,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
