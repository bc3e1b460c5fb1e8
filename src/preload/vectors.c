/* readv() and its family: as so many single calls, which is what they are but for messages. */
#include <errno.h>
#include <limits.h>

#include "calls.h"
#include "next.h"

static bool any_mine(const struct iovec *v, int n)
{
	if (td_preload_off() || !td_preload_settings.helps || n < 0 || n > IOV_MAX)
		return false;
	if (td_calls_mine(v, (size_t)n * sizeof *v))
		return true;
	for (int i = 0; i < n; i++)
		if (td_calls_mine(v[i].iov_base, v[i].iov_len))
			return true;
	return false;
}

typedef ssize_t one_call(int fd, void *data, size_t bytes, off_t offset);

static ssize_t one_read(int fd, void *data, size_t bytes, off_t offset)
{
	(void)offset;
	return read(fd, data, bytes);
}

static ssize_t one_write(int fd, void *data, size_t bytes, off_t offset)
{
	(void)offset;
	return write(fd, data, bytes);
}

static ssize_t one_pwrite(int fd, void *data, size_t bytes, off_t offset)
{
	return pwrite(fd, data, bytes, offset);
}

static ssize_t each(one_call *call, int fd, const struct iovec *v, int n, off_t offset)
{
	ssize_t done = 0;

	for (int i = 0; i < n; i++) {
		ssize_t got =
			v[i].iov_len ? call(fd, v[i].iov_base, v[i].iov_len, offset + done) : 0;
		if (got < 0)
			return done ? done : got;
		done += got;
		if ((size_t)got < v[i].iov_len)
			break;
	}
	return done;
}

TD_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	return any_mine(v, n) ? each(one_read, fd, v, n, 0) : next.readv(fd, v, n);
}

TD_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	return any_mine(v, n) ? each(one_write, fd, v, n, 0) : next.writev(fd, v, n);
}

TD_EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t offset)
{
	return any_mine(v, n) ? each(pread, fd, v, n, offset) : next.preadv(fd, v, n, offset);
}

TD_EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t offset)
{
	return any_mine(v, n) ? each(one_pwrite, fd, v, n, offset) : next.pwritev(fd, v, n, offset);
}

TD_EXPORT ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t offset)
{
	return preadv(fd, v, n, offset);
}

TD_EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t offset)
{
	return pwritev(fd, v, n, offset);
}
