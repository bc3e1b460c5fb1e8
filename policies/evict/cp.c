/* Cyclic protection, for a program that goes round and round over more than fits. Most of it can
 * stay if the chunks that came in long ago stay, and new chunks pass through a short area at the
 * other end:
 *
 *     head  [ protected .............. ] [ unprotected: the last u ]  tail
 *                                      ^ the split; victims leave here
 *
 * Observation finds u. An access in the area says that chunks leave it too early. An observed chunk
 * that leaves unused says that the area is longer than it needs to be. The two pieces are two
 * lists, and the split moves by as many entries as u or the length has changed. */
#include "watch.h"

struct slot {
	struct tide_link link;
	bool protected;
};

struct cp {
	const struct tide_view *view;
	struct tide_list protected;
	struct watch area;    /* unprotected */
	uint64_t unprotected; /* u; 0 until memory is full, because all is protected until then */
	uint64_t fixed_at;    /* time of the fault for whose victims the area is fixed */
};

static struct slot *slot(const struct cp *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static struct tide_links links(const struct cp *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static uint64_t length(const struct cp *s)
{
	return (uint64_t)s->protected.n + s->area.list.n;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct cp *s = self;
	(void)values, (void)err;
	s->view = view;
	tide_list_init(&s->protected);
	watch_init(&s->area);
	return 0;
}

/* ---- the split ---- */

/* Limits u to what the length allows. */
static uint64_t bounded(const struct cp *s, uint64_t u)
{
	uint64_t most = length(s) > 2 ? length(s) - 1 : 1;
	return u < 1 ? 1 : u > most ? most : u;
}

static void take_out(struct cp *s, uint32_t i)
{
	if (slot(s, i)->protected)
		tide_list_remove(&s->protected, links(s), i);
	else
		watch_remove(&s->area, links(s), i);
}

/* Makes the area the last u entries. */
static void settle(struct cp *s)
{
	uint64_t want = s->unprotected ? bounded(s, s->unprotected) : 0;
	while (s->area.list.n > want) {
		uint32_t i = s->area.list.head;
		take_out(s, i);
		slot(s, i)->protected = true;
		tide_list_push_tail(&s->protected, links(s), i);
	}
	while (s->area.list.n < want && s->protected.n) {
		uint32_t i = s->protected.tail;
		take_out(s, i);
		slot(s, i)->protected = false;
		watch_push_head(&s->area, links(s), i);
	}
}

/* Settles the area before the first victim of a fault, even if another policy chooses that victim.
 * Further victims of the fault leave the split as it is. */
static void fix_area(struct cp *s)
{
	if (s->fixed_at == s->view->near->time)
		return;
	s->fixed_at = s->view->near->time;
	settle(s);
}

/* ---- notices ---- */

static void enter(struct cp *s, uint32_t i)
{
	slot(s, i)->protected = false;
	watch_push_tail(&s->area, links(s), i);
}

static void on_full(void *self)
{
	struct cp *s = self;
	uint64_t u = length(s) / 16;
	s->unprotected = bounded(s, u > 2 ? u : 2);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct cp *s = self;
	(void)p;
	settle(s);
	if (!tide_resident(s->view, c) || slot(s, c.index)->protected)
		return;
	take_out(s, c.index);
	enter(s, c.index);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct cp *s = self;
	if (tide_came_in(s->view, c, pages))
		enter(s, c.index);
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	struct cp *s = self;
	(void)p;
	settle(s);
	if (purpose == TIDE_REMOTE || slot(s, c.index)->protected)
		return;
	s->unprotected = bounded(s, s->unprotected + 1);
	watch_restart(&s->area); /* the chunk is no longer observed, and stays where it is */
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct cp *s = self;
	fix_area(s);
	take_out(s, c.index);
	if (what->unused)
		s->unprotected = bounded(s, s->unprotected - 1);
}

/* ---- questions ---- */

/* The oldest chunk of the area; if none is valid, the newest protected chunk. */
static tide_chunk pick_victim(void *self)
{
	struct cp *s = self;
	fix_area(s);
	tide_chunk c = list_valid_from(s->view, links(s), s->area.list.head);
	return c.index != TIDE_NIL ? c : list_valid_back(s->view, links(s), s->protected.tail);
}

static tide_chunk pick_observed(void *self)
{
	struct cp *s = self;
	settle(s);
	return watch_first(&s->area, links(s), s->view);
}

static void report(void *self, const struct tide_report *r)
{
	const struct cp *s = self;
	r->number(r->to, "unprotected", s->unprotected);
	r->number(r->to, "length", length(s));
}

static const struct tide_param params[] = {
	TIDE_OBSERVE_PARAMS,
	{0},
};

const struct tide_policy td_policy_evict_cp = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "cp",
	.role = TIDE_EVICT,
	.summary = "cyclic protection: old chunks stay, new ones pass through a short area",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.needs_with = watch_needs_with,
	.params = params,
	.state_bytes = sizeof(struct cp),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_full = on_full,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.pick_observed = pick_observed,
	.report = report,
};
