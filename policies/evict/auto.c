/* lrm, unless another policy has shown to be better. Each member sees everything and keeps its own
 * lists. The leader names the victims, and challengers name some, on trial:
 *
 *     leader       a a a a   a a a a a   a a a a      two chunks left together: the one that
 *     challenger           b           c              faults first should have stayed
 *
 * as with duel. A member that is ahead by enough duels leads. The first member, lrm, leads at
 * first. What differs from duel is a bound on harm: against lrm, and against the best member.
 *
 * A trial may cost a fault, so each challenger has an account. A trial takes from it, and a share
 * of the faults on victims of the leader goes in: where these stay away, nothing can be gained. A
 * duel won pays for more trials while lrm leads. So a challenger that always wins is soon asked for
 * every other victim, and one that always loses costs few faults in a hundred. One that goes on
 * losing becomes shy: its trials become seldom.
 *
 * While another member leads, lrm has its trials at a fixed rate, whatever they cost. So a leader
 * that begins to do harm is gone after some hundred victims. */
#include "pairs.h"

#define REFUND 3 /* trials for a duel that was won, while the first member leads */
#define SHY 4    /* trials take up to 1 << SHY times as much */

/* Score and account count pages, so that each phase of a program has its weight. */
struct member {
	int64_t score;   /* duels won against the leader, less those lost */
	int64_t account; /* a trial takes `share` for each page */
	unsigned shy;    /* trials take 1 << shy times as much, and lrm has them as seldom */
};

struct auto_ {
	struct pairs pairs;
	int64_t window, share, control;
	unsigned turn;    /* the challenger to ask next */
	uint64_t since;   /* victims since the first member's last trial */
	uint64_t changes; /* of the leader */
	struct member of[MOST];
};

enum { OF, WINDOW, SHARE, CONTROL };

static int64_t chunk_pages(const struct auto_ *s)
{
	return s->pairs.members.view->near->chunk_pages;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct auto_ *s = self;
	(void)err;
	members_init(&s->pairs.members, view, &values[OF]);
	s->window = values[WINDOW].i * view->near->chunk_pages;
	s->share = values[SHARE].i;
	s->control = values[CONTROL].i;
	return 0;
}

/* ---- duels ---- */

static void lead(struct auto_ *s, unsigned i)
{
	for (unsigned k = 0; k < s->pairs.members.of->n; k++)
		s->of[k].score = s->of[k].shy = 0;
	s->pairs.leader = i;
	s->since = 0;
	s->changes++;
}

static void pay(struct auto_ *s, unsigned i, int64_t pages, int64_t trials)
{
	int64_t *account = &s->of[i].account, most = 4 * s->window * s->share;
	*account += trials * s->share * pages;
	*account = *account > most ? most : *account;
}

/* The trials that a duel pays for. A leader earns by duels with lrm too, for when it leads no
 * more. */
static void settle(struct auto_ *s, unsigned challenger, int64_t pages)
{
	bool winning = s->of[challenger].score > (s->pairs.leader ? s->window / 2 : 0);
	if (!challenger)
		pay(s, s->pairs.leader, -pages, REFUND);
	else if (pages > 0)
		pay(s, challenger, pages, !s->pairs.leader ? (winning ? REFUND : 1) : winning);
}

/* Duels with lrm are few, so they count twice. So does a duel that a challenger has lost while lrm
 * does not lead: a leader that protects old chunks pays for its wrong victim more than once,
 * because the chunk comes back as a new one. */
static void count_duel(struct auto_ *s, unsigned challenger, int64_t pages)
{
	struct member *m = &s->of[challenger];
	bool once = challenger && (pages > 0 || !s->pairs.leader);
	m->score += once ? pages : 2 * pages;
	if (pages > 0)
		m->shy /= 2;
	else if (m->score <= -s->window && m->shy < SHY)
		m->shy++;
	m->score = m->score < -s->window ? -s->window : m->score;
	settle(s, challenger, pages);
	if (m->score >= s->window)
		lead(s, challenger);
}

/* A victim of the leader is back. */
static void earn(struct auto_ *s, int64_t pages)
{
	int64_t most = s->window * s->share << SHY;
	for (unsigned i = 0; i < s->pairs.members.of->n; i++) {
		if (i != s->pairs.leader && s->of[i].account < most)
			s->of[i].account += pages;
	}
}

/* ---- who is asked ---- */

static bool may_try(const struct auto_ *s, unsigned i)
{
	const struct member *m = &s->of[i];
	uint64_t pause = (uint64_t)(m->score < 0 ? s->control : s->control / 4) << m->shy;
	if (i == s->pairs.leader)
		return false;
	return i ? m->account >= chunk_pages(s) * s->share << m->shy : s->since >= pause;
}

static unsigned leader_or_challenger(struct auto_ *s)
{
	unsigned n = s->pairs.members.of->n;
	s->since++;
	for (unsigned k = 0; k < n && !s->pairs.waiting; k++) {
		unsigned i = (s->turn + k) % n;
		if (!may_try(s, i))
			continue;
		s->turn = i + 1;
		if (!i)
			s->since = 0;
		return i;
	}
	return s->pairs.leader;
}

/* ---- notices ---- */

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct auto_ *s = self;
	struct pair *at = pair_of(&s->pairs, c);
	unsigned challenger, by = at->cause - 1U;
	if (at->cause) {
		int64_t points = pairs_end(&s->pairs, c, &challenger);
		if (points)
			count_duel(s, challenger, points);
		s->pairs.members.blame[by]++;
		if (by == s->pairs.leader)
			earn(s, at->pages);
		at->cause = 0;
	}
	TELL(&s->pairs.members, on_fault, c, p);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct auto_ *s = self;
	unsigned by = s->pairs.members.named_by;
	if (c.index == s->pairs.members.named.index) {
		pairs_begin(&s->pairs, c, what->resident);
		if (by != s->pairs.leader)
			s->of[by].account -=
				(s->share << s->of[by].shy) * pair_of(&s->pairs, c)->pages;
	}
	TELL(&s->pairs.members, on_evicted, c, what);
}

/* ---- questions ---- */

static tide_chunk pick_victim(void *self)
{
	struct auto_ *s = self;
	return members_ask_victim(&s->pairs.members, leader_or_challenger(s));
}

static tide_chunk pick_observed(void *self)
{
	const struct auto_ *s = self;
	return members_ask_observed(&s->pairs.members, s->pairs.leader);
}

static void report(void *self, const struct tide_report *r)
{
	const struct auto_ *s = self;
	members_report(&s->pairs.members, r);
	r->text(r->to, "leader", s->pairs.members.of->at[s->pairs.leader].policy->name);
	r->number(r->to, "changes_of_leader", s->changes);
}

static const struct tide_param params[] = {
	{"of", TIDE_PARAM_POLICIES, "lrm+cp:observe=0+mhpe:touched=0+observ-lfu:observe=0", 0, 0,
	 "policies that compete; the first is the one that bounds the harm"},
	{"window", TIDE_PARAM_INT, "16", 1, 1e6, "duels to win, in chunks, to become the leader"},
	{"share", TIDE_PARAM_INT, "64", 1, 1e6,
	 "a challenger names one victim for so many of the leader that came back"},
	{"control", TIDE_PARAM_INT, "24", 4, 1e6,
	 "the first policy names one victim in this many, or more often, while it does not lead"},
	{0},
};

const struct tide_policy td_policy_evict_auto = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "auto",
	.role = TIDE_EVICT,
	.summary = "lrm, or the policy whose victims stay away longer, with a bound on harm",
	.paper = "tide",
	.params = params,
	.state_bytes = sizeof(struct auto_),
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
