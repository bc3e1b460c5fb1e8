#include "calls.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "next.h"

/* Buffers to be filled look unset to a compiler that knows what read() is for. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* ---- one buffer ---- */

static ssize_t by_bounce(const struct td_call *c, char *data, size_t bytes, size_t done, char *room)
{
	ssize_t n;

	if (c->write)
		memcpy(room, data, bytes);
	n = c->run(c, room, bytes, done);
	if (!c->write && n > 0)
		memcpy(data, room, (size_t)n);
	return n;
}

static ssize_t by_stack(const struct td_call *c, char *data, size_t bytes, size_t done)
{
	_Alignas(4096) char room[TD_BOUNCE_BYTES]; /* aligned: the file may want it */

	return by_bounce(c, data, bytes, done, room);
}

static ssize_t by_heap(const struct td_call *c, char *data, size_t bytes)
{
	char *room = next.malloc(bytes);
	ssize_t n;

	if (!room) {
		errno = ENOMEM;
		return -1;
	}
	n = by_bounce(c, data, bytes, 0, room);
	next.free(room);
	return n;
}

static ssize_t by_hold(const struct td_call *c, char *data, size_t bytes, size_t done)
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

/* Would it come without waiting? Of a file always. Others may have given all they had, and a short
 * count is right for them. */
static bool has_more(const struct td_call *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN};

	return c->all || (poll(&p, 1, 0) == 1 && (p.revents & POLLIN));
}

/* Piece by piece, to the first that is short. One that is held may be short because it was not all
 * there after all: then a buffer has the last word. */
ssize_t td_call_run(const struct td_call *c, void *data, size_t bytes)
{
	size_t done = 0;
	bool hold = true;

	if (c->whole && bytes > TD_BOUNCE_BYTES)
		return by_heap(c, data, bytes);
	while (done < bytes) {
		char *at = (char *)data + done;
		size_t rest = bytes - done, most = rest < TD_BOUNCE_BYTES ? rest : TD_BOUNCE_BYTES;
		bool held = hold && rest > TD_BOUNCE_BYTES;
		ssize_t n = held ? by_hold(c, at, rest, done) : by_stack(c, at, most, done);
		hold = n >= (ssize_t)most;
		if (n < 0 && !(held && errno == EFAULT))
			return done ? (ssize_t)done : n;
		done += n > 0 ? (size_t)n : 0;
		if ((!held && (size_t)n < most) || (done && done < bytes && !has_more(c)))
			break;
	}
	return (ssize_t)done;
}

/* ---- files ---- */

static ssize_t run_read(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	(void)done;
	return next.read(c->fd, data, bytes);
}

static ssize_t run_write(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	(void)done;
	return next.write(c->fd, data, bytes);
}

static ssize_t run_pread(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	return next.pread(c->fd, data, bytes, c->offset + (off_t)done);
}

static ssize_t run_pwrite(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	return next.pwrite(c->fd, data, bytes, c->offset + (off_t)done);
}

/* Its messages are whole. */
static bool is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

TD_EXPORT ssize_t read(int fd, void *data, size_t bytes)
{
	if (!td_calls_mine(data, bytes))
		return next.read(fd, data, bytes);
	if (is_socket(fd))
		return recv(fd, data, bytes, 0);
	struct td_call c = {.run = run_read, .fd = fd};
	return td_call_run(&c, data, bytes);
}

/* A writer waits until everything is written, or would not at all. */
TD_EXPORT ssize_t write(int fd, const void *data, size_t bytes)
{
	if (!td_calls_mine(data, bytes))
		return next.write(fd, data, bytes);
	if (is_socket(fd))
		return send(fd, data, bytes, 0);
	struct td_call c = {.run = run_write, .fd = fd, .write = true, .all = true};
	return td_call_run(&c, (void *)(uintptr_t)data, bytes);
}

TD_EXPORT ssize_t pread(int fd, void *data, size_t bytes, off_t offset)
{
	if (!td_calls_mine(data, bytes))
		return next.pread(fd, data, bytes, offset);
	struct td_call c = {.run = run_pread, .fd = fd, .offset = offset, .all = true};
	return td_call_run(&c, data, bytes);
}

TD_EXPORT ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
	if (!td_calls_mine(data, bytes))
		return next.pwrite(fd, data, bytes, offset);
	struct td_call c = {
		.run = run_pwrite, .fd = fd, .offset = offset, .write = true, .all = true};
	return td_call_run(&c, (void *)(uintptr_t)data, bytes);
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
	return td_call_run(&c, data, bytes);
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
