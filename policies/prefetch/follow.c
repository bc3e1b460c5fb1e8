/* The order of the last round. A program that goes through its memory in rounds (the layers of a
 * model, the steps of a solver) wants next what it wanted next the last time. Each chunk remembers
 * which chunk was visited after it, and a fault or a trigger brings the next absent ones of that
 * order.
 *
 *     a -> b -> c -> d -> a        a visit: an access after `gap` accesses to other chunks
 *
 * What is in use all the time (temporaries) is visited once, and does not break the order. */
#include "tide/policy.h"

struct slot {
	uint64_t last; /* time of the last access; 0: none */
	uint32_t next; /* index of the chunk that was visited next, + 1; 0: none */
	bool ahead;    /* it was brought ahead, and not accessed yet */
};

struct follow {
	const struct tide_view *view;
	uint64_t gap, depth;
	uint32_t visited; /* index of the chunk visited last, + 1 */
	uint64_t planned;
};

static struct slot *slot(const struct follow *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct follow *s = self;
	(void)err;
	s->view = view;
	s->depth = (uint64_t)values[0].i;
	s->gap = (uint64_t)values[1].i;
	return 0;
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct follow *s = self;
	struct slot *at = slot(s, c.index);
	uint64_t now = s->view->near->time, last = at->last;
	(void)p, (void)ref;
	at->last = now;
	at->ahead = false;
	if (last && now - last <= s->gap)
		return;
	if (s->visited && s->visited != c.index + 1)
		slot(s, s->visited - 1)->next = c.index + 1;
	s->visited = c.index + 1;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	slot(self, c.index)->ahead = false;
}

static void bring(struct follow *s, tide_chunk c, struct tide_plan *to)
{
	tide_plan_chunk(to, tide_chunk_number(s->view, c), tide_whole_chunk(s->view));
	slot(s, c.index)->ahead = true;
	s->planned++;
}

/* Of the chunks that the order leads to before it has gone round, the next `depth` that were absent,
 * whether they have come since or not. */
static void plan(struct follow *s, tide_chunk c, struct tide_plan *to)
{
	uint32_t at = slot(s, c.index)->next;
	uint64_t left = s->depth, steps = s->view->near->chunks;
	to->own |= tide_whole_chunk(s->view);
	while (left && at && at != c.index + 1 && steps--) {
		tide_chunk next = {at - 1};
		bool absent = !tide_resident(s->view, next);
		if (absent)
			bring(s, next, to);
		left -= absent || slot(s, next.index)->ahead;
		at = slot(s, next.index)->next;
	}
	to->arm = 1u << TIDE_TRIGGER;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *to)
{
	(void)p;
	plan(self, c, to);
}

static void plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			struct tide_plan *to)
{
	(void)p;
	if (purpose == TIDE_TRIGGER)
		plan(self, c, to);
}

static void report(void *self, const struct tide_report *r)
{
	const struct follow *s = self;
	r->number(r->to, "followed_chunks", s->planned);
}

static const struct tide_param params[] = {
	{"depth", TIDE_PARAM_INT, "8", 1, 256, "chunks that are brought ahead"},
	{"gap", TIDE_PARAM_INT, "64", 0, 1e9, "accesses to others after which one is a new visit"},
	{0},
};

const struct tide_policy td_policy_prefetch_follow = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "follow",
	.role = TIDE_PREFETCH,
	.summary = "what was visited next in the last round",
	.paper = "tide",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_NOTICES,
	.params = params,
	.state_bytes = sizeof(struct follow),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.plan_notice = plan_notice,
	.report = report,
};
