/* Each chunk is expected back after the longest of its last intervals between accesses. The victim
 * is the chunk that is expected last. In a round over more than fits, that is the chunk that was
 * just used; what was brought ahead is expected soon, and stays. A chunk that did not come back
 * when it was expected, and not for twice as long, leaves first.
 *
 *     interval(c) = max(now - last access, 7/8 of what it was)
 *     expected(c) = last access + interval(c); after the first access, twice its time; when it
 * comes in, now */
#include "tide/ostree.h"
#include "tide/policy.h"

struct slot {
	struct tide_osnode node;
	bool known; /* it was accessed twice */
	bool fresh; /* it came in, and was not accessed since */
	uint64_t last, interval;
	uint64_t expected; /* of a resident chunk: its place in its tree */
};

/* Resident chunks, by `expected`, then by number. Fresh ones have a tree of their own: something
 * wants them soon, however late the others are. */
enum { USED, FRESH, TREES };

struct recur {
	const struct tide_view *view;
	struct tide_ostree tree[TREES];
	uint64_t overdue; /* victims that did not come back when expected */
};

static struct slot *slot(const struct recur *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

/* Times are far below 2^40. Ties: the lower numbers, which are what is left of 24 bits. */
static uint64_t key(const void *arg, uint32_t i)
{
	const struct recur *s = arg;
	return slot(s, i)->expected << 24 |
	       (tide_chunk_number(s->view, (tide_chunk){i}) & 0xffffff);
}

static struct tide_osview tree_view(const struct recur *s)
{
	return (struct tide_osview){{s->view->slots, sizeof(struct slot)}, key, s};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct recur *s = self;
	(void)values, (void)err;
	s->view = view;
	return 0;
}

static struct tide_ostree *tree_of(struct recur *s, uint32_t i)
{
	return &s->tree[slot(s, i)->fresh ? FRESH : USED];
}

static void enter(struct recur *s, uint32_t i, uint64_t expected, bool fresh)
{
	struct tide_osview v = tree_view(s);
	slot(s, i)->expected = expected;
	slot(s, i)->fresh = fresh;
	tide_ostree_add(tree_of(s, i), &v, i);
}

static void leave(struct recur *s, uint32_t i)
{
	struct tide_osview v = tree_view(s);
	tide_ostree_remove(tree_of(s, i), &v, i);
}

/* It comes because it is wanted: it is expected now, and was away for all of the interval. */
static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct recur *s = self;
	struct slot *at = slot(s, c.index);
	uint64_t now = s->view->near->time;
	if (!tide_came_in(s->view, c, pages))
		return;
	if (at->last && at->interval < now - at->last)
		at->interval = now - at->last;
	enter(s, c.index, now, true);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct recur *s = self;
	struct slot *at = slot(s, c.index);
	uint64_t now = s->view->near->time, interval = now - at->last;
	(void)p, (void)ref;
	leave(s, c.index);
	if (at->last) {
		uint64_t least = at->interval - at->interval / 8;
		at->interval = interval > least ? interval : least;
		at->known = true;
	}
	at->last = now;
	enter(s, c.index, at->known ? now + at->interval : 2 * now, false);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	leave(self, c.index);
}

static bool is_overdue(const struct recur *s, uint32_t i)
{
	const struct slot *at = slot(s, i);
	bool has_interval = at->known || (at->fresh && at->interval);
	return has_interval && s->view->near->time > at->expected + 2 * at->interval;
}

/* The first valid chunk of a tree, from its one end or the other. */
static uint32_t first_valid(const struct recur *s, const struct tide_ostree *t)
{
	struct tide_osview v = tree_view(s);
	uint64_t k = 0;
	uint32_t i = tide_ostree_select(t, &v, k);
	while (i != TIDE_NIL && !tide_valid(s->view, (tide_chunk){i}))
		i = tide_ostree_select(t, &v, ++k);
	return i;
}

static uint32_t last_valid(const struct recur *s, const struct tide_ostree *t)
{
	struct tide_osview v = tree_view(s);
	uint64_t k = tide_ostree_count(t, &v);
	while (k--) {
		uint32_t i = tide_ostree_select(t, &v, k);
		if (tide_valid(s->view, (tide_chunk){i}))
			return i;
	}
	return TIDE_NIL;
}

static tide_chunk pick_victim(void *self)
{
	struct recur *s = self;
	uint32_t i = TIDE_NIL;
	for (int t = 0; t < TREES; t++) {
		i = first_valid(s, &s->tree[t]);
		if (i != TIDE_NIL && is_overdue(s, i)) {
			s->overdue++;
			return (tide_chunk){i};
		}
	}
	i = last_valid(s, &s->tree[USED]);
	return (tide_chunk){i != TIDE_NIL ? i : last_valid(s, &s->tree[FRESH])};
}

static bool follows_lru(void *self)
{
	(void)self;
	return false;
}

static void report(void *self, const struct tide_report *r)
{
	const struct recur *s = self;
	r->number(r->to, "overdue_victims", s->overdue);
}

const struct tide_policy td_policy_evict_recur = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "recur",
	.role = TIDE_EVICT,
	.summary = "the chunk that is expected back last, by its own last intervals",
	.paper = "tide",
	.needs = TIDE_NEEDS_ACCESSES,
	.state_bytes = sizeof(struct recur),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.follows_lru = follows_lru,
	.report = report,
};
