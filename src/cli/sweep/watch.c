/* Signals are waited for by a thread of their own: what it does when one comes may take locks,
 * which a handler may not. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "sweep.h"

#define TICK_NS 200000000
#define WAKE SIGUSR2 /* nobody else sends it to the thread */

static void end_by(int signal_number)
{
	sigset_t one;

	signal(signal_number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, signal_number);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(signal_number);
}

static void *watch(void *arg)
{
	static const struct timespec tick = {0, TICK_NS};
	struct td_cli_watch *w = arg;

	while (!w->ending) {
		int got = sigtimedwait(&w->signals, NULL, &tick);
		if (got < 0) {
			w->tick(w->arg);
		} else if (got != WAKE) {
			w->stop(w->arg, got);
			end_by(got);
		}
	}
	return NULL;
}

/* What was ignored from the start, as nohup does it, stays so. */
static void add_signal(sigset_t *set, int signal_number)
{
	struct sigaction action;

	if (sigaction(signal_number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(set, signal_number);
}

int td_cli_watch_start(struct td_cli_watch *w, struct tide_error *err)
{
	int rc;

	w->ending = false;
	sigemptyset(&w->signals);
	add_signal(&w->signals, SIGINT);
	add_signal(&w->signals, SIGTERM);
	add_signal(&w->signals, SIGHUP);
	sigaddset(&w->signals, WAKE);
	/* Threads started from now on inherit this: all signals are the watch's. */
	pthread_sigmask(SIG_BLOCK, &w->signals, &w->before);
	rc = pthread_create(&w->thread, NULL, watch, w);
	if (!rc)
		return 0;
	pthread_sigmask(SIG_SETMASK, &w->before, NULL);
	return tide_fail(err, -rc, "cannot start a thread: %s", strerror(rc));
}

void td_cli_watch_end(struct td_cli_watch *w)
{
	w->ending = true;
	pthread_kill(w->thread, WAKE);
	pthread_join(w->thread, NULL);
	pthread_sigmask(SIG_SETMASK, &w->before, NULL);
}
