/* Several policies at once: each sees everything and keeps its own lists, and those still active
 * name the victims in turn. A victim that faults again is a point of blame for the one that named
 * it; who has clearly more than its share when the points are counted is retired.
 *
 * With `duel` nobody is retired. One leads and names the victims; now and then another one names
 * one, and the leader the next:
 *
 *     leader      a a a   a a a a a   a a        the two of a pair left together: the one of
 *     challenger        b           b            them that faults first should have stayed
 *
 * Who wins by enough leads from then on. Both choices were made in the same memory, so it does not
 * matter what the program does or how long it takes until a victim comes back. */
#include <stdio.h>

#include "tide/policy.h"

#define MOST (sizeof((struct tide_members *)0)->at / sizeof *((struct tide_members *)0)->at)

struct slot {
	uint8_t cause; /* member + 1 that named the chunk when it left; 0: none to blame */
	/* Where there are duels. */
	uint8_t pages;  /* that left with it */
	uint32_t rival; /* index + 1 of the chunk it is in a duel with; 0: none */
};

struct tournament {
	const struct tide_view *view;
	const struct tide_members *members;
	size_t slot_bytes;
	uint64_t window;
	double margin;
	unsigned active; /* how many */
	unsigned victim_turn, candidate_turn;
	tide_chunk named;  /* the last victim, */
	unsigned named_by; /* and who named it */
	bool retired[MOST];
	unsigned order[MOST];                /* in which they retired */
	uint64_t points[MOST], sum;          /* since they were last cleared */
	uint64_t blame[MOST], victims[MOST]; /* of the whole run */
	/* duels */
	uint64_t longest; /* victims between two of a challenger that always loses; 0: no duels */
	unsigned leader, challenger; /* the next to look at */
	uint32_t waiting;            /* index + 1 of a challenger's victim without a rival yet */
	int64_t score[MOST];         /* against the leader, in pages */
	uint64_t asked, due[MOST];   /* victims so far, and when it is a challenger's turn */
	uint64_t leads;              /* how often the leader has changed */
};

enum { OF, WINDOW, MARGIN, DUEL };

/* Every member that has the callback. */
#define TELL(s, callback, ...) \
	do { \
		const struct tide_members *m_ = (s)->members; \
		for (unsigned i_ = 0; i_ < m_->n; i_++) { \
			if (m_->at[i_].policy->callback) \
				m_->at[i_].policy->callback(m_->at[i_].self, ##__VA_ARGS__); \
		} \
	} while (0)

static unsigned needs_with(const union tide_value *values)
{
	unsigned needs = 0;
	for (unsigned i = 0; i < values[OF].members->n; i++)
		needs |= values[OF].members->at[i].policy->needs;
	return needs;
}

static size_t chunk_bytes_with(const union tide_value *values, uint32_t chunk_pages)
{
	(void)chunk_pages;
	return values[DUEL].i ? sizeof(struct slot) : sizeof(uint8_t);
}

static uint8_t *cause_of(const struct tournament *s, tide_chunk c)
{
	return s->view->slots + c.index * s->slot_bytes;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct tournament *s = self;
	(void)err;
	s->view = view;
	s->slot_bytes = chunk_bytes_with(values, view->near->chunk_pages);
	s->members = values[OF].members;
	s->active = s->members->n;
	s->window = (uint64_t)values[WINDOW].i;
	s->margin = values[MARGIN].r;
	s->longest = (uint64_t)values[DUEL].i;
	s->named = TIDE_NO_CHUNK;
	return 0;
}

/* ---- blame ---- */

static bool over(const struct tournament *s, unsigned i)
{
	return !s->retired[i] && (double)(s->points[i] * s->active) > s->margin * (double)s->sum;
}

/* The one that stays although all are over: the active one with the fewest points. */
static unsigned least_blamed(const struct tournament *s)
{
	unsigned best = UINT32_MAX;
	for (unsigned i = 0; i < s->members->n; i++) {
		if (!s->retired[i] && (best == UINT32_MAX || s->points[i] < s->points[best]))
			best = i;
	}
	return best;
}

static void judge(struct tournament *s)
{
	bool out[MOST] = {false};
	unsigned n = 0;
	for (unsigned i = 0; i < s->members->n; i++)
		n += out[i] = over(s, i);
	if (n == s->active)
		out[least_blamed(s)] = false;
	for (unsigned i = 0; i < s->members->n; i++) {
		if (out[i])
			s->order[s->members->n - s->active--] = i;
		s->retired[i] |= out[i];
		s->points[i] = 0;
	}
	s->sum = 0;
}

static void blame(struct tournament *s, unsigned i)
{
	s->points[i]++;
	s->blame[i]++;
	if (++s->sum > s->window && !s->longest)
		judge(s);
}

/* ---- duels ---- */

static int64_t score_to_lead(const struct tournament *s)
{
	return (int64_t)(s->window * s->view->near->chunk_pages);
}

static void count_duel(struct tournament *s, unsigned challenger, int64_t pages)
{
	int64_t most = score_to_lead(s), score = s->score[challenger] + pages;
	s->score[challenger] = score < -most ? -most : score;
	if (score < most)
		return;
	s->leader = challenger;
	s->leads++;
	memset(s->score, 0, sizeof s->score);
}

/* The first of two has come back and loses. Its fault is the price of the frames that it freed: the
 * more these were, the less it has lost. Points by what the other one freed are in that proportion,
 * and give every phase of the program its weight in pages. */
static void end_duel(struct tournament *s, tide_chunk loser)
{
	struct slot *lost = tide_slot(s->view, struct slot, loser);
	if (!lost->rival)
		return;
	struct slot *won = tide_slot(s->view, struct slot, (tide_chunk){lost->rival - 1});
	lost->rival = 0;
	if (won->rival != loser.index + 1)
		return; /* came back by prefetch before */
	won->rival = 0;
	if (won->cause - 1U == s->leader)
		count_duel(s, lost->cause - 1U, -(int64_t)won->pages);
	else if (lost->cause - 1U == s->leader)
		count_duel(s, won->cause - 1U, won->pages);
}

/* A challenger's victim waits for the next of the leader's; it may have come back by then, or its
 * member may lead. */
static void begin_duel(struct tournament *s, tide_chunk c, uint64_t resident)
{
	struct slot *slot = tide_slot(s->view, struct slot, c);
	slot->pages = (uint8_t)__builtin_popcountll(resident);
	if (s->named_by != s->leader) {
		s->waiting = c.index + 1;
		return;
	}
	struct slot *other =
		s->waiting ? tide_slot(s->view, struct slot, (tide_chunk){s->waiting - 1}) : NULL;
	if (other && other->cause && other->cause != slot->cause) {
		other->rival = c.index + 1;
		slot->rival = s->waiting;
	}
	s->waiting = 0;
}

/* Victims until a challenger's next. A bad one costs a fault: who is at the lowest score is asked
 * seldom, who is level with the leader 64 times as often, and at most for every fourth. */
static uint64_t pause_of(const struct tournament *s, unsigned i)
{
	int64_t most = score_to_lead(s), score = s->score[i] < 0 ? s->score[i] : 0;
	uint64_t pause = s->longest >> (6 * (most + score) / most);
	return pause > 4 ? pause : 4;
}

static unsigned leader_or_challenger(struct tournament *s)
{
	unsigned n = s->members->n;
	s->asked++;
	for (unsigned k = 0; k < n && !s->waiting; k++) {
		unsigned i = (s->challenger + k) % n;
		if (i == s->leader || s->asked < s->due[i])
			continue;
		s->due[i] = s->asked + pause_of(s, i);
		s->challenger = i + 1;
		return i;
	}
	return s->leader;
}

/* ---- notices ---- */

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct tournament *s = self;
	uint8_t *cause = cause_of(s, c);
	if (*cause) {
		if (s->longest)
			end_duel(s, c);
		blame(s, *cause - 1U);
		*cause = 0;
	}
	TELL(s, on_fault, c, p);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct tournament *s = self;
	if (c.index == s->named.index) {
		*cause_of(s, c) = (uint8_t)(s->named_by + 1);
		s->victims[s->named_by]++;
		if (s->longest)
			begin_duel(s, c, what->resident);
	}
	TELL(s, on_evicted, c, what);
}

/* A chunk that came back by a fault has no cause any more; by prefetch nobody is blamed. */
static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct tournament *s = self;
	*cause_of(s, c) = 0;
	if (s->longest)
		tide_slot(s->view, struct slot, c)->rival = 0;
	TELL(s, on_migrated, c, pages);
}

/* ---- what is only passed on ---- */

static void on_full(void *self)
{
	TELL((struct tournament *)self, on_full);
}

static bool wants_accesses(const struct tide_policy *member)
{
	return member->on_access && (member->needs & TIDE_NEEDS_ACCESSES || member->needs_with);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	const struct tide_members *m = ((struct tournament *)self)->members;
	for (unsigned i = 0; i < m->n; i++) {
		if (wants_accesses(m->at[i].policy))
			m->at[i].policy->on_access(m->at[i].self, c, p, ref);
	}
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	TELL((struct tournament *)self, on_notice, c, p, purpose);
}

static void on_boundary(void *self, uint64_t kernel)
{
	TELL((struct tournament *)self, on_boundary, kernel);
}

/* ---- questions ---- */

/* The first active member from one on, round the ring. */
static unsigned next_active(const struct tournament *s, unsigned from)
{
	while (s->retired[from % s->members->n])
		from++;
	return from % s->members->n;
}

static tide_chunk pick_victim(void *self)
{
	struct tournament *s = self;
	s->named_by = s->longest ? leader_or_challenger(s) : next_active(s, s->victim_turn);
	s->victim_turn = s->named_by + 1;
	s->named =
		s->members->at[s->named_by].policy->pick_victim(s->members->at[s->named_by].self);
	return s->named;
}

static tide_chunk pick_observed(void *self)
{
	struct tournament *s = self;
	for (unsigned asked = 0; asked < s->active; asked++) {
		unsigned at = next_active(s, s->candidate_turn);
		const struct tide_policy *member = s->members->at[at].policy;
		s->candidate_turn = at + 1;
		if (!member->pick_observed)
			continue;
		tide_chunk c = member->pick_observed(s->members->at[at].self);
		if (c.index != TIDE_NO_CHUNK.index)
			return c;
	}
	return TIDE_NO_CHUNK;
}

/* ---- report ---- */

static void add_name(const struct tournament *s, char *names, size_t size, unsigned i)
{
	size_t used = strlen(names);
	snprintf(names + used, size - used, "%s%s", used ? "+" : "",
		 s->members->at[i].policy->name);
}

static void report(void *self, const struct tide_report *r)
{
	const struct tournament *s = self;
	char active[MOST * 32] = "", retired[MOST * 32] = "";
	for (unsigned i = 0; i < s->members->n; i++) {
		if (!s->retired[i])
			add_name(s, active, sizeof active, i);
	}
	for (unsigned i = 0; i < s->members->n - s->active; i++)
		add_name(s, retired, sizeof retired, s->order[i]);
	r->text(r->to, "active", active);
	r->text(r->to, "retired", *retired ? retired : NULL);
	r->list(r->to, "victims_by_member", s->victims, s->members->n);
	r->list(r->to, "blame_by_member", s->blame, s->members->n);
	if (s->longest) {
		r->text(r->to, "leader", s->members->at[s->leader].policy->name);
		r->number(r->to, "changes_of_leader", s->leads);
	}
}

static const struct tide_param params[] = {
	{"of", TIDE_PARAM_POLICIES, "observ-lru+observ-lfu+cp", 0, 0, "policies that compete"},
	{"window", TIDE_PARAM_INT, "64", 1, 1e9, "points of blame after which they are judged"},
	{"margin", TIDE_PARAM_REAL, "1.2", 0, 100, "times the mean share of blame that retires"},
	{"duel", TIDE_PARAM_INT, "0", 0, 1e9,
	 "the one that wins duels leads; a loser names one of so many victims; 0: as published"},
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
	.chunk_bytes_with = chunk_bytes_with,
	.create = create,
	.on_full = on_full,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.on_boundary = on_boundary,
	.pick_victim = pick_victim,
	.pick_observed = pick_observed,
	.report = report,
};
