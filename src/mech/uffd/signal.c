/* Faults as signals: SIGBUS in the thread that touched the page, served there and then. Nothing has
 * to be woken, so this is the quickest way; but a system call that comes to such a page is not
 * interrupted, it fails with EFAULT (see tide_hold()).
 *
 * A signal belongs to the process, not to a pager: this table and the handler that was there before
 * are the only state of the room outside struct td_pager. */
#include "pager.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGERS 64

static struct td_pager *_Atomic pagers[PAGERS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static unsigned served;

static bool is_write(const ucontext_t *context)
{
#ifdef __x86_64__
	return context->uc_mcontext.gregs[REG_ERR] & 2;
#else
	(void)context;
	return true; /* not known: the page counts as changed */
#endif
}

static uint64_t instruction(const ucontext_t *context)
{
#ifdef __x86_64__
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
	(void)context;
	return 0;
#endif
}

/* -ENOENT: nobody's. */
static int serve(struct td_touch *t, struct td_pager **owner)
{
	int rc = -ENOENT;
	for (unsigned i = 0; i < PAGERS && rc == -ENOENT; i++) {
		struct td_pager *p = atomic_load_explicit(&pagers[i], memory_order_acquire);
		if (!p || !td_pager_may_own(p, t->addr))
			continue;
		if (p->config.event)
			t->stream = (uint64_t)syscall(SYS_gettid);
		rc = td_pager_touch(p, t);
		*owner = p;
	}
	return rc;
}

/* Not ours, or not to be had: as if this handler were not there. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO && before.sa_sigaction)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(number);
	else
		signal(SIGBUS, SIG_DFL); /* the access is made again, and ends the program */
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	struct td_touch t = {.addr = (uintptr_t)info->si_addr,
			     .ref = instruction(context),
			     .write = is_write(context)};
	struct td_pager *p = NULL;
	int cancel;
	/* Waiting and reading here is not the program's, which may have been told to end where it
	 * waits next. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	int rc = serve(&t, &p);
	pthread_setcancelstate(cancel, NULL);
	if (rc && rc != -ENOENT)
		td_pager_fail(p, info->si_addr, rc);
	if (rc)
		pass_on(number, info, context);
	errno = saved_errno;
}

static int install(struct tide_error *err)
{
	struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
	/* All of them: sigfillset() leaves out those by which the C library cancels threads. */
	memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
	if (!served && sigaction(SIGBUS, &action, &before))
		return tide_fail(err, -errno, "cannot handle SIGBUS: %s", strerror(errno));
	served++;
	return 0;
}

int td_pager_start_signal(struct td_pager *p, struct tide_error *err)
{
	unsigned i = 0;
	pthread_mutex_lock(&table_lock);
	while (i < PAGERS && atomic_load(&pagers[i]))
		i++;
	int rc = i < PAGERS ? install(err)
			    : tide_fail(err, -EMFILE, "too many pagers in one process: close some");
	if (!rc)
		atomic_store(&pagers[i], p);
	pthread_mutex_unlock(&table_lock);
	return rc;
}

void td_pager_stop_signal(struct td_pager *p)
{
	struct sigaction now;
	pthread_mutex_lock(&table_lock);
	for (unsigned i = 0; i < PAGERS; i++) {
		if (atomic_load(&pagers[i]) != p)
			continue;
		atomic_store(&pagers[i], NULL);
		/* Whoever has taken the signal over meanwhile keeps it. */
		if (!--served && !sigaction(SIGBUS, NULL, &now) && now.sa_sigaction == on_sigbus)
			sigaction(SIGBUS, &before, NULL);
	}
	pthread_mutex_unlock(&table_lock);
}
