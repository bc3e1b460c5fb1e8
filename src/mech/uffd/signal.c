/* Faults as signals: SIGBUS in the thread that touched the page, served there and then. Nothing has
 * to be woken, so this is the quickest way; but a system call that comes to such a page is not
 * interrupted, it fails with EFAULT (see tide_hold()).
 *
 * A signal belongs to the process, not to a pager: this table, stacks to serve on and the handler
 * that was there before are the only state of the room outside struct td_pager. */
#include "pager.h"

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
static _Atomic uint64_t stacks_used;  /* bitmap */

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

static int take_stack(void)
{
	uint64_t used = atomic_load_explicit(&stacks_used, memory_order_relaxed);
	do {
		if (!~used || !atomic_load_explicit(&stacks, memory_order_relaxed))
			return -1;
	} while (!atomic_compare_exchange_weak_explicit(&stacks_used, &used, used | (used + 1),
							memory_order_acquire,
							memory_order_relaxed));
	return __builtin_ctzll(~used);
}

static void give_stack(int stack)
{
	atomic_fetch_and_explicit(&stacks_used, ~(UINT64_C(1) << stack), memory_order_release);
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
	int stack = take_stack();
	if (stack < 0) {
		serve(f);
		return;
	}
	call_on(atomic_load(&stacks) + ((size_t)stack + 1) * STACK_BYTES, serve, f);
	give_stack(stack);
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
		td_pager_fail(f.owner, info->si_addr, f.rc);
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
