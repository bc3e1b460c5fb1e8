/* Which callback of which policy is under way. Another thread looks at this, without a lock: what
 * it sees may be old by a moment, but does not stay so. */
#include <inttypes.h>

#include "steps.h"

void td_engine_begin_call(struct td_engine *e, enum td_engine_call what, enum tide_role role)
{
	e->calls_done++;
	e->call = (uint16_t)(what | (TD_CALL_BOX | td_box_of(role)) << 8);
}

void td_engine_end_call(struct td_engine *e)
{
	CALLED(e);
}

static const char *const names[] = {
#define CALL(name, ...) [TD_CALL_##name] = #name,
	TD_CALLS_TOLD(CALL) TD_CALLS_ASKED(CALL) TD_CALLS_OUTSIDE(CALL)
#undef CALL
};

/* The box of whoever is the ear-th to listen. */
__attribute__((no_sanitize("thread"))) static unsigned box_of_ear(const struct td_engine *e,
								  unsigned what, unsigned ear)
{
	const void *who = NULL;
	unsigned box = 0;
	switch (what) {
#define CALL(name) \
	case TD_CALL_##name: who = e->ears.name[ear].self; break;
		TD_CALLS_TOLD(CALL)
#undef CALL
	}
	while (box < TD_BOX_EVICT && e->box[box].self != who)
		box++;
	return box;
}

__attribute__((no_sanitize("thread"))) static unsigned box_of(const struct td_engine *e,
							      unsigned what, unsigned who)
{
	static const unsigned char asked[] = {
#define CALL(name, box) [TD_CALL_##name] = box,
		TD_CALLS_ASKED(CALL)
#undef CALL
	};
	if (who & TD_CALL_BOX)
		return who & (TD_CALL_BOX - 1u);
	return what < TD_CALL_pick_victim ? box_of_ear(e, what, who) : asked[what];
}

__attribute__((no_sanitize("thread"))) const char *
td_engine_calling(const struct td_engine *e, uint64_t *turn, const struct tide_policy **policy)
{
	const volatile struct td_engine *now = e;
	unsigned call = now->call, what = call & 0xff;
	/* The loops of the functional simulator tell of hits themselves. */
	if (!what && now->running && now->ears.on_access[0].fn)
		what = TD_CALL_on_access;
	*turn = (now->near.time + now->counts.evicted_chunks + now->calls_done) << 8 | what;
	if (!what)
		return NULL;
	*policy = e->box[box_of(e, what, call >> 8)].choice.policy;
	return names[what];
}

bool td_engine_late(const struct td_engine *e, const char *evict, const char *prefetch,
		    uint64_t seconds, char *to, size_t n)
{
	const struct tide_policy *policy = NULL;
	uint64_t turn;
	const char *call = td_engine_calling(e, &turn, &policy);
	char who[200];
	if (!call)
		return false;
	if (policy)
		snprintf(who, sizeof who, "%s policy %s", td_policy_role_name(policy->role),
			 policy->name);
	else
		snprintf(who, sizeof who, "a policy (evict %.60s, prefetch %.60s)", evict,
			 prefetch);
	snprintf(to, n, "%s has not returned from %s for %" PRIu64 " s", who, call, seconds);
	return true;
}
