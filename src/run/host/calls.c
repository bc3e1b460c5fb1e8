#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "next.h"
#include "own.h"

/* Buffers to be filled look unset to a compiler that knows what read() is for. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* ---- one buffer ---- */

void td_call_copy(const struct iovec *parts, size_t n, size_t skip, char *block, size_t bytes,
		  bool to_block)
{
	for (size_t i = 0; i < n && bytes; i++) {
		size_t len = parts[i].iov_len;
		if (skip >= len) {
			skip -= len;
			continue;
		}
		char *at = (char *)parts[i].iov_base + skip;
		len = len - skip < bytes ? len - skip : bytes;
		memcpy(to_block ? block : at, to_block ? at : block, len);
		skip = 0;
		block += len;
		bytes -= len;
	}
}

/* Some of the parts, through a block. What came may be said to be more than was asked for, where a
 * message was cut. */
struct piece {
	const struct td_call *call;
	const struct iovec *parts;
	size_t n, done, bytes;
};

static ssize_t by_block(const struct piece *p, char *block)
{
	const struct td_call *c = p->call;
	ssize_t n;

	if (c->write)
		td_call_copy(p->parts, p->n, p->done, block, p->bytes, true);
	n = c->run(c, block, p->bytes, p->done);
	if (!c->write && n > 0)
		td_call_copy(p->parts, p->n, p->done, block,
			     (size_t)n < p->bytes ? (size_t)n : p->bytes, false);
	return n;
}

/* For a handler on a stack of its own, which is small. */
#define LITTLE_BYTES 512

__attribute__((noinline)) static ssize_t by_little(const struct piece *p)
{
	char block[LITTLE_BYTES];

	return by_block(p, block);
}

__attribute__((noinline)) static ssize_t by_stack(const struct piece *p)
{
	_Alignas(4096) char block[TD_BOUNCE_BYTES]; /* aligned: the file may want it */

	return by_block(p, block);
}

static void free_block(void *block)
{
	td_own_give(block);
}

static ssize_t by_heap(const struct piece *p)
{
	char *block = td_own_take(p->bytes, 1);
	ssize_t n;

	if (!block) {
		errno = ENOMEM;
		return -1;
	}
	pthread_cleanup_push(free_block, block); /* the thread may end while it waits */
	n = by_block(p, block);
	pthread_cleanup_pop(1);
	return n;
}

static ssize_t hold_and_run(const struct td_call *c, char *data, size_t bytes, size_t done)
{
	size_t held = 0;
	ssize_t n = -1;
	int saved = EFAULT;

	td_preload_inside++;
	if (tide_hold(td_preload_tide, data, bytes, !c->write, &held, NULL) == 0 && held) {
		n = c->run(c, data, held < bytes ? held : bytes, done);
		saved = errno;
		tide_release(td_preload_tide, data, held);
	}
	td_preload_inside--;
	errno = saved;
	return n;
}

/* Neither a handler that jumps nor a thread that is cancelled may leave memory held. */
static ssize_t by_hold(const struct td_call *c, char *data, size_t bytes, size_t done)
{
	sigset_t others, saved;
	ssize_t n;
	int cancel;

	pthread_testcancel();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sigfillset(&others);
	sigdelset(&others, SIGBUS);
	sigdelset(&others, SIGSEGV);
	next.pthread_sigmask(SIG_BLOCK, &others, &saved);
	n = hold_and_run(c, data, bytes, done);
	next.pthread_sigmask(SIG_SETMASK, &saved, NULL);
	pthread_setcancelstate(cancel, NULL);
	return n;
}

static bool goes_on(const struct td_call *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN};

	return c->all || (c->ready && poll(&p, 1, 0) == 1 && (p.revents & POLLIN));
}

/* Piece by piece, to the first that is short. One that is held may be short because it was not all
 * there after all: then a block has the last word. */
ssize_t td_call_run(const struct td_call *c, const struct iovec *parts, size_t n)
{
	size_t done = 0, bytes = 0;
	bool hold = c->stored && n == 1;

	for (size_t i = 0; i < n; i++)
		bytes += parts[i].iov_len;
	if (c->whole && bytes > TD_BOUNCE_BYTES)
		return by_heap(&(struct piece){c, parts, n, 0, bytes});
	do {
		size_t rest = bytes - done, most = rest < TD_BOUNCE_BYTES ? rest : TD_BOUNCE_BYTES;
		struct piece piece = {c, parts, n, done, most};
		bool held = hold && rest > TD_BOUNCE_BYTES;
		ssize_t got = held ? by_hold(c, (char *)parts->iov_base + done, rest, done)
			      : most <= LITTLE_BYTES ? by_little(&piece)
						     : by_stack(&piece);
		if (got < 0 && !(held && errno == EFAULT))
			return done ? (ssize_t)done : got;
		hold = hold && got >= (ssize_t)most;
		done += got > 0 ? (size_t)got : 0;
		if (!held && (size_t)got < most)
			break;
	} while (done < bytes && (!done || goes_on(c)));
	return (ssize_t)done;
}

/* ---- files ---- */

ssize_t td_call_read(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	(void)done;
	return next.read(c->fd, data, bytes);
}

ssize_t td_call_write(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	(void)done;
	return next.write(c->fd, data, bytes);
}

ssize_t td_call_pread(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	return next.pread(c->fd, data, bytes, c->offset + (off_t)done);
}

ssize_t td_call_pwrite(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	return next.pwrite(c->fd, data, bytes, c->offset + (off_t)done);
}

bool td_calls_direct(int fd, const void *p, size_t bytes)
{
	int flags;

	if (td_preload_off() || bytes < 512) /* what a disk has at least */
		return false;
	flags = fcntl(fd, F_GETFL);
	return flags >= 0 && (flags & O_DIRECT) && td_calls_paged(p, bytes);
}

void td_call_look(struct td_call *c)
{
	struct stat st;
	int type = fstat(c->fd, &st) == 0 ? (int)(st.st_mode & S_IFMT) : 0;

	c->stored = type == S_IFREG || type == S_IFBLK;
	c->ready = type == S_IFCHR;
	c->all = c->write || c->stored;
	/* Its messages are whole. */
	c->whole = type == S_IFSOCK && !td_call_is_stream(c->fd);
}

static ssize_t run(struct td_call c, const void *data, size_t bytes)
{
	struct iovec one = {(void *)(uintptr_t)data, bytes};

	td_call_look(&c);
	return td_call_run(&c, &one, 1);
}

TD_EXPORT ssize_t read(int fd, void *data, size_t bytes)
{
	if (!td_calls_takes(fd, data, bytes))
		return next.read(fd, data, bytes);
	return run((struct td_call){.run = td_call_read, .fd = fd}, data, bytes);
}

/* A writer waits until everything is written, or would not at all. */
TD_EXPORT ssize_t write(int fd, const void *data, size_t bytes)
{
	if (!td_calls_takes(fd, data, bytes))
		return next.write(fd, data, bytes);
	return run((struct td_call){.run = td_call_write, .fd = fd, .write = true}, data, bytes);
}

TD_EXPORT ssize_t pread(int fd, void *data, size_t bytes, off_t offset)
{
	if (!td_calls_takes(fd, data, bytes))
		return next.pread(fd, data, bytes, offset);
	return run((struct td_call){.run = td_call_pread, .fd = fd, .offset = offset}, data, bytes);
}

TD_EXPORT ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
	if (!td_calls_takes(fd, data, bytes))
		return next.pwrite(fd, data, bytes, offset);
	return run(
		(struct td_call){.run = td_call_pwrite, .fd = fd, .offset = offset, .write = true},
		data, bytes);
}

TD_EXPORT ssize_t pread64(int fd, void *data, size_t bytes, off64_t offset)
{
	return pread(fd, data, bytes, offset);
}

TD_EXPORT ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset)
{
	return pwrite(fd, data, bytes, offset);
}

/* ---- random numbers ---- */

static ssize_t run_random(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	(void)done;
	return next.getrandom(data, bytes, (unsigned)c->flags);
}

TD_EXPORT ssize_t getrandom(void *data, size_t bytes, unsigned flags)
{
	if (!td_calls_mine(data, bytes))
		return next.getrandom(data, bytes, flags);
	struct td_call c = {.run = run_random, .flags = (int)flags, .all = true};
	struct iovec one = {data, bytes};
	return td_call_run(&c, &one, 1);
}

TD_EXPORT int getentropy(void *data, size_t bytes)
{
	char room[256];

	if (bytes > sizeof room || !td_calls_mine(data, bytes))
		return next.getentropy(data, bytes);
	if (next.getentropy(room, bytes))
		return -1;
	memcpy(data, room, bytes);
	return 0;
}

/* What the compiler calls where it knows the size of the buffer: it must be large enough. */
TD_EXPORT ssize_t __read_chk(int fd, void *data, size_t bytes, size_t room);
TD_EXPORT ssize_t __pread_chk(int fd, void *data, size_t bytes, off_t offset, size_t room);
TD_EXPORT ssize_t __pread64_chk(int fd, void *data, size_t bytes, off64_t offset, size_t room);

TD_EXPORT ssize_t __read_chk(int fd, void *data, size_t bytes, size_t room)
{
	if (bytes > room)
		abort();
	return read(fd, data, bytes);
}

TD_EXPORT ssize_t __pread_chk(int fd, void *data, size_t bytes, off_t offset, size_t room)
{
	if (bytes > room)
		abort();
	return pread(fd, data, bytes, offset);
}

TD_EXPORT ssize_t __pread64_chk(int fd, void *data, size_t bytes, off64_t offset, size_t room)
{
	return __pread_chk(fd, data, bytes, offset, room);
}
