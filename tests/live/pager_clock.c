/* Refused on purpose: no pager has the clock that this policy needs. */
#include <tide/policy.h>

static tide_chunk pick_victim(void *self)
{
	(void)self;
	return (tide_chunk){0};
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "clock-only",
	.role = TIDE_EVICT,
	.summary = "needs a clock",
	.paper = "example",
	.needs = TIDE_NEEDS_CLOCK,
	.pick_victim = pick_victim,
};
