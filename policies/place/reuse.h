/* GMT-Reuse: predicts how far ahead a victim's next use is, and so the tier where it belongs.
 *
 *     at a fault      accesses since the page left -> a line fitted from samples -> its reuse
 *                     distance -> the tier that would have been right -> weights of a Markov chain
 *     for a victim    its last right tier -> the heaviest way out of it -> keep, tier 2 or tier 3
 *
 * A page that is predicted in a full tier 2 takes the place of the oldest page there. The predictor
 * and the 80% rule are in tide/tiering.h. */
#ifndef TIDE_PLACE_REUSE_H
#define TIDE_PLACE_REUSE_H

#include "tide/predictor.h"

/* choice[TIDE_REUSE_REPLACES]: if tier 2 is full, its oldest page makes room. */
enum { TIDE_REUSE_REPLACES };

TIDE_RULE bool tide_reuse_keeps(struct tide_placing *p, struct tide_leaver v, bool may)
{
	return tide_predict_keeps(p, v, may);
}

TIDE_RULE struct tide_answer tide_reuse_tier(struct tide_placing *p, struct tide_leaver v,
					     struct tide_room room)
{
	struct tide_past past = {v.own[TIDE_PAST]};
	unsigned predicted = tide_past_predicted(past);
	unsigned tier = tide_place(room.decisions, predicted, false, room.free,
				   p->choice[TIDE_REUSE_REPLACES] && room.any);
	struct tide_answer answer = {tier, predicted == 3 && tier == 2};
	return answer;
}

TIDE_RULE bool tide_reuse_yields(struct tide_placing *p, struct tide_leaver there,
				 struct tide_leaver comes)
{
	(void)p, (void)there, (void)comes;
	return true;
}

TIDE_RULE void tide_reuse_left(struct tide_placing *p, struct tide_leaver v)
{
	(void)p;
	tide_predict_left(v);
}

TIDE_RULE struct tide_verdict tide_reuse_returned(struct tide_placing *p, struct tide_leaver v,
						  struct tide_line line)
{
	return tide_predict_returned(p, v, line);
}

#ifdef TIDE_PLACEMENT

enum { RATE, WINDOW, BY, REPLACE };

static const struct tide_param params[] = {
	{"rate", TIDE_PARAM_REAL, "1", 1e-6, 1, "share of the pages that are sampled, by hash"},
	{"window", TIDE_PARAM_INT, "1024", 1, TIDE_DECISIONS_MAX,
	 "last decisions that the 80% rule looks at"},
	{"by", TIDE_PARAM_TEXT, "all", 0, 0,
	 "weights: all: one table for all pages; page: one per page"},
	{"replace", TIDE_PARAM_INT, "1", 0, 1,
	 "full tier 2: 1 in place of the oldest, 0 to storage instead"},
	{0},
};

static int settle(const union tide_value *values, struct tide_placing *p, struct tide_error *err)
{
	p->window = (uint32_t)values[WINDOW].i;
	p->choice[TIDE_REUSE_REPLACES] = (uint32_t)values[REPLACE].i;
	return tide_predict_settle(p, "reuse", values[RATE].r, values[BY].text, err);
}

#include "tide/placed.h"

const struct tide_policy td_policy_place_reuse = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "reuse",
	.role = TIDE_PLACE,
	.summary = "to the tier of its predicted reuse distance, by a Markov chain",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES | TIDE_TAKES_SAMPLES,
	.params = params,
	TIDE_PLACED_LEARNS,
	.report = tide_placed_report,
};

#endif
#endif
