/* A policy that does not return would stop every thread that uses the pool, without a word. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "queue.h"

static bool calling(void *arg, uint64_t *turn)
{
	const struct tide_policy *policy;
	return td_engine_calling(((struct td_pool *)arg)->engine, turn, &policy) != NULL;
}

static void stuck(void *arg, uint64_t seconds)
{
	struct td_pool *p = arg;
	char late[300], text[400];
	if (!td_engine_late(p->engine, "as given", "none", seconds, late, sizeof late))
		return;
	snprintf(text, sizeof text, "tide: %s: the program ends; what was flushed is in the file",
		 late);
	if (p->message)
		p->message(p->message_arg, text);
	else
		dprintf(STDERR_FILENO, "%s\n", text);
	signal(SIGABRT, SIG_DFL);
	abort();
}

int td_policy_watch(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err)
{
	p->message = c->message;
	p->message_arg = c->message_arg;
	p->watchdog = (struct td_watchdog){.arg = p,
					   .calling = calling,
					   .stuck = stuck,
					   .limit_ns = c->watchdog_ns,
					   .stop_fd = -1};
	if (!c->watchdog_ns)
		return 0;
	p->watchdog.stop_fd = eventfd(0, EFD_CLOEXEC);
	int rc = p->watchdog.stop_fd < 0 ? -errno : td_watchdog_start(&p->watchdog);
	return rc ? tide_fail(err, rc, "cannot start the watchdog: %s", strerror(-rc)) : 0;
}

void td_policy_unwatch(struct td_pool *p)
{
	struct td_watchdog *w = &p->watchdog;
	uint64_t one = 1;
	if (w->started && write(w->stop_fd, &one, sizeof one) == sizeof one)
		td_watchdog_join(w);
	if (w->arg && w->stop_fd >= 0)
		close(w->stop_fd);
	*w = (struct td_watchdog){0};
}
