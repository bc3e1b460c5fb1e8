/* The signals of a pager that serves faults where they happen: SIGBUS stays its own, and
 * unblocked. What the program asks for SIGBUS is kept here, and called for those that are none of
 * the pager's. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <ucontext.h>

#include "next.h"
#include "preload.h"

static struct sigaction theirs; /* the program's SIGBUS */
static struct sigaction pagers; /* called through enter_pager() */
static bool ours;               /* SIGBUS is the pager's: answers come from here */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call(const struct sigaction *action, int sig, siginfo_t *info, void *context)
{
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(sig, info, context);
	else
		action->sa_handler(sig);
}

static void die_of(int sig, const siginfo_t *info)
{
	struct sigaction fatal = {.sa_handler = SIG_DFL};

	next.sigaction(sig, &fatal, NULL);
	if (info->si_code <= 0) /* sent by somebody; otherwise the access is repeated, and fatal */
		raise(sig);
}

/* With what the program wants blocked meanwhile, and not all that the pager does: a handler may
 * touch paged memory, or jump out. */
static void call_theirs(const struct sigaction *action, int sig, siginfo_t *info, void *context)
{
	sigset_t mask, saved;

	sigemptyset(&mask);
	memcpy(&mask, &((ucontext_t *)context)->uc_sigmask, sizeof(uint64_t)); /* the kernel's */
	sigorset(&mask, &mask, &action->sa_mask);
	sigdelset(&mask, SIGBUS);
	next.pthread_sigmask(SIG_SETMASK, &mask, &saved);
	call(action, sig, info, context);
	next.pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

/* A SIGBUS that is none of the pager's. Here the program runs. */
static void stray_bus(int sig, siginfo_t *info, void *context)
{
	unsigned was = td_preload_inside;
	struct sigaction action = theirs;

	td_preload_inside = 0;
	if (action.sa_handler == SIG_IGN && info->si_code <= 0)
		; /* as asked */
	else if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
		die_of(sig, info);
	else
		call_theirs(&action, sig, info, context);
	td_preload_inside = was;
}

static void enter_pager(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	td_preload_inside++;
	call(&pagers, sig, info, context);
	td_preload_inside--;
	errno = saved;
}

/* In front of the program's action now, behind the pager's once that is there. */
void td_preload_first_signals(void)
{
	struct sigaction stray = {.sa_sigaction = stray_bus,
				  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	sigset_t bus;

	next.sigaction(SIGBUS, &stray, &theirs);
	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	next.pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
	ours = true;
}

void td_preload_drop_signals(void)
{
	if (ours)
		next.sigaction(SIGBUS, &theirs, NULL);
	ours = false;
	pthread_mutex_init(&lock, NULL);
}

/* ---- what the program asks for ---- */

/* The pager's own handler, put in place by tide_open(). */
static int set_pagers(const struct sigaction *new, struct sigaction *old)
{
	struct sigaction action = *new;

	pagers = *new;
	action.sa_sigaction = enter_pager;
	action.sa_flags |= SA_SIGINFO;
	return next.sigaction(SIGBUS, &action, old);
}

static int set_theirs(const struct sigaction *new, struct sigaction *old)
{
	struct sigaction was;

	pthread_mutex_lock(&lock);
	was = theirs;
	if (new)
		theirs = *new;
	pthread_mutex_unlock(&lock);
	if (old)
		*old = was;
	return 0;
}

static int set_action(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction open;

	if (!new || !td_preload_by_signal() || td_preload_inside)
		return next.sigaction(sig, new, old);
	/* A handler that blocks everything may touch paged memory too. */
	open = *new;
	sigdelset(&open.sa_mask, SIGBUS);
	return next.sigaction(sig, &open, old);
}

static bool calls_handler(const struct sigaction *new)
{
	return new &&new->sa_handler != SIG_DFL &&new->sa_handler != SIG_IGN;
}

TD_EXPORT int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	if (sig != SIGBUS || !ours)
		return set_action(sig, new, old);
	if (!td_preload_inside)
		return set_theirs(new, old);
	return calls_handler(new) ? set_pagers(new, old) : next.sigaction(sig, new, old);
}

TD_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

	if (sig != SIGBUS || !ours)
		return next.signal(sig, handler);
	return sigaction(sig, &new, &old) ? SIG_ERR : old.sa_handler;
}

/* A blocked SIGBUS ends the process at its next fault. */
static const sigset_t *without_bus(const sigset_t *set, sigset_t *room)
{
	if (!set || td_preload_inside || !td_preload_by_signal())
		return set;
	*room = *set;
	sigdelset(room, SIGBUS);
	return room;
}

/* Both through copies: they may be in paged memory. */
TD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t room, given, was;
	int rc;

	if (set)
		given = *set;
	rc = next.sigprocmask(how,
			      set && how != SIG_UNBLOCK ? without_bus(&given, &room)
			      : set                     ? &given
							: NULL,
			      old ? &was : NULL);
	if (!rc && old)
		*old = was;
	return rc;
}

TD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int saved = errno, rc = sigprocmask(how, set, old) ? errno : 0;

	errno = saved;
	return rc;
}

/* ---- threads ---- */

struct start {
	void *(*run)(void *arg);
	void *arg;
};

/* A thread of the pager's. */
static void *run_inside(void *arg)
{
	struct start s = *(struct start *)arg;
	void *result;

	td_preload_begin_thread();
	free(arg);
	result = s.run(s.arg);
	td_preload_end_thread();
	return result;
}

static int create_inside(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			 void *arg)
{
	struct start *s = malloc(sizeof *s);
	int rc;

	if (!s)
		return EAGAIN;
	*s = (struct start){run, arg};
	rc = next.pthread_create(thread, attr, run_inside, s);
	if (rc)
		free(s);
	return rc;
}

/* What calls of ours need of a stack beyond what the program knows. */
#define STACK_MORE ((size_t)192 << 10)

/* Has the program a size in mind, and no memory of its own for it? */
static bool has_size(const pthread_attr_t *attr, size_t *bytes)
{
	void *at;

	return pthread_attr_getstack(attr, &at, bytes) == 0 && (uintptr_t)at + *bytes == 0 &&
	       *bytes;
}

TD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			     void *arg)
{
	pthread_attr_t larger;
	size_t bytes;

	if (td_preload_inside)
		return create_inside(thread, attr, run, arg);
	if (td_preload_is_on() && attr && has_size(attr, &bytes)) {
		larger = *attr; /* what it points to stays the program's */
		if (pthread_attr_setstacksize(&larger, bytes + STACK_MORE) == 0)
			attr = &larger;
	}
	return next.pthread_create(thread, attr, run, arg);
}
