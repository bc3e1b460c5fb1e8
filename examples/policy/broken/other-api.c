/* Wrong on purpose: says that it was built for the next version of the interface. */
#include <tide/policy.h>

static tide_chunk pick_victim(void *self)
{
	(void)self;
	return TIDE_NO_CHUNK;
}

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API + 1,
	.size = sizeof(struct tide_policy),
	.name = "other-api",
	.role = TIDE_EVICT,
	.summary = "built for another version of the interface",
	.paper = "example",
	.pick_victim = pick_victim,
};
