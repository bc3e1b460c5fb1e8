/* Each chunk is expected back when its own intervals between accesses say so, and the victim is the
 * chunk that is expected last. In a round over more than fits, that is the chunk that was just used.
 * An interval is far, or it is soon: shorter than a quarter of the far one. Each kind is learnt apart:
 *
 *     interval(c, kind) = max(now - last access, 7/8 of what it was)
 *     expected(c) = last access + interval(c, the kind that mostly followed the last one);
 *                   after the first access, twice its time
 *
 * A chunk that was expected soon, and is two soon intervals late, is expected after the far interval.
 * A chunk that is two far intervals late leaves first.
 *
 * In a round over more than fits, any chunks may be those that stay. If they lie side by side, the
 * bus is idle while they are used, and the program waits for it after that. So a share of all
 * numbers, evenly spread, is expected twice as early. The share is right if all of them stay, and no
 * others do. */
#include "tide/ostree.h"
#include "tide/policy.h"

#define SHARE_ALL (UINT64_C(1) << 32)
#define SHARE_UP (SHARE_ALL / 512)  /* one of the others stayed */
#define SHARE_DOWN (SHARE_ALL / 64) /* one of the share leaves */
#define OFTEN 3 /* above half of it, a soon interval is expected */
#define SPREAD UINT32_C(2654435769) /* 2^32 over the golden ratio: multiples lie evenly in 2^32 */

enum { FAR, SOON, KINDS };

struct slot {
	struct tide_osnode node;
	bool known; /* it was accessed twice */
	bool fresh; /* it came in, and was not accessed since */
	bool soon; /* the last interval was */
	bool late; /* it did not come back soon, as it was expected to */
	uint8_t soon_after[2]; /* by `soon`: how often a soon one followed lately, up to OFTEN */
	uint64_t last, interval[KINDS];
	uint64_t expected; /* of a resident chunk: its place in the tree */
};

struct recur {
	const struct tide_view *view;
	struct tide_ostree tree; /* resident chunks, by `expected`, then by number */
	uint64_t share;
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

static void enter(struct recur *s, uint32_t i, uint64_t expected, bool fresh)
{
	struct tide_osview v = tree_view(s);
	slot(s, i)->expected = expected;
	slot(s, i)->fresh = fresh;
	tide_ostree_add(&s->tree, &v, i);
}

static void leave(struct recur *s, uint32_t i)
{
	struct tide_osview v = tree_view(s);
	tide_ostree_remove(&s->tree, &v, i);
}

/* ---- the share that stays ---- */

static bool stays(const struct recur *s, uint32_t i)
{
	uint64_t n = tide_chunk_number(s->view, (tide_chunk){i});
	return (uint32_t)n * SPREAD < s->share;
}

static void widen(struct recur *s)
{
	s->share = s->share < SHARE_ALL - SHARE_UP ? s->share + SHARE_UP : SHARE_ALL;
}

static void narrow(struct recur *s)
{
	s->share = s->share > SHARE_DOWN ? s->share - SHARE_DOWN : 0;
}

/* ---- intervals ---- */

static bool is_soon(const struct slot *at, uint64_t interval)
{
	return interval < at->interval[FAR] / 4;
}

static void learn(struct slot *at, uint64_t interval)
{
	bool soon = is_soon(at, interval);
	uint64_t *of = &at->interval[soon ? SOON : FAR];
	uint64_t least = *of - *of / 8;
	*of = interval > least ? interval : least;
	uint8_t *often = &at->soon_after[at->soon];
	if (soon && *often < OFTEN)
		++*often;
	else if (!soon && *often)
		--*often;
	at->soon = soon;
	at->known = true;
	at->late = false;
}

static bool is_wanted_soon(const struct slot *at)
{
	return !at->late && at->soon_after[at->soon] > OFTEN / 2;
}

/* After its last access, and how it is expected now. */
static uint64_t interval_of(const struct slot *at)
{
	return at->interval[is_wanted_soon(at) ? SOON : FAR];
}

static uint64_t next_of(const struct recur *s, uint32_t i)
{
	const struct slot *at = slot(s, i);
	if (!at->known)
		return 2 * at->last;
	return at->last + interval_of(at) / (!is_wanted_soon(at) && stays(s, i) ? 2 : 1);
}

/* ---- calls ---- */

/* It was away for all of the interval, so the far one is no shorter. It comes because it is wanted,
 * if not as soon as what is used all the time. */
static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct recur *s = self;
	struct slot *at = slot(s, c.index);
	uint64_t now = s->view->near->time;
	if (!tide_came_in(s->view, c, pages))
		return;
	if (at->last && at->interval[FAR] < now - at->last)
		at->interval[FAR] = now - at->last;
	enter(s, c.index, now + at->interval[FAR] / 16, true);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct recur *s = self;
	struct slot *at = slot(s, c.index);
	uint64_t now = s->view->near->time;
	(void)p, (void)ref;
	leave(s, c.index);
	if (at->known && !at->fresh && !is_soon(at, now - at->last) && !stays(s, c.index))
		widen(s);
	if (at->last)
		learn(at, now - at->last);
	at->last = now;
	enter(s, c.index, next_of(s, c.index), false);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	leave(self, c.index);
}

static bool is_overdue(const struct recur *s, uint32_t i)
{
	const struct slot *at = slot(s, i);
	uint64_t interval = at->fresh ? at->interval[FAR] : interval_of(at);
	return s->view->near->time > at->expected + 2 * (interval ? interval : at->expected / 2);
}

/* The first valid chunk of the tree, and the last. */
static uint32_t first_valid(const struct recur *s)
{
	struct tide_osview v = tree_view(s);
	uint64_t k = 0;
	uint32_t i = tide_ostree_select(&s->tree, &v, k);
	while (i != TIDE_NIL && !tide_valid(s->view, (tide_chunk){i}))
		i = tide_ostree_select(&s->tree, &v, ++k);
	return i;
}

static uint32_t last_valid(const struct recur *s)
{
	struct tide_osview v = tree_view(s);
	uint64_t k = tide_ostree_count(&s->tree, &v);
	while (k--) {
		uint32_t i = tide_ostree_select(&s->tree, &v, k);
		if (tide_valid(s->view, (tide_chunk){i}))
			return i;
	}
	return TIDE_NIL;
}

/* The one that is overdue longest. What did not come back soon is not overdue, but expected later. */
static uint32_t first_overdue(struct recur *s)
{
	for (;;) {
		uint32_t i = first_valid(s);
		if (i == TIDE_NIL || !is_overdue(s, i))
			return TIDE_NIL;
		struct slot *at = slot(s, i);
		if (at->fresh || !is_wanted_soon(at))
			return i;
		at->late = true;
		leave(s, i);
		enter(s, i, next_of(s, i), false);
	}
}

static tide_chunk pick_victim(void *self)
{
	struct recur *s = self;
	uint32_t i = first_overdue(s);
	if (i != TIDE_NIL) {
		s->overdue++;
		return (tide_chunk){i};
	}
	i = last_valid(s);
	if (i != TIDE_NIL && slot(s, i)->known && stays(s, i))
		narrow(s);
	return (tide_chunk){i};
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
	r->number(r->to, "staying_percent", s->share * 100 / SHARE_ALL);
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
