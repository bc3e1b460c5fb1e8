/* A coin decides between tier 2 and tier 3. */
#ifndef TIDE_PLACE_RANDOM_H
#define TIDE_PLACE_RANDOM_H

#include "tide/placement.h"

TIDE_FORGETFUL(random)

TIDE_RULE struct tide_answer tide_random_tier(struct tide_placing *p, struct tide_leaver v,
					      struct tide_room room)
{
	/* 53 bits of the number, as a real below 1. */
	double drawn = (double)(tide_random_next(room.random) >> 11) * (1.0 / 9007199254740992.0);
	struct tide_answer answer = {drawn < p->real && room.any ? 2u : 3u, false};
	(void)v;
	return answer;
}

#ifdef TIDE_PLACEMENT

static const struct tide_param params[] = {
	{"p", TIDE_PARAM_REAL, "0.5", 0, 1, "probability of tier 2"},
	{0},
};

static int settle(const union tide_value *values, struct tide_placing *p, struct tide_error *err)
{
	(void)err;
	p->real = values[0].r;
	return 0;
}

#include "tide/placed.h"

const struct tide_policy td_policy_place_random = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "random",
	.role = TIDE_PLACE,
	.summary = "to tier 2 with probability p, else to tier 3",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_PAGES,
	.params = params,
	TIDE_PLACED_PLAIN,
};

#endif
#endif
