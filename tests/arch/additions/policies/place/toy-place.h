/* Dirty pages to tier 2, clean ones to storage. */
#ifndef TIDE_PLACE_TOY_PLACE_H
#define TIDE_PLACE_TOY_PLACE_H

#include "tide/placement.h"

TIDE_FORGETFUL(toy_place)

TIDE_RULE struct tide_answer tide_toy_place_tier(struct tide_placing *p, struct tide_leaver v,
						 struct tide_room room)
{
	struct tide_answer answer = {room.any && v.dirty ? 2u : 3u, false};
	(void)p;
	return answer;
}

#ifdef TIDE_PLACEMENT

static int settle(const union tide_value *values, struct tide_placing *p, struct tide_error *err)
{
	(void)values, (void)p, (void)err;
	return 0;
}

#include "tide/placed.h"

const struct tide_policy td_policy_place_toy_place = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "toy-place",
	.role = TIDE_PLACE,
	.summary = "dirty pages to tier 2, clean ones to storage",
	.paper = "reference",
	.needs = TIDE_NEEDS_PAGES,
	TIDE_PLACED_PLAIN,
};

#endif
#endif
