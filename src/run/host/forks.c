/* A fork: the child inherits the pager's memory, and has a pager of its own for it. Where that
 * cannot be, two processes would share what one pager has: the child gets plain memory at the same
 * addresses, and the parent sends what is in it before its fork() returns. From then on such a
 * child is not paged; what it executes has a pager of its own.
 *
 * The work is done by handlers of pthread_atfork(), which come last before the fork and first in
 * both processes, since they were there first, and also where the C library forks by itself
 * (daemon(), forkpty()). */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "lib/inherit.h"
#include "next.h"
#include "own.h"
#include "preload.h"

#define BLOCK_BYTES ((size_t)256 << 10)

/* A run of pages that are not all zero, followed by its bytes; bytes 0: that was all. */
struct run {
	uintptr_t addr;
	size_t bytes;
};

static int ends[2] = {-1, -1}; /* the parent's, the child's */
static enum { NOTHING, COPIED, INHERITED } child_gets;
static sigset_t signals_before;

static bool send_all(const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t n = next.send(ends[0], at, bytes, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false; /* the child is gone, or there is none */
		if (n > 0) {
			at += n;
			bytes -= (size_t)n;
		}
	}
	return true;
}

static bool receive_all(void *data, size_t bytes)
{
	char *at = data;

	while (bytes) {
		ssize_t n = next.read(ends[1], at, bytes);
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0) {
			at += n;
			bytes -= (size_t)n;
		}
	}
	return true;
}

static bool is_zero(const char *page)
{
	return !page[0] && memcmp(page, page + 1, TD_OS_PAGE - 1) == 0;
}

static bool send_block(uintptr_t addr, const char *data, size_t bytes)
{
	for (size_t at = 0, end; at < bytes; at = end) {
		end = at + TD_OS_PAGE;
		if (is_zero(data + at))
			continue;
		while (end < bytes && !is_zero(data + end))
			end += TD_OS_PAGE;
		struct run run = {addr + at, end - at};
		if (!send_all(&run, sizeof run) || !send_all(data + at, end - at))
			return false;
	}
	return true;
}

/* Through a buffer: the kernel does not see paged memory, whoever serves its faults. */
static bool send_range(uintptr_t start, uintptr_t end, char *buffer)
{
	while (start < end) {
		size_t bytes = end - start < BLOCK_BYTES ? end - start : BLOCK_BYTES;
		memcpy(buffer, (void *)start, bytes);
		if (!send_block(start, buffer, bytes))
			return false;
		start += bytes;
	}
	return true;
}

/* What the program has made unreadable is opened for the time of the copy. */
static bool send_region(const struct td_region *r, char *buffer)
{
	uintptr_t start = r->start;

	while (start < r->end) {
		struct td_region *g = td_regions_from(&td_guarded, start);
		uintptr_t to = g && g->start < r->end ? g->start : r->end;
		if (!send_range(start, to, buffer))
			return false;
		start = to;
		if (!g || to == r->end)
			continue;
		next.mprotect((void *)g->start, g->end - g->start, PROT_READ);
		bool ok = send_range(start, g->end, buffer);
		next.mprotect((void *)g->start, g->end - g->start, g->kind);
		if (!ok)
			return false;
		start = g->end;
	}
	return true;
}

static void send_regions(void)
{
	char *buffer = next.mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct run end = {0, 0};
	bool ok = buffer != MAP_FAILED;

	for (size_t i = 0; ok && i < td_taken.n; i++)
		ok = send_region(&td_taken.at[i], buffer);
	if (ok)
		send_all(&end, sizeof end);
	if (buffer != MAP_FAILED)
		next.munmap(buffer, BLOCK_BYTES);
}

static bool map_regions(void)
{
	for (size_t i = 0; i < td_taken.n; i++) {
		struct td_region *r = &td_taken.at[i];
		void *at = (void *)r->start;
		r->slack = r->end;
		if (next.mmap(at, r->end - r->start, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			      0) != at)
			return false;
	}
	return true;
}

static bool receive_regions(void)
{
	struct run run;

	if (!map_regions())
		return false;
	while (receive_all(&run, sizeof run)) {
		if (!run.bytes)
			return true;
		if (!receive_all((void *)run.addr, run.bytes))
			return false;
	}
	return false;
}

static void close_end(int which)
{
	if (ends[which] >= 0)
		close(ends[which]);
	ends[which] = -1;
}

/* No handler of the program's may run until its memory is there. Without the C library's own care
 * of a fork there can be no threads of ours in the child. */
static void begin(bool bare)
{
	sigset_t all;

	sigfillset(&all);
	next.pthread_sigmask(SIG_SETMASK, &all, &signals_before);
	td_preload_inside++;
	child_gets = !bare && !td_lib_before_fork(td_preload_tide) ? INHERITED : COPIED;
	td_preload_inside--;
	if (child_gets == COPIED && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		ends[0] = ends[1] = -1;
}

/* A pager that is about to be opened is waited for: the child could neither use nor open one. */
static void before(bool bare)
{
	td_preload_lock_opening();
	td_regions_lock();
	child_gets = NOTHING;
	if (td_preload_tide)
		begin(bare);
	td_own_lock();
}

static void before_fork(void)
{
	before(false);
}

static void let_signals(void)
{
	if (child_gets != NOTHING)
		next.pthread_sigmask(SIG_SETMASK, &signals_before, NULL);
}

static void in_parent(void)
{
	int saved = errno;

	td_own_unlock(); /* a fault may be served below */
	if (child_gets == INHERITED) {
		td_preload_inside++;
		td_lib_in_parent(td_preload_tide);
		td_preload_inside--;
	}
	let_signals();
	if (child_gets == COPIED) {
		close_end(1);
		send_regions();
		close_end(0);
	}
	td_regions_unlock();
	td_preload_unlock_opening();
	errno = saved;
}

static void end_child(void)
{
	td_preload_say("a forked child did not get its memory and ends");
	next._exit(1);
}

static void be_unpaged(void)
{
	td_preload_stop();
	td_preload_note_kind(TD_UNPAGED_FORKED);
	td_preload_drop_signals();
	td_preload_forget_slot();
}

static void get_copy(void)
{
	td_lib_disown(td_preload_tide);
	be_unpaged();
	td_preload_inside = 0;
	close_end(0);
	if (!receive_regions())
		end_child();
	close_end(1);
	for (size_t i = 0; i < td_guarded.n; i++)
		next.mprotect((void *)td_guarded.at[i].start,
			      td_guarded.at[i].end - td_guarded.at[i].start, td_guarded.at[i].kind);
}

static void inherit(void)
{
	int rc = td_lib_in_child(td_preload_tide);

	if (rc < 0)
		end_child();
	if (rc)
		be_unpaged();
	else
		td_preload_continue();
}

static void in_child(void)
{
	td_own_reset_lock();
	td_regions_reset_lock();
	td_preload_reset_opening();
	td_preload_begin_process();
	td_preload_inside = 1;
	if (child_gets == COPIED)
		get_copy();
	else if (child_gets == INHERITED)
		inherit();
	td_preload_inside = 0;
	let_signals();
}

extern void *__dso_handle;

void td_preload_watch_forks(void)
{
	static bool watched;

	if (!watched)
		next.__register_atfork(before_fork, in_parent, in_child, &__dso_handle);
	watched = true;
}

/* What pthread_atfork() is made of. The constructors of libraries come before ours, and their
 * handlers may allocate, and touch what is paged: ours are the first all the same. */
TD_EXPORT int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
				void *library)
{
	td_preload_watch_forks();
	return next.__register_atfork(before, parent, child, library);
}

/* ---- who may fork ---- */

/* A child whose stack is paged has none to return to. */
static bool may_fork(const char *what)
{
	if (td_preload_off())
		return true;
	if (td_preload_settings.fork == TD_FORK_REFUSE)
		td_preload_say_once("%s is refused: --fork copy allows it", what);
	else if (td_preload_paged(__builtin_frame_address(0)))
		td_preload_say_once("%s from a stack in paged memory is refused", what);
	else
		return true;
	errno = ENOSYS;
	return false;
}

TD_EXPORT pid_t fork(void)
{
	return may_fork("fork()") ? next.fork() : -1;
}

/* It runs no handlers of others, but needs ours. */
TD_EXPORT pid_t _Fork(void)
{
	pid_t pid;

	if (!may_fork("_Fork()"))
		return -1;
	before(true);
	pid = next._Fork();
	if (pid == 0)
		in_child();
	else
		in_parent();
	return pid;
}

TD_EXPORT int daemon(int stay, int keep)
{
	return may_fork("daemon()") ? next.daemon(stay, keep) : -1;
}

TD_EXPORT int forkpty(int *out, char *name, const struct termios *term, const struct winsize *size)
{
	return may_fork("forkpty()") ? next.forkpty(out, name, term, size) : -1;
}
