/* BaM: two tiers. Victims go straight to storage, as if there were no host memory. */
#ifndef TIDE_PLACE_BAM_H
#define TIDE_PLACE_BAM_H

#include "tide/placement.h"

TIDE_FORGETFUL(bam)

TIDE_RULE struct tide_answer tide_bam_tier(struct tide_placing *p, struct tide_leaver v,
					   struct tide_room room)
{
	struct tide_answer storage = {3, false};
	(void)p, (void)v, (void)room;
	return storage;
}

#ifdef TIDE_PLACEMENT

static int settle(const union tide_value *values, struct tide_placing *p, struct tide_error *err)
{
	(void)values, (void)err;
	p->two_tiers = 1;
	return 0;
}

#include "tide/placed.h"

const struct tide_policy td_policy_place_bam = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "bam",
	.role = TIDE_PLACE,
	.summary = "always to tier 3: two tiers, host memory unused",
	.paper = "BaM (ASPLOS 2023)",
	.needs = TIDE_NEEDS_PAGES,
	TIDE_PLACED_PLAIN,
};

#endif
#endif
