/* BaM: two tiers. Victims go straight to storage, as if there were no host memory. */
#include "tide/policy.h"

static enum tide_placement place_victim(void *self, tide_chunk c)
{
	(void)self, (void)c;
	return TIDE_TO_TIER3;
}

const struct tide_policy td_policy_place_bam = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "bam",
	.role = TIDE_PLACE,
	.summary = "always to tier 3: two tiers, host memory unused",
	.paper = "BaM (ASPLOS 2023)",
	.needs = TIDE_NEEDS_PAGES,
	.place_victim = place_victim,
};
