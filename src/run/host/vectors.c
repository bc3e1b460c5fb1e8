/* readv() and its family: one call each, where its data is little or a message, since others may
 * read and write between two. */
#include <errno.h>
#include <limits.h>

#include "calls.h"
#include "next.h"

static bool any_mine(int fd, const struct iovec *v, int n)
{
	if (td_preload_off() || n < 0 || n > IOV_MAX)
		return false;
	if (td_calls_mine(v, (size_t)n * sizeof *v))
		return true;
	for (int i = 0; i < n; i++)
		if (td_calls_takes(fd, v[i].iov_base, v[i].iov_len))
			return true;
	return false;
}

static ssize_t run(struct td_call c, const struct iovec *v, int n)
{
	td_call_look(&c);
	return td_call_run(&c, v, (size_t)n);
}

TD_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	if (!any_mine(fd, v, n))
		return next.readv(fd, v, n);
	return run((struct td_call){.run = td_call_read, .fd = fd}, v, n);
}

TD_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	if (!any_mine(fd, v, n))
		return next.writev(fd, v, n);
	return run((struct td_call){.run = td_call_write, .fd = fd, .write = true}, v, n);
}

TD_EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t offset)
{
	if (!any_mine(fd, v, n))
		return next.preadv(fd, v, n, offset);
	return run((struct td_call){.run = td_call_pread, .fd = fd, .offset = offset}, v, n);
}

TD_EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t offset)
{
	struct td_call c = {.run = td_call_pwrite, .fd = fd, .offset = offset, .write = true};

	return any_mine(fd, v, n) ? run(c, v, n) : next.pwritev(fd, v, n, offset);
}

TD_EXPORT ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t offset)
{
	return preadv(fd, v, n, offset);
}

TD_EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t offset)
{
	return pwritev(fd, v, n, offset);
}
