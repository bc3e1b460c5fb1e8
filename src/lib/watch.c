/* The watchdog of a simulated run: a policy that loops is named, with the callback. */
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool calling(void *arg, uint64_t *turn)
{
	const struct tide_policy *policy;
	return td_engine_calling(((struct tide_sim *)arg)->engine, turn, &policy) != NULL;
}

static void stuck(void *arg, uint64_t seconds)
{
	const struct tide_sim *sim = arg;
	struct tide_error why;
	char late[300];
	if (!td_engine_late(sim->engine, sim->evict, sim->prefetch, seconds, late, sizeof late))
		return;
	tide_fail(&why, -ETIMEDOUT,
		  "%s (access %" PRIu64
		  "): mend the policy, or give a longer `watchdog`, 0 for none",
		  late, sim->engine->near.time);
	sim->on_stuck(sim->on_stuck_arg, why.text);
}

int td_lib_watch_alike(struct tide_sim *sim, struct tide_error *err)
{
	struct td_watchdog *w = &sim->watchdog;
	*w = (struct td_watchdog){.arg = sim,
				  .calling = calling,
				  .stuck = stuck,
				  .stop_fd = -1,
				  .limit_ns = w->limit_ns};
	if (!sim->on_stuck || !w->limit_ns)
		return 0;
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	int rc = w->stop_fd < 0 ? -errno : td_watchdog_start(w);
	return rc ? tide_fail(err, rc, "cannot start the watchdog: %s", strerror(-rc)) : 0;
}

int td_lib_watch(struct tide_sim *sim, const struct tide_sim_options *o, struct tide_error *err)
{
	int rc = td_lib_seconds(o->watchdog, &sim->watchdog.limit_ns, err);
	if (rc)
		return rc;
	sim->on_stuck = o->on_stuck;
	sim->on_stuck_arg = o->on_stuck_arg;
	return td_lib_watch_alike(sim, err);
}

void td_lib_unwatch(struct tide_sim *sim)
{
	struct td_watchdog *w = &sim->watchdog;
	uint64_t one = 1;
	if (w->started && write(w->stop_fd, &one, sizeof one) == sizeof one)
		td_watchdog_join(w);
	if (w->calling && w->stop_fd >= 0)
		close(w->stop_fd);
}
