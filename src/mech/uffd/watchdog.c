/* A policy that does not come back would stop every thread of the program at its next fault,
 * without a word. And a pager's thread that has ended is replaced. */
#include "core/clock.h"
#include "lock.h"
#include "pager.h"
#include "threads.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define LOOK_MS 100

void td_pager_end_program(struct td_pager *p, const char *why)
{
	td_pager_say(p, "tide: %s: the program ends; what was synced is in its files", why);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void bite(struct td_pager *p, uint64_t seconds)
{
	const struct td_engine *e = p->engine;
	const struct tide_policy *prefetch = e->box[TD_BOX_PREFETCH].choice.policy;
	char why[256];
	snprintf(why, sizeof why, "a policy has not answered for %llu s (evict %s, prefetch %s)",
		 (unsigned long long)seconds, e->box[TD_BOX_EVICT].choice.policy->name,
		 prefetch ? prefetch->name : "none");
	td_pager_end_program(p, why);
}

static void *run(void *arg)
{
	struct td_pager *p = arg;
	struct pollfd wait = {p->stop_fd, POLLIN, 0};
	uint64_t seen = 0, since_ns = td_clock_ns();
	pthread_setname_np(pthread_self(), "tide-watchdog");
	while (!atomic_load(&p->stopping)) {
		poll(&wait, 1, LOOK_MS);
		uint64_t now = atomic_load_explicit(&p->decisions, memory_order_relaxed);
		uint64_t now_ns = td_clock_ns();
		if (now != seen || !(now & 1)) {
			seen = now;
			since_ns = now_ns;
		} else if (now_ns - since_ns > p->config.watchdog_ns) {
			bite(p, (now_ns - since_ns) / 1000000000u);
		}
		if (!atomic_load(&p->stopping))
			p->service->look_after(p);
	}
	return NULL;
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
	int rc = p->config.watchdog_ns ? td_pager_start_thread(&p->watchdog, run, p) : 0;
	if (rc)
		return tide_fail(err, rc, "cannot start the watchdog: %s", strerror(-rc));
	p->has_watchdog = p->config.watchdog_ns != 0;
	return 0;
}

void td_pager_stop_watchdog(struct td_pager *p)
{
	if (p->has_watchdog)
		pthread_join(p->watchdog, NULL);
	p->has_watchdog = false;
}
