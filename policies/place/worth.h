/* Weighs what a page saves in tier 2 against how long it keeps its slot there.
 *
 * It predicts as reuse does, and keeps a page in near memory as reuse does. A page that leaves
 * takes a free slot of tier 2. If there is none, it takes the slot of a page that is worth less:
 * one that saves less for the time that it will stay (tide_yields() of tide/tiering.h). The guess
 * of when a page comes back is based on how long it was away the last time. */
#ifndef TIDE_PLACE_WORTH_H
#define TIDE_PLACE_WORTH_H

#include "tide/predictor.h"

/* TIDE_WORTH_AWAY is a word of a page, after the predictor's word: how long the page was away the
 * last time. Its lowest bit says whether the page left dirty. TIDE_WORTH_RETURNS is a shared word:
 * struct tide_returns. */
enum { TIDE_WORTH_AWAY = 1, TIDE_WORTH_RETURNS = 1 };

TIDE_RULE struct tide_returns tide_worth_returns(struct tide_placing *p)
{
	struct tide_returns r = {TIDE_SHARED_READ(&p->shared[TIDE_WORTH_RETURNS])};
	return r;
}

/* A page that is just leaving. */
TIDE_RULE struct tide_weighed tide_worth_comes(struct tide_leaver v)
{
	struct tide_weighed comes = {v.own[TIDE_WORTH_AWAY] >> 1, 0, v.dirty};
	return comes;
}

/* A page of tier 2. v.dirty is false if the caller knows that the page has been written back since
 * it left. */
TIDE_RULE struct tide_weighed tide_worth_there(struct tide_leaver v)
{
	struct tide_past past = {v.own[TIDE_PAST]};
	struct tide_weighed there = {v.own[TIDE_WORTH_AWAY] >> 1,
				     tide_gone(tide_past_evicted(past), v.now),
				     v.dirty && v.own[TIDE_WORTH_AWAY] & 1};
	return there;
}

TIDE_RULE bool tide_worth_keeps(struct tide_placing *p, struct tide_leaver v, bool may)
{
	return tide_predict_keeps(p, v, may);
}

TIDE_RULE struct tide_answer tide_worth_tier(struct tide_placing *p, struct tide_leaver v,
					     struct tide_room room)
{
	bool claims = room.any && tide_saves(tide_worth_returns(p), tide_worth_comes(v)) > 0;
	struct tide_answer answer = {room.free || claims ? 2u : 3u, false};
	return answer;
}

TIDE_RULE bool tide_worth_yields(struct tide_placing *p, struct tide_leaver there,
				 struct tide_leaver comes)
{
	return tide_yields(tide_worth_returns(p), tide_worth_there(there), tide_worth_comes(comes));
}

TIDE_RULE void tide_worth_left(struct tide_placing *p, struct tide_leaver v)
{
	(void)p;
	tide_predict_left(v);
	v.own[TIDE_WORTH_AWAY] = (v.own[TIDE_WORTH_AWAY] & ~(uint64_t)1) | (v.dirty ? 1 : 0);
}

TIDE_RULE void tide_worth_learn(struct tide_placing *p, struct tide_leaver v, uint64_t away)
{
	uint64_t *at = &p->shared[TIDE_WORTH_RETURNS], old = TIDE_SHARED_READ(at), seen;
	uint64_t before = v.own[TIDE_WORTH_AWAY] >> 1;
	for (;; old = seen) {
		struct tide_returns r = {old};
		seen = TIDE_SHARED_CAS(at, old, tide_returns_learn(r, away, before).word);
		if (seen == old)
			break;
	}
	v.own[TIDE_WORTH_AWAY] = away << 1;
}

TIDE_RULE struct tide_verdict tide_worth_returned(struct tide_placing *p, struct tide_leaver v,
						  struct tide_line line)
{
	struct tide_past past = {v.own[TIDE_PAST]};
	struct tide_verdict verdict = tide_predict_returned(p, v, line);
	if (verdict.correct)
		tide_worth_learn(p, v, tide_away(v.now - tide_past_evicted(past)));
	return verdict;
}

#ifdef TIDE_PLACEMENT

enum { RATE, BY };

static const struct tide_param params[] = {
	{"rate", TIDE_PARAM_REAL, "1", 1e-6, 1, "share of the pages that are sampled, by hash"},
	{"by", TIDE_PARAM_TEXT, "all", 0, 0,
	 "weights: all: one table for all pages; page: one per page"},
	{0},
};

static int settle(const union tide_value *values, struct tide_placing *p, struct tide_error *err)
{
	p->weighs = 1;
	p->page_words = 1; /* besides the predictor's */
	return tide_predict_settle(p, "worth", values[RATE].r, values[BY].text, err);
}

#include "tide/placed.h"

static void report(void *self, const struct tide_report *r)
{
	struct tide_placed *s = self;
	struct tide_returns returns = tide_worth_returns(&s->placing);
	tide_placed_report(self, r);
	r->number(r->to, "mean_away", tide_returns_mean(returns));
	r->real(r->to, "guess_error", (double)tide_returns_error(returns) / 65536);
}

const struct tide_policy td_policy_place_worth = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "worth",
	.role = TIDE_PLACE,
	.summary = "to tier 2 if the page saves more per time there than another",
	.paper = "tide",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES | TIDE_TAKES_SAMPLES,
	.params = params,
	TIDE_PLACED_LEARNS,
	.yields = tide_placed_yields,
	.report = report,
};

#endif
#endif
