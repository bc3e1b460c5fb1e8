/* Messages go through one buffer, whole: a datagram cannot come or go in pieces. */
#include <errno.h>
#include <string.h>

#include "calls.h"
#include "next.h"
#include "own.h"

struct socket_call {
	struct td_call call;
	struct sockaddr *from;
	const struct sockaddr *to;
	socklen_t *from_len, to_len;
};

bool td_call_is_stream(int fd)
{
	socklen_t len = sizeof(int);
	int type = SOCK_STREAM;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) || type == SOCK_STREAM;
}

static ssize_t run_recvfrom(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	const struct socket_call *s = (const struct socket_call *)(const void *)c;

	(void)done;
	return next.recvfrom(c->fd, data, bytes, c->flags, s->from, s->from_len);
}

static ssize_t run_sendto(const struct td_call *c, void *data, size_t bytes, size_t done)
{
	const struct socket_call *s = (const struct socket_call *)(const void *)c;

	(void)done;
	return next.sendto(c->fd, data, bytes, c->flags, s->to, s->to_len);
}

/* What is only looked at is looked at once: it would be the same again. */
static bool is_whole(int fd, int flags)
{
	return (flags & (MSG_PEEK | MSG_OOB)) || !td_call_is_stream(fd);
}

TD_EXPORT ssize_t recvfrom(int fd, void *data, size_t bytes, int flags, struct sockaddr *from,
			   socklen_t *len)
{
	if (!td_calls_mine(data, bytes))
		return next.recvfrom(fd, data, bytes, flags, from, len);
	struct iovec one = {data, bytes};
	struct socket_call s = {{.run = run_recvfrom,
				 .fd = fd,
				 .flags = flags,
				 .all = (flags & MSG_WAITALL) != 0,
				 .whole = is_whole(fd, flags)},
				from,
				NULL,
				len,
				0};
	return td_call_run(&s.call, &one, 1);
}

TD_EXPORT ssize_t sendto(int fd, const void *data, size_t bytes, int flags,
			 const struct sockaddr *to, socklen_t len)
{
	if (!td_calls_mine(data, bytes))
		return next.sendto(fd, data, bytes, flags, to, len);
	struct iovec one = {(void *)(uintptr_t)data, bytes};
	struct socket_call s = {{.run = run_sendto,
				 .fd = fd,
				 .flags = flags,
				 .write = true,
				 .all = true,
				 .whole = is_whole(fd, flags)},
				NULL,
				to,
				NULL,
				len};
	return td_call_run(&s.call, &one, 1);
}

TD_EXPORT ssize_t recv(int fd, void *data, size_t bytes, int flags)
{
	if (!td_calls_mine(data, bytes))
		return next.recv(fd, data, bytes, flags);
	return recvfrom(fd, data, bytes, flags, NULL, NULL);
}

TD_EXPORT ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	if (!td_calls_mine(data, bytes))
		return next.send(fd, data, bytes, flags);
	return sendto(fd, data, bytes, flags, NULL, 0);
}

/* ---- recvmsg, sendmsg ---- */

static bool any_mine(const struct msghdr *m)
{
	if (td_preload_off() || !td_preload_settings.helps)
		return false;
	for (size_t i = 0; i < m->msg_iovlen; i++)
		if (td_calls_mine(m->msg_iov[i].iov_base, m->msg_iov[i].iov_len))
			return true;
	return false;
}

static size_t total(const struct msghdr *m)
{
	size_t bytes = 0;

	for (size_t i = 0; i < m->msg_iovlen; i++)
		bytes += m->msg_iov[i].iov_len;
	return bytes;
}

/* A copy of the message whose data is one block. */
static char *bounce(const struct msghdr *m, size_t bytes, struct msghdr *copy, struct iovec *one)
{
	*one = (struct iovec){td_own_take(bytes, 1), bytes};
	*copy = *m;
	copy->msg_iov = one;
	copy->msg_iovlen = 1;
	if (!one->iov_base)
		errno = ENOMEM;
	return one->iov_base;
}

static void free_block(void *block)
{
	td_own_give(block);
}

/* Of a stream a few pages are enough, unless all of it was asked for. */
static size_t to_receive(int fd, const struct msghdr *m, int flags)
{
	size_t bytes = total(m);
	bool few = bytes > TD_BOUNCE_BYTES && !(flags & MSG_WAITALL) && td_call_is_stream(fd);

	return few ? TD_BOUNCE_BYTES : bytes;
}

TD_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	struct msghdr copy;
	struct iovec one, *parts = m->msg_iov;
	size_t parts_n = m->msg_iovlen;
	ssize_t n;

	if (!any_mine(m))
		return next.recvmsg(fd, m, flags);
	if (!bounce(m, to_receive(fd, m, flags), &copy, &one))
		return -1;
	pthread_cleanup_push(free_block, one.iov_base);
	n = next.recvmsg(fd, &copy, flags);
	if (n >= 0) {
		*m = copy;
		m->msg_iov = parts;
		m->msg_iovlen = parts_n;
		td_call_copy(parts, parts_n, 0, one.iov_base,
			     (size_t)n < one.iov_len ? (size_t)n : one.iov_len, false);
	}
	pthread_cleanup_pop(1);
	return n;
}

TD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct msghdr copy;
	struct iovec one;
	ssize_t n;

	if (!any_mine(m))
		return next.sendmsg(fd, m, flags);
	if (!bounce(m, total(m), &copy, &one))
		return -1;
	pthread_cleanup_push(free_block, one.iov_base);
	td_call_copy(m->msg_iov, m->msg_iovlen, 0, one.iov_base, one.iov_len, true);
	n = next.sendmsg(fd, &copy, flags);
	pthread_cleanup_pop(1);
	return n;
}

/* As in calls.c. */
TD_EXPORT ssize_t __recv_chk(int fd, void *data, size_t bytes, size_t room, int flags);
TD_EXPORT ssize_t __recvfrom_chk(int fd, void *data, size_t bytes, size_t room, int flags,
				 struct sockaddr *from, socklen_t *len);

TD_EXPORT ssize_t __recv_chk(int fd, void *data, size_t bytes, size_t room, int flags)
{
	if (bytes > room)
		abort();
	return recv(fd, data, bytes, flags);
}

TD_EXPORT ssize_t __recvfrom_chk(int fd, void *data, size_t bytes, size_t room, int flags,
				 struct sockaddr *from, socklen_t *len)
{
	if (bytes > room)
		abort();
	return recvfrom(fd, data, bytes, flags, from, len);
}
