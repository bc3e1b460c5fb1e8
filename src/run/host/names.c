/* Calls whose arguments are small: names of files, structures to be filled, lists to wait for. What
 * of them is paged is touched first, and again where it left before the kernel got to it. */
#include <stdarg.h>

#include "helped.h"

static unsigned touch_list(char *const *list)
{
	unsigned any = td_helped_touch(list, sizeof *list, false);

	for (; list && *list; list++)
		any |= td_helped_name(*list) | td_helped_touch(list + 1, sizeof *list, false);
	return any;
}

/* ---- names ---- */

static int open_helped(int folder, const char *name, int flags, mode_t mode)
{
	int rc = -1;

	for (int i = 0; i < TD_HELPED_TRIES; i++) {
		unsigned any = td_helped_on() ? td_helped_name(name) : 0;
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

TD_HELPED(FILE *, fopen, (const char *name, const char *mode), (name, mode), NULL,
	  td_helped_name(name))
TD_HELPED(FILE *, fopen64, (const char *name, const char *mode), (name, mode), NULL,
	  td_helped_name(name))
TD_HELPED(DIR *, opendir, (const char *name), (name), NULL, td_helped_name(name))
TD_HELPED(int, access, (const char *name, int how), (name, how), -1, td_helped_name(name))
TD_HELPED(int, faccessat, (int at, const char *name, int how, int flags), (at, name, how, flags),
	  -1, td_helped_name(name))
TD_HELPED(int, unlink, (const char *name), (name), -1, td_helped_name(name))
TD_HELPED(int, unlinkat, (int at, const char *name, int flags), (at, name, flags), -1,
	  td_helped_name(name))
TD_HELPED(int, mkdir, (const char *name, mode_t mode), (name, mode), -1, td_helped_name(name))
TD_HELPED(int, rmdir, (const char *name), (name), -1, td_helped_name(name))
TD_HELPED(int, chdir, (const char *name), (name), -1, td_helped_name(name))
TD_HELPED(int, rename, (const char *from, const char *to), (from, to), -1,
	  td_helped_name(from) | td_helped_name(to))
TD_HELPED(int, link, (const char *from, const char *to), (from, to), -1,
	  td_helped_name(from) | td_helped_name(to))
TD_HELPED(int, symlink, (const char *from, const char *to), (from, to), -1,
	  td_helped_name(from) | td_helped_name(to))
TD_HELPED(int, renameat, (int at, const char *from, int there, const char *to),
	  (at, from, there, to), -1, td_helped_name(from) | td_helped_name(to))
TD_HELPED(int, remove, (const char *name), (name), -1, td_helped_name(name))
TD_HELPED(int, mkdirat, (int at, const char *name, mode_t mode), (at, name, mode), -1,
	  td_helped_name(name))
TD_HELPED(int, chmod, (const char *name, mode_t mode), (name, mode), -1, td_helped_name(name))
TD_HELPED(int, chown, (const char *name, uid_t user, gid_t group), (name, user, group), -1,
	  td_helped_name(name))
TD_HELPED(int, lchown, (const char *name, uid_t user, gid_t group), (name, user, group), -1,
	  td_helped_name(name))
TD_HELPED(int, truncate, (const char *name, off_t bytes), (name, bytes), -1, td_helped_name(name))
TD_HELPED(int, truncate64, (const char *name, off64_t bytes), (name, bytes), -1,
	  td_helped_name(name))
TD_HELPED(int, utimensat, (int at, const char *name, const struct timespec times[2], int flags),
	  (at, name, times, flags), -1,
	  td_helped_name(name) | td_helped_touch(times, 2 * sizeof *times, false))
TD_HELPED(char *, realpath, (const char *restrict name, char *restrict to), (name, to), NULL,
	  td_helped_name(name))
TD_HELPED(ssize_t, readlink, (const char *name, char *to, size_t bytes), (name, to, bytes), -1,
	  td_helped_name(name) | td_helped_touch(to, bytes, true))
TD_HELPED(ssize_t, readlinkat, (int at, const char *name, char *to, size_t bytes),
	  (at, name, to, bytes), -1, td_helped_name(name) | td_helped_touch(to, bytes, true))
TD_HELPED(char *, getcwd, (char *to, size_t bytes), (to, bytes), NULL,
	  td_helped_touch(to, bytes, true))

/* ---- structures ---- */

TD_HELPED(int, stat, (const char *name, struct stat *st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, stat64, (const char *name, struct stat64 *st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, lstat, (const char *name, struct stat *st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, lstat64, (const char *name, struct stat64 *st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, fstat, (int fd, struct stat *st), (fd, st), -1,
	  td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, fstat64, (int fd, struct stat64 *st), (fd, st), -1,
	  td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, fstatat, (int at, const char *name, struct stat *st, int flags),
	  (at, name, st, flags), -1, td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, fstatat64, (int at, const char *name, struct stat64 *st, int flags),
	  (at, name, st, flags), -1, td_helped_name(name) | td_helped_touch(st, sizeof *st, true))

TD_HELPED(int, statx,
	  (int at, const char *restrict name, int flags, unsigned mask, struct statx *restrict st),
	  (at, name, flags, mask, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, statvfs, (const char *restrict name, struct statvfs *restrict st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, statvfs64, (const char *restrict name, struct statvfs64 *restrict st), (name, st),
	  -1, td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, statfs, (const char *name, struct statfs *st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))
TD_HELPED(int, statfs64, (const char *name, struct statfs64 *st), (name, st), -1,
	  td_helped_name(name) | td_helped_touch(st, sizeof *st, true))

/* ---- lists ---- */

TD_HELPED(int, poll, (struct pollfd * list, nfds_t n, int ms), (list, n, ms), -1,
	  td_helped_touch(list, n * sizeof *list, true))
TD_HELPED(int, epoll_wait, (int fd, struct epoll_event *list, int n, int ms), (fd, list, n, ms), -1,
	  td_helped_touch(list, (size_t)(n > 0 ? n : 0) * sizeof *list, true))
TD_HELPED(int, execve, (const char *name, char *const list[], char *const environment[]),
	  (name, list, environment), -1,
	  td_helped_name(name) | touch_list(list) | touch_list(environment))
TD_HELPED(int, execv, (const char *name, char *const list[]), (name, list), -1,
	  td_helped_name(name) | touch_list(list) | touch_list(environ))
TD_HELPED(int, execvp, (const char *name, char *const list[]), (name, list), -1,
	  td_helped_name(name) | touch_list(list) | touch_list(environ))

/* These say by their result what is wrong. */
#define SPAWNS(name) \
	TD_EXPORT int name(pid_t *restrict pid, const char *restrict file, \
			   const posix_spawn_file_actions_t *restrict actions, \
			   const posix_spawnattr_t *restrict attr, char *const list[restrict], \
			   char *const environment[restrict]) \
	{ \
		int rc = EFAULT; \
		for (int i = 0; i < TD_HELPED_TRIES && rc == EFAULT; i++) { \
			if (td_helped_on()) \
				(void)(td_helped_name(file) | touch_list(list) | \
				       touch_list(environment)); \
			rc = next.name(pid, file, actions, attr, list, environment); \
		} \
		return rc; \
	}
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)
