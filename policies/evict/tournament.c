/* Several policies at once. Each sees everything and keeps its own lists. The policies that are
 * still active name the victims in turn. If a victim faults again, the policy that named it gets a
 * point. When the points are counted, a policy with clearly more than its share is retired. */
#include <stdio.h>
#include <string.h>

#include "members.h"

struct slot {
	uint8_t cause; /* 1 + the member that named the chunk when it left; 0: none to blame */
};

struct tournament {
	struct members members;
	uint64_t window;
	double margin;
	unsigned active; /* how many */
	unsigned victim_turn, candidate_turn;
	bool retired[MOST];
	unsigned order[MOST];       /* the members in the order in which they retired */
	bool forgets;
	uint64_t points[MOST], sum; /* since they were last cleared */
};

enum { OF, WINDOW, MARGIN, FORGET };

static unsigned needs_with(const union tide_value *values)
{
	return members_needs(&values[OF]);
}

static uint8_t *cause_of(const struct tournament *s, tide_chunk c)
{
	return &tide_slot(s->members.view, struct slot, c)->cause;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct tournament *s = self;
	(void)err;
	members_init(&s->members, view, &values[OF]);
	s->active = s->members.of->n;
	s->window = (uint64_t)values[WINDOW].i;
	s->margin = values[MARGIN].r;
	s->forgets = values[FORGET].i;
	return 0;
}

/* ---- blame ---- */

static bool over(const struct tournament *s, unsigned i)
{
	return !s->retired[i] && (double)(s->points[i] * s->active) > s->margin * (double)s->sum;
}

/* The active member with the fewest points. It stays even if all have more than their share. */
static unsigned least_blamed(const struct tournament *s)
{
	unsigned best = UINT32_MAX;
	for (unsigned i = 0; i < s->members.of->n; i++) {
		if (!s->retired[i] && (best == UINT32_MAX || s->points[i] < s->points[best]))
			best = i;
	}
	return best;
}

static void judge(struct tournament *s)
{
	bool out[MOST] = {false};
	unsigned n = 0, all = s->members.of->n;
	for (unsigned i = 0; i < all; i++)
		n += out[i] = over(s, i);
	if (n == s->active)
		out[least_blamed(s)] = false;
	for (unsigned i = 0; i < all; i++) {
		if (out[i])
			s->order[all - s->active--] = i;
		s->retired[i] |= out[i];
	}
	if (!s->forgets)
		return;
	memset(s->points, 0, sizeof s->points);
	s->sum = 0;
}

static void blame(struct tournament *s, unsigned i)
{
	s->points[i]++;
	s->members.blame[i]++;
	if (++s->sum > s->window)
		judge(s);
}

/* ---- notices ---- */

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct tournament *s = self;
	uint8_t *cause = cause_of(s, c);
	if (*cause)
		blame(s, *cause - 1U);
	if (s->forgets)
		*cause = 0;
	TELL(&s->members, on_fault, c, p);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct tournament *s = self;
	if (c.index == s->members.named.index) {
		*cause_of(s, c) = (uint8_t)(s->members.named_by + 1);
		s->members.victims[s->members.named_by]++;
	}
	TELL(&s->members, on_evicted, c, what);
}

/* A chunk that came back has no cause any more. If a prefetch brought it back, no member is
 * blamed. Algorithm 1 does not say so. */
static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct tournament *s = self;
	if (s->forgets)
		*cause_of(s, c) = 0;
	TELL(&s->members, on_migrated, c, pages);
}

/* ---- questions ---- */

/* The first active member at `from` or after it, round the ring. */
static unsigned next_active(const struct tournament *s, unsigned from)
{
	while (s->retired[from % s->members.of->n])
		from++;
	return from % s->members.of->n;
}

static tide_chunk pick_victim(void *self)
{
	struct tournament *s = self;
	unsigned at = next_active(s, s->victim_turn);
	s->victim_turn = at + 1;
	return members_ask_victim(&s->members, at);
}

static tide_chunk pick_observed(void *self)
{
	struct tournament *s = self;
	tide_chunk c = TIDE_NO_CHUNK;
	for (unsigned n = 0; n < s->active && c.index == TIDE_NO_CHUNK.index; n++) {
		unsigned at = next_active(s, s->candidate_turn);
		s->candidate_turn = at + 1;
		c = members_ask_observed(&s->members, at);
	}
	return c;
}

/* ---- report ---- */

static void add_name(const struct tournament *s, char *names, size_t size, unsigned i)
{
	size_t used = strlen(names);
	snprintf(names + used, size - used, "%s%s", used ? "+" : "",
		 s->members.of->at[i].policy->name);
}

static void report(void *self, const struct tide_report *r)
{
	const struct tournament *s = self;
	char active[MOST * 32] = "", retired[MOST * 32] = "";
	unsigned n = s->members.of->n;
	for (unsigned i = 0; i < n; i++) {
		if (!s->retired[i])
			add_name(s, active, sizeof active, i);
	}
	for (unsigned i = 0; i < n - s->active; i++)
		add_name(s, retired, sizeof retired, s->order[i]);
	r->text(r->to, "active", active);
	r->text(r->to, "retired", *retired ? retired : NULL);
	members_report(&s->members, r);
}

static const struct tide_param params[] = {
	{"of", TIDE_PARAM_POLICIES, "observ-lru+observ-lfu+cp", 0, 0, "policies that compete"},
	{"window", TIDE_PARAM_INT, "64", 1, 1e9,
	 "points of blame after which the members are judged"},
	{"margin", TIDE_PARAM_REAL, "1.2", 0, 100,
	 "multiple of the mean blame that retires a member"},
	[FORGET] = {"forget", TIDE_PARAM_INT, "1", 0, 1,
		    "0: no points and no causes are forgotten, as Algorithm 1 is printed"},
	TIDE_OBSERVE_PARAMS,
	{0},
};

const struct tide_policy td_policy_evict_tournament = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "tournament",
	.role = TIDE_EVICT,
	.summary = "several policies in turn, until the worse ones are retired",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.needs_with = needs_with,
	.params = params,
	.state_bytes = sizeof(struct tournament),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	MEMBERS_CALLBACKS,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.pick_observed = pick_observed,
	.report = report,
};
