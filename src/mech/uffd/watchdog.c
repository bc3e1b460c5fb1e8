/* A policy that does not come back would stop every thread of the program at its next fault,
 * without a word. And a pager's thread that has ended is replaced. */
#include "lock.h"
#include "pager.h"
#include "threads.h"

#include <errno.h>
#include <stdlib.h>

void td_pager_end_program(struct td_pager *p, const char *why)
{
	td_pager_say(p, "tide: %s: the program ends; what was synced is in its files", why);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static bool deciding(void *arg, uint64_t *turn)
{
	const struct td_pager *p = arg;
	const struct tide_policy *policy;
	*turn = atomic_load_explicit(&p->decisions, memory_order_relaxed);
	return *turn & 1 || td_engine_calling(p->engine, turn, &policy);
}

static void bite(void *arg, uint64_t seconds)
{
	struct td_pager *p = arg;
	const struct tide_policy *policy = p->engine->box[TD_BOX_EVICT].choice.policy;
	uint64_t turn;
	const char *call = td_engine_calling(p->engine, &turn, &policy);
	char why[256];
	snprintf(why, sizeof why, "%s policy %s has not returned from %s for %llu s",
		 td_policy_role_name(policy->role), policy->name, call ? call : "a call",
		 (unsigned long long)seconds);
	td_pager_end_program(p, why);
}

static void look(void *arg)
{
	struct td_pager *p = arg;
	if (!atomic_load(&p->stopping))
		p->service->look_after(p);
}

int td_pager_start_thread(pthread_t *thread, void *(*run_it)(void *arg), void *arg)
{
	sigset_t all, saved;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	int rc = pthread_create(thread, NULL, run_it, arg);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return -rc;
}

int td_pager_start_watchdog(struct td_pager *p, struct tide_error *err)
{
	p->watchdog = (struct td_watchdog){.arg = p,
					   .calling = deciding,
					   .stuck = bite,
					   .look = look,
					   .limit_ns = p->config.watchdog_ns,
					   .stop_fd = p->stop_fd};
	int rc = p->config.watchdog_ns ? td_watchdog_start(&p->watchdog) : 0;
	return rc ? tide_fail(err, rc, "cannot start the watchdog: %s", strerror(-rc)) : 0;
}

void td_pager_stop_watchdog(struct td_pager *p)
{
	td_watchdog_join(&p->watchdog);
}
