/* Several policies at once, of which one leads. Each sees everything and keeps its own lists. The
 * leader names the victims. Now and then a challenger names one, and the leader names the next:
 *
 *     leader      a a a   a a a a a   a a        two chunks left together: the one that
 *     challenger        b           b            faults first should have stayed
 *
 * The member that named the chunk that faults first has lost the duel. A challenger that wins by
 * enough leads from then on. */
#include "pairs.h"

struct duel {
	struct pairs pairs;
	uint64_t window;
	uint64_t every; /* a challenger that always loses names one victim in this many */
	unsigned challenger, candidate_turn; /* the next members to ask */
	int64_t score[MOST];                 /* against the leader, in pages */
	uint64_t asked, due[MOST]; /* victims so far; at how many it is each challenger's turn */
	uint64_t leads;            /* how often the leader has changed */
};

enum { OF, WINDOW, EVERY };

static unsigned needs_with(const union tide_value *values)
{
	return members_needs(&values[OF]);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct duel *s = self;
	(void)err;
	members_init(&s->pairs.members, view, &values[OF]);
	s->window = (uint64_t)values[WINDOW].i;
	s->every = (uint64_t)values[EVERY].i;
	return 0;
}

/* ---- duels ---- */

static int64_t score_to_lead(const struct duel *s)
{
	return (int64_t)(s->window * s->pairs.members.view->near->chunk_pages);
}

static void count_duel(struct duel *s, unsigned challenger, int64_t pages)
{
	int64_t most = score_to_lead(s), score = s->score[challenger] + pages;
	s->score[challenger] = score < -most ? -most : score;
	if (score < most)
		return;
	s->pairs.leader = challenger;
	s->leads++;
	memset(s->score, 0, sizeof s->score);
}

/* How many victims pass until a challenger is asked again. A bad victim costs a fault, so a
 * challenger with the lowest score is asked seldom. A challenger that is level with the leader is
 * asked 64 times as often, but at most for every fourth victim. */
static uint64_t pause_of(const struct duel *s, unsigned i)
{
	int64_t most = score_to_lead(s), score = s->score[i] < 0 ? s->score[i] : 0;
	uint64_t pause = s->every >> (6 * (most + score) / most);
	return pause > 4 ? pause : 4;
}

static unsigned leader_or_challenger(struct duel *s)
{
	unsigned n = s->pairs.members.of->n;
	s->asked++;
	for (unsigned k = 0; k < n && !s->pairs.waiting; k++) {
		unsigned i = (s->challenger + k) % n;
		if (i == s->pairs.leader || s->asked < s->due[i])
			continue;
		s->due[i] = s->asked + pause_of(s, i);
		s->challenger = i + 1;
		return i;
	}
	return s->pairs.leader;
}

/* ---- notices ---- */

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct duel *s = self;
	struct pair *at = pair_of(&s->pairs, c);
	unsigned challenger;
	if (at->cause) {
		int64_t points = pairs_end(&s->pairs, c, &challenger);
		if (points)
			count_duel(s, challenger, points);
		s->pairs.members.blame[at->cause - 1U]++;
		at->cause = 0;
	}
	TELL(&s->pairs.members, on_fault, c, p);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct duel *s = self;
	if (c.index == s->pairs.members.named.index)
		pairs_begin(&s->pairs, c, what->resident);
	TELL(&s->pairs.members, on_evicted, c, what);
}

/* ---- questions ---- */

static tide_chunk pick_victim(void *self)
{
	struct duel *s = self;
	return members_ask_victim(&s->pairs.members, leader_or_challenger(s));
}

/* Asks the members in turn until one names a chunk. */
static tide_chunk pick_observed(void *self)
{
	struct duel *s = self;
	tide_chunk c = TIDE_NO_CHUNK;
	for (unsigned n = 0; n < s->pairs.members.of->n && c.index == TIDE_NO_CHUNK.index; n++) {
		c = members_ask_observed(&s->pairs.members, s->candidate_turn);
		s->candidate_turn = (s->candidate_turn + 1) % s->pairs.members.of->n;
	}
	return c;
}

static void report(void *self, const struct tide_report *r)
{
	const struct duel *s = self;
	members_report(&s->pairs.members, r);
	r->text(r->to, "leader", s->pairs.members.of->at[s->pairs.leader].policy->name);
	r->number(r->to, "changes_of_leader", s->leads);
}

static const struct tide_param params[] = {
	{"of", TIDE_PARAM_POLICIES, "observ-lru+observ-lfu+cp", 0, 0, "policies that compete"},
	{"window", TIDE_PARAM_INT, "64", 1, 1e9, "duels to win, in chunks, to become the leader"},
	{"every", TIDE_PARAM_INT, "256", 1, 1e9,
	 "a losing challenger names one victim in this many"},
	TIDE_OBSERVE_PARAMS,
	{0},
};

const struct tide_policy td_policy_evict_duel = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "duel",
	.role = TIDE_EVICT,
	.summary = "several policies, led by the one whose victims stay away longer",
	.paper = "tide",
	.needs = TIDE_NEEDS_NOTICES,
	.needs_with = needs_with,
	.params = params,
	.state_bytes = sizeof(struct duel),
	.chunk_bytes = sizeof(struct pair),
	.create = create,
	MEMBERS_CALLBACKS,
	.on_fault = on_fault,
	.on_migrated = pairs_on_migrated,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.pick_observed = pick_observed,
	.report = report,
};
