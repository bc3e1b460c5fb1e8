/* Wrong on purpose: sets a callback that no tide knows yet. */
#include <tide/policy.h>

static tide_chunk pick_victim(void *self)
{
	(void)self;
	return TIDE_NO_CHUNK;
}

static void on_something_new(void *self)
{
	(void)self;
}

struct newer {
	struct tide_policy known;
	void (*on_something_new)(void *self);
};

const struct newer tide_policy = {
	.known =
		{
			.api = TIDE_POLICY_API,
			.size = sizeof(struct newer),
			.name = "newer",
			.role = TIDE_EVICT,
			.summary = "built for a newer version of the interface",
			.paper = "example",
			.pick_victim = pick_victim,
		},
	.on_something_new = on_something_new,
};
