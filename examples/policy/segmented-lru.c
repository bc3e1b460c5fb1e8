/* Segmented LRU: a chunk is on probation until it is used a second time. Then it is protected, and
 * leaves only after all that are on probation; the protected chunk not used for longest makes room
 * and goes back on probation.
 *
 *     probation   head: the next victim ... tail     <- comes in
 *     protected   head: the next to go back ... tail <- used again */
#include <tide/list.h>
#include <tide/policy.h>

struct slot {
	struct tide_link link; /* first, so that the lists find it */
	bool guarded;          /* in the list of protected chunks */
};

struct segmented {
	const struct tide_view *view;
	struct tide_list probation, guarded;
	uint64_t percent, promoted;
};

static struct slot *slot(const struct segmented *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static struct tide_links links(const struct segmented *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct segmented *s = self;
	(void)err;
	s->view = view;
	s->percent = (uint64_t)values[0].i;
	tide_list_init(&s->probation);
	tide_list_init(&s->guarded);
	return 0;
}

static struct tide_list *list_of(struct segmented *s, uint32_t i)
{
	return slot(s, i)->guarded ? &s->guarded : &s->probation;
}

static void put(struct segmented *s, uint32_t i, bool guarded)
{
	slot(s, i)->guarded = guarded;
	tide_list_push_tail(list_of(s, i), links(s), i);
}

static void take(struct segmented *s, uint32_t i)
{
	tide_list_remove(list_of(s, i), links(s), i);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct segmented *s = self;
	if (tide_came_in(s->view, c, pages))
		put(s, c.index, false);
}

/* The access that brings a page in is no second use. */
static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct segmented *s = self;
	(void)p, (void)ref;
	if (c.index == s->view->near->fault_chunk.index)
		return;
	s->promoted += !slot(s, c.index)->guarded;
	take(s, c.index);
	put(s, c.index, true);
	if (s->guarded.n * 100 > s->percent * s->view->near->resident_chunks) {
		uint32_t oldest = s->guarded.head;
		take(s, oldest);
		put(s, oldest, false);
	}
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	take(self, c.index);
}

/* The first valid chunk of a list, or TIDE_NIL. */
static uint32_t first_valid(const struct segmented *s, const struct tide_list *l)
{
	uint32_t i = l->head;
	while (i != TIDE_NIL && !tide_valid(s->view, (tide_chunk){i}))
		i = slot(s, i)->link.next;
	return i;
}

static tide_chunk pick_victim(void *self)
{
	const struct segmented *s = self;
	uint32_t i = first_valid(s, &s->probation);
	return (tide_chunk){i != TIDE_NIL ? i : first_valid(s, &s->guarded)};
}

static void report(void *self, const struct tide_report *r)
{
	const struct segmented *s = self;
	r->number(r->to, "promoted", s->promoted);
}

static const struct tide_param params[] = {
	{"protected", TIDE_PARAM_INT, "80", 0, 100, "per cent of the chunks, at most"},
	{0},
};

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "segmented-lru",
	.role = TIDE_EVICT,
	.summary = "least recently used, and chunks used once before those used again",
	.paper = "example",
	.needs = TIDE_NEEDS_ACCESSES,
	.params = params,
	.state_bytes = sizeof(struct segmented),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
