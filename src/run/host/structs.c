/* Calls that fill or read one small structure, or a few. Some of them have done their work before
 * the kernel writes the structure, and cannot be repeated: a child is gone after waitpid(). So the
 * kernel gets a copy, on the stack. */
#include <stdarg.h>

#include "helped.h"

/* `use` is what the kernel gets for `at`. */
#define COPIED(type, name, params, args, at) \
	TD_EXPORT type name params \
	{ \
		__typeof__(*(at)) room, *use = td_helped_in(at, &room, sizeof room); \
		type rc = next.name args; \
		td_helped_out(at, &room, use, sizeof room); \
		return rc; \
	}
#define READ_ONLY(type, name, params, args, at) \
	TD_EXPORT type name params \
	{ \
		__typeof__(*(at)) room; \
		const __typeof__(*(at)) *use = td_helped_in(at, (void *)&room, sizeof room); \
		return next.name args; \
	}

/* ---- processes ---- */

COPIED(pid_t, wait, (int *status), (use), status)
COPIED(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, use, flags), status)
COPIED(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int flags), (type, id, use, flags),
       info)
COPIED(int, uname, (struct utsname * to), (use), to)
COPIED(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, use), to)
COPIED(int, getrlimit64, (__rlimit_resource_t what, struct rlimit64 *to), (what, use), to)
COPIED(int, getrusage, (__rusage_who_t who, struct rusage *to), (who, use), to)
COPIED(clock_t, times, (struct tms * to), (use), to)

TD_EXPORT pid_t wait4(pid_t pid, int *status, int flags, struct rusage *usage)
{
	struct rusage usage_room, *used = td_helped_in(usage, &usage_room, sizeof usage_room);
	int room, *use = td_helped_in(status, &room, sizeof room);
	pid_t rc = next.wait4(pid, use, flags, used);

	td_helped_out(status, &room, use, sizeof room);
	td_helped_out(usage, &usage_room, used, sizeof usage_room);
	return rc;
}

/* ---- time ---- */

TD_EXPORT int nanosleep(const struct timespec *time, struct timespec *rest)
{
	struct timespec time_room, room, *use = td_helped_in(rest, &room, sizeof room);
	int rc = next.nanosleep(td_helped_in(time, &time_room, sizeof time_room), use);

	td_helped_out(rest, &room, use, sizeof room);
	return rc;
}

/* ---- files ---- */

/* Two numbers. */
struct pair {
	int at[2];
};

static int out_pair(int rc, int *to, const struct pair *room, const void *used)
{
	if (!rc)
		td_helped_out(to, room, used, sizeof *room);
	return rc;
}

TD_EXPORT int pipe(int ends[2])
{
	struct pair room, *use = td_helped_in(ends, &room, sizeof room);

	return out_pair(next.pipe(use->at), ends, &room, use);
}

TD_EXPORT int pipe2(int ends[2], int flags)
{
	struct pair room, *use = td_helped_in(ends, &room, sizeof room);

	return out_pair(next.pipe2(use->at, flags), ends, &room, use);
}

TD_EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
	struct pair room, *use = td_helped_in(ends, &room, sizeof room);

	return out_pair(next.socketpair(domain, type, protocol, use->at), ends, &room, use);
}

COPIED(ssize_t, sendfile, (int to, int from, off_t *at, size_t bytes), (to, from, use, bytes), at)
COPIED(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t bytes), (to, from, use, bytes),
       at)
READ_ONLY(int, epoll_ctl, (int fd, int what, int which, struct epoll_event *event),
	  (fd, what, which, (struct epoll_event *)(uintptr_t)use), event)

TD_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *time)
{
	fd_set rooms[3], *sets[3] = {in, out, except}, *use[3];
	size_t bytes = n > 0 && n <= FD_SETSIZE ? ((size_t)n + 63) / 64 * 8 : 0;
	struct timeval room, *used = td_helped_in(time, &room, sizeof room);
	int rc;

	for (int i = 0; i < 3; i++)
		use[i] = td_helped_in(sets[i], &rooms[i], bytes);
	rc = next.select(n, use[0], use[1], use[2], used);
	for (int i = 0; i < 3; i++)
		td_helped_out(sets[i], &rooms[i], use[i], bytes);
	td_helped_out(time, &room, used, sizeof room);
	return rc;
}

/* What the argument is only the device knows. Its size is in the request, or is a page's rest. */
TD_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	for (int i = 0;; i++) {
		unsigned any = td_helped_on() && td_preload_paged(arg)
				       ? td_helped_touch(arg, _IOC_SIZE(request) | 1, true)
				       : 0;
		rc = next.ioctl(fd, request, arg);
		if (!any || rc != -1 || errno != EFAULT || i == TD_HELPED_TRIES)
			return rc;
	}
}
