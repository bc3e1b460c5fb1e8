/* Calls whose arguments are small: names of files, structures to be filled, lists to wait for. What
 * of them is paged is touched first, and again where it left before the kernel got to it. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "calls.h"
#include "next.h"

#define TRIES 100

static bool is_on(void)
{
	return !td_preload_off() && td_preload_settings.helps;
}

/* Every page of it, for writing if fill. Was there anything to do? */
static unsigned touch(const void *p, size_t bytes, bool fill)
{
	uintptr_t at = (uintptr_t)p, end = at + bytes;

	if (!td_calls_mine(p, bytes))
		return 0;
	for (; at < end; at = (at / TD_OS_PAGE + 1) * TD_OS_PAGE) {
		if (fill)
			__atomic_fetch_or((char *)at, 0, __ATOMIC_RELAXED);
		else
			(void)*(volatile const char *)at;
	}
	return 1;
}

/* To measure it is to touch it. */
static unsigned touch_name(const char *name)
{
	return td_preload_paged(name) ? touch(name, strlen(name) + 1, false) : 0;
}

static unsigned touch_list(char *const *list)
{
	unsigned any = touch(list, sizeof *list, false);

	for (; list && *list; list++)
		any |= touch_name(*list) | touch(list + 1, sizeof *list, false);
	return any;
}

/* failed: what the call gives where it fails. */
#define HELPED(type, name, params, args, failed, touched) \
	TD_EXPORT type name params \
	{ \
		type rc = failed; \
		if (!is_on()) \
			return next.name args; \
		for (int i = 0; i < TRIES; i++) { \
			unsigned any = touched; \
			rc = next.name args; \
			if (!any || rc != (failed) || errno != EFAULT) \
				break; \
		} \
		return rc; \
	}

/* ---- names ---- */

static int open_helped(int folder, const char *name, int flags, mode_t mode)
{
	int rc = -1;

	for (int i = 0; i < TRIES; i++) {
		unsigned any = is_on() ? touch_name(name) : 0;
		rc = next.openat(folder, name, flags, mode);
		if (!any || rc != -1 || errno != EFAULT)
			break;
	}
	return rc;
}

#define OPENS(name, folder, ...) \
	TD_EXPORT int name(__VA_ARGS__ const char *path, int flags, ...) \
	{ \
		va_list args; \
		mode_t mode; \
		va_start(args, flags); \
		mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0; \
		va_end(args); \
		return open_helped(folder, path, flags, mode); \
	}
#define NOTHING
#define FOLDER int folder,
OPENS(open, AT_FDCWD, NOTHING)
OPENS(open64, AT_FDCWD, NOTHING)
OPENS(openat, folder, FOLDER)
OPENS(openat64, folder, FOLDER)

HELPED(FILE *, fopen, (const char *name, const char *mode), (name, mode), NULL, touch_name(name))
HELPED(FILE *, fopen64, (const char *name, const char *mode), (name, mode), NULL, touch_name(name))
HELPED(DIR *, opendir, (const char *name), (name), NULL, touch_name(name))
HELPED(int, access, (const char *name, int how), (name, how), -1, touch_name(name))
HELPED(int, faccessat, (int at, const char *name, int how, int flags), (at, name, how, flags), -1,
       touch_name(name))
HELPED(int, unlink, (const char *name), (name), -1, touch_name(name))
HELPED(int, unlinkat, (int at, const char *name, int flags), (at, name, flags), -1,
       touch_name(name))
HELPED(int, mkdir, (const char *name, mode_t mode), (name, mode), -1, touch_name(name))
HELPED(int, rmdir, (const char *name), (name), -1, touch_name(name))
HELPED(int, chdir, (const char *name), (name), -1, touch_name(name))
HELPED(int, rename, (const char *from, const char *to), (from, to), -1,
       touch_name(from) | touch_name(to))
HELPED(ssize_t, readlink, (const char *name, char *to, size_t bytes), (name, to, bytes), -1,
       touch_name(name) | touch(to, bytes, true))
HELPED(ssize_t, readlinkat, (int at, const char *name, char *to, size_t bytes),
       (at, name, to, bytes), -1, touch_name(name) | touch(to, bytes, true))
HELPED(char *, getcwd, (char *to, size_t bytes), (to, bytes), NULL, touch(to, bytes, true))

/* ---- structures ---- */

HELPED(int, stat, (const char *name, struct stat *st), (name, st), -1,
       touch_name(name) | touch(st, sizeof *st, true))
HELPED(int, stat64, (const char *name, struct stat64 *st), (name, st), -1,
       touch_name(name) | touch(st, sizeof *st, true))
HELPED(int, lstat, (const char *name, struct stat *st), (name, st), -1,
       touch_name(name) | touch(st, sizeof *st, true))
HELPED(int, lstat64, (const char *name, struct stat64 *st), (name, st), -1,
       touch_name(name) | touch(st, sizeof *st, true))
HELPED(int, fstat, (int fd, struct stat *st), (fd, st), -1, touch(st, sizeof *st, true))
HELPED(int, fstat64, (int fd, struct stat64 *st), (fd, st), -1, touch(st, sizeof *st, true))
HELPED(int, fstatat, (int at, const char *name, struct stat *st, int flags), (at, name, st, flags),
       -1, touch_name(name) | touch(st, sizeof *st, true))
HELPED(int, fstatat64, (int at, const char *name, struct stat64 *st, int flags),
       (at, name, st, flags), -1, touch_name(name) | touch(st, sizeof *st, true))

/* ---- lists ---- */

HELPED(int, poll, (struct pollfd * list, nfds_t n, int ms), (list, n, ms), -1,
       touch(list, n * sizeof *list, true))
HELPED(int, epoll_wait, (int fd, struct epoll_event *list, int n, int ms), (fd, list, n, ms), -1,
       touch(list, (size_t)(n > 0 ? n : 0) * sizeof *list, true))
HELPED(int, execve, (const char *name, char *const list[], char *const environment[]),
       (name, list, environment), -1, touch_name(name) | touch_list(list) | touch_list(environment))
HELPED(int, execv, (const char *name, char *const list[]), (name, list), -1,
       touch_name(name) | touch_list(list) | touch_list(environ))
HELPED(int, execvp, (const char *name, char *const list[]), (name, list), -1,
       touch_name(name) | touch_list(list) | touch_list(environ))
