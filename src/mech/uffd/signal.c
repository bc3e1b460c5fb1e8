/* Faults as signals: SIGBUS in the thread that touched the page, served there and then. Nothing has
 * to be woken, so this is the quickest way; but a system call that comes to such a page is not
 * interrupted, it fails with EFAULT (see tide_hold()).
 *
 * A signal belongs to the process, not to a pager: this table, stacks to serve on and the handler
 * that was there before are the only state of the room outside struct td_pager. */
#include "in.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
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

struct fault {
	struct td_touch touch;
	struct td_pager *owner;
	int rc; /* -ENOENT: nobody's */
};

static void serve(void *arg)
{
	struct fault *f = arg;
	for (unsigned i = 0; i < PAGERS && f->rc == -ENOENT; i++) {
		struct td_pager *p = atomic_load_explicit(&pagers[i], memory_order_acquire);
		if (!p || !td_pager_may_own(p, f->touch.addr))
			continue;
		if (p->config.event)
			f->touch.stream = (uint64_t)syscall(SYS_gettid);
		f->rc = td_pager_touch(p, &f->touch);
		f->owner = p;
	}
}

/* ---- stacks ---- */

/* A thread, or a handler, may have a stack of a few pages and no more: there is room for a signal
 * on it, but not for a pager. There are stacks for as many faults as are served at once; whoever
 * finds none uses its own. */
#define STACKS 64
#define STACK_BYTES ((size_t)256 << 10)

static unsigned char *_Atomic stacks; /* NULL: none */

/* Each ends in a page that cannot be touched. */
static void make_stacks(void)
{
	unsigned char *at = mmap(NULL, STACKS * STACK_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return;
	madvise(at, STACKS * STACK_BYTES, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < STACKS; i++)
		mprotect(at + i * STACK_BYTES, 4096, PROT_NONE);
	atomic_store(&stacks, at);
}

/* Whether it is taken is said at its top, in a cache line of its own. */
static atomic_bool *taken(unsigned char *top)
{
	return (atomic_bool *)(top - 64);
}

/* A thread finds the one that it had before: what is on it is in its processor's cache. NULL: all
 * are taken, or there are none. */
static unsigned char *take_stack(void)
{
	unsigned char *all = atomic_load_explicit(&stacks, memory_order_relaxed);
	size_t first =
		(uintptr_t)__builtin_frame_address(0) / 4096 * UINT64_C(0x9e3779b97f4a7c15) >> 58;
	for (size_t i = 0; i < STACKS && all; i++) {
		unsigned char *top = all + ((first + i) % STACKS + 1) * STACK_BYTES;
		if (!atomic_load_explicit(taken(top), memory_order_relaxed) &&
		    !atomic_exchange_explicit(taken(top), true, memory_order_acquire))
			return top;
	}
	return NULL;
}

/* With a frame pointer, which is asked for, so that a debugger finds its way back. */
__attribute__((noinline)) static void call_on(unsigned char *top, void (*fn)(void *), void *arg)
{
#ifdef __x86_64__
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[fn]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg), [top] "+r"(top), [fn] "+r"(fn)
			 : "r"(__builtin_frame_address(0))
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0",
			   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#else
	(void)top;
	fn(arg);
#endif
}

static void serve_apart(struct fault *f)
{
	unsigned char *top = take_stack();
	if (!top) {
		serve(f);
		return;
	}
	call_on(top - 64, serve, f);
	atomic_store_explicit(taken(top), false, memory_order_release);
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
	struct fault f = {.touch = {.addr = (uintptr_t)info->si_addr,
				    .ref = instruction(context),
				    .write = is_write(context)},
			  .rc = -ENOENT};
	int cancel;
	/* Waiting and reading here is not the program's, which may have been told to end where it
	 * waits next. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	serve_apart(&f);
	pthread_setcancelstate(cancel, NULL);
	if (f.rc && f.rc != -ENOENT)
		td_pager_tell_failure(f.owner, info->si_addr, f.rc);
	if (f.rc)
		pass_on(number, info, context);
	errno = saved_errno;
}

static int install(struct tide_error *err)
{
	struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
	/* All of them: sigfillset() leaves out those by which the C library cancels threads. */
	memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
	if (!atomic_load(&stacks))
		make_stacks();
	if (!served && sigaction(SIGBUS, &action, &before))
		return tide_fail(err, -errno, "cannot handle SIGBUS: %s", strerror(errno));
	served++;
	return 0;
}

static int start(struct td_pager *p, struct tide_error *err)
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

static void stop(struct td_pager *p)
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

/* The handler is there, and the table. Stacks of threads that are not here are free. */
static int begin_child(struct td_pager *p)
{
	unsigned char *all = atomic_load(&stacks);
	(void)p;
	pthread_mutex_init(&table_lock, NULL);
	for (size_t i = 0; i < STACKS && all; i++)
		atomic_store(taken(all + (i + 1) * STACK_BYTES), false);
	return 0;
}

/* Threads of the program serve their own faults. */
static void look_after(struct td_pager *p)
{
	(void)p;
}

const struct td_service td_service_signal = {
	.name = "signal",
	.gives = TIDE_NEEDS_REFS,
	.start = start,
	.stop = stop,
	.begin_child = begin_child,
	.look_after = look_after,
};
