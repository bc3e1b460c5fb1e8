/* Each tier holds the victims of the tier above it. */
#ifndef TIDE_PLACE_TIER_ORDER_H
#define TIDE_PLACE_TIER_ORDER_H

#include "tide/placement.h"

TIDE_FORGETFUL(tier_order)

TIDE_RULE struct tide_answer tide_tier_order_tier(struct tide_placing *p, struct tide_leaver v,
						  struct tide_room room)
{
	struct tide_answer answer = {room.any ? 2u : 3u, false};
	(void)p, (void)v;
	return answer;
}

#ifdef TIDE_PLACEMENT

static int settle(const union tide_value *values, struct tide_placing *p, struct tide_error *err)
{
	(void)values, (void)p, (void)err;
	return 0;
}

#include "tide/placed.h"

const struct tide_policy td_policy_place_tier_order = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "tier-order",
	.role = TIDE_PLACE,
	.summary = "always to tier 2, whose oldest page makes room",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_PAGES,
	TIDE_PLACED_PLAIN,
};

#endif
#endif
