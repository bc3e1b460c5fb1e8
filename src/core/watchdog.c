#include "watchdog.h"

#include <poll.h>
#include <signal.h>

bool td_looks_late(struct td_looks *l, bool calling, uint64_t turn, uint64_t limit_ns)
{
	l->n = calling && turn == l->seen ? l->n + 1 : 0;
	l->seen = turn;
	return l->n == limit_ns / TD_LOOK_NS + 1;
}

uint64_t td_looks_seconds(const struct td_looks *l)
{
	return l->n * TD_LOOK_NS / UINT64_C(1000000000);
}

static void *run(void *arg)
{
	struct td_watchdog *w = arg;
	struct pollfd stop = {w->stop_fd, POLLIN, 0};
	struct td_looks looks = {0};
	pthread_setname_np(pthread_self(), "tide-watchdog");
	while (poll(&stop, 1, TD_LOOK_MS) <= 0) {
		uint64_t turn = 0;
		bool calling = w->calling(w->arg, &turn);
		if (td_looks_late(&looks, calling, turn, w->limit_ns))
			w->stuck(w->arg, td_looks_seconds(&looks));
		if (w->look)
			w->look(w->arg);
	}
	return NULL;
}

int td_watchdog_start(struct td_watchdog *w)
{
	sigset_t all, saved;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	int rc = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	w->started = !rc;
	return -rc;
}

void td_watchdog_join(struct td_watchdog *w)
{
	if (w->started)
		pthread_join(w->thread, NULL);
	w->started = false;
}
