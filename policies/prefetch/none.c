/* Demand paging: the engine adds the faulting page by itself, so there is no question to answer. */
#include "tide/policy.h"

const struct tide_policy td_policy_prefetch_none = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "none",
	.role = TIDE_PREFETCH,
	.summary = "only the faulting page",
	.paper = "reference",
};
