/* The order of the last round. A program that goes through its memory in rounds (the layers of a
 * model, the steps of a solver) wants next what it wanted next the last time. A log has the chunks
 * in the order of their visits. A place in it follows the program through its last round, and a
 * fault or a trigger brings the next absent chunks behind that place.
 *
 *     log    a b x c d x e | a b x        a visit: an access after `gap` accesses to other chunks
 *                  ^ place     ^ now      next: c, then d
 *
 * What is visited twice in a round, as x is, does not mislead: the place goes on where it is, and
 * looks for the last visit of a chunk only when the program leaves the order.
 *
 * A program may have no order. So each chunk that should come is a guess, and a right one if it is
 * visited soon. While less than half of the guesses are right, nothing is brought. */
#include <errno.h>
#include <stdlib.h>

#include "tide/policy.h"

#define LOG ((uint64_t)1 << 16) /* visits */
#define SKIP 16                 /* visits that may be left out without leaving the order */
#define RIGHT_ALL 256           /* if all guesses were right lately */
#define RIGHT_SHARE 16          /* of the score, for each guess */

struct slot {
	uint64_t last;  /* time of the last access; 0: none */
	uint64_t visit; /* its last one in the log, + 1; 0: none */
	uint64_t guess; /* visits when it was expected soon, + 1; 0: it was accessed since */
};

struct follow {
	const struct tide_view *view;
	uint64_t gap, depth, reach;
	uint32_t *log;    /* indices of chunks */
	uint64_t visits;  /* so far */
	uint64_t place;   /* in the log, + 1; 0: none */
	uint64_t aligned; /* when the place was found */
	uint64_t right;   /* guesses, of RIGHT_ALL */
	uint64_t planned, wasted;
};

static struct slot *slot(const struct follow *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct follow *s = self;
	s->view = view;
	s->depth = (uint64_t)values[0].i;
	s->reach = (uint64_t)values[1].i;
	s->gap = (uint64_t)values[2].i;
	s->right = RIGHT_ALL;
	s->log = malloc(LOG * sizeof *s->log);
	return s->log ? 0 : tide_fail(err, -ENOMEM, "out of memory for the log of visits");
}

static void destroy(void *self)
{
	free(((struct follow *)self)->log);
}

static bool is_fresh(const struct follow *s, uint64_t guess)
{
	return guess && s->visits - (guess - 1) <= s->reach;
}

static void judge(struct follow *s, bool right)
{
	s->right -= s->right / RIGHT_SHARE;
	s->right += right ? RIGHT_ALL / RIGHT_SHARE : 0;
}

static bool is_kept(const struct follow *s, uint64_t visit)
{
	return visit < s->visits && s->visits - visit < LOG;
}

/* Moves the place to where the program is in its last round. */
static void align(struct follow *s, uint32_t i)
{
	uint64_t visit = s->place;
	if (s->aligned == s->view->near->time)
		return;
	s->aligned = s->view->near->time;
	for (unsigned k = 0; s->place && k < SKIP && is_kept(s, visit); k++, visit++) {
		if (s->log[visit % LOG] == i) {
			s->place = visit + 1;
			return;
		}
	}
	visit = slot(s, i)->visit;
	s->place = visit && is_kept(s, visit - 1) ? visit : 0;
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct follow *s = self;
	struct slot *at = slot(s, c.index);
	uint64_t now = s->view->near->time, last = at->last;
	(void)p, (void)ref;
	at->last = now;
	if (at->guess)
		judge(s, is_fresh(s, at->guess));
	at->guess = 0;
	if (last && now - last <= s->gap)
		return;
	align(s, c.index);
	s->log[s->visits % LOG] = c.index;
	at->visit = ++s->visits;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct follow *s = self;
	struct slot *at = slot(s, c.index);
	(void)what;
	if (at->guess)
		judge(s, false);
	s->wasted += at->guess > 0;
	at->guess = 0;
}

static void guess(struct follow *s, tide_chunk c, struct tide_plan *to)
{
	struct slot *at = slot(s, c.index);
	if (is_fresh(s, at->guess))
		return;
	if (at->guess)
		judge(s, false);
	at->guess = s->visits + 1;
	if (s->right < RIGHT_ALL / 2)
		return;
	tide_plan_chunk(to, tide_chunk_number(s->view, c), tide_whole_chunk(s->view));
	s->planned++;
}

/* Of the chunks behind the place, the next `depth` that were absent, whether they have come since
 * or not. */
static void plan(struct follow *s, tide_chunk c, struct tide_plan *to)
{
	uint64_t left = s->depth, end = s->place + s->reach;
	to->own |= tide_whole_chunk(s->view);
	to->arm = 1u << TIDE_TRIGGER;
	align(s, c.index);
	for (uint64_t at = s->place; s->place && left && at < end && is_kept(s, at); at++) {
		tide_chunk next = {s->log[at % LOG]};
		bool absent = next.index != c.index && !tide_resident(s->view, next);
		if (absent)
			guess(s, next, to);
		left -= slot(s, next.index)->guess > 0;
	}
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
	r->number(r->to, "followed_in_vain", s->wasted);
}

static const struct tide_param params[] = {
	{"depth", TIDE_PARAM_INT, "4", 1, 256, "chunks that are brought ahead"},
	{"reach", TIDE_PARAM_INT, "64", 1, 4096, "visits that are looked ahead"},
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
	.destroy = destroy,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.plan_notice = plan_notice,
	.report = report,
};
