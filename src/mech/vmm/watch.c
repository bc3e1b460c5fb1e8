/* A policy that does not come back would stop every launch of the program, without a word. */
#include <stdlib.h>

#include "inside.h"

#define LIMIT_NS (10 * UINT64_C(1000000000))

static bool calling(void *arg, uint64_t *turn)
{
	const struct td_vmm *v = arg;
	const struct tide_policy *policy;
	return td_engine_calling(v->engine, turn, &policy) != NULL;
}

static void stuck(void *arg, uint64_t seconds)
{
	struct td_vmm *v = arg;
	char late[256];
	if (!td_engine_late(v->engine, "as given", "as given", seconds, late, sizeof late))
		return;
	td_vmm_say(v, "%s: the program ends", late);
	abort();
}

int td_vmm_start_watchdog(struct td_vmm *v, struct tide_error *err)
{
	v->watchdog = (struct td_watchdog){.arg = v,
					   .calling = calling,
					   .stuck = stuck,
					   .limit_ns = LIMIT_NS,
					   .stop_fd = -1};
	int rc = td_watchdog_start(&v->watchdog);
	return rc ? tide_fail(err, rc, "cannot start the watchdog") : 0;
}
