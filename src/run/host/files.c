/* The pager's own files. A program may close all that it does not know, or put another in the place
 * of one; without its userfaultfd the pager could not tell, and the memory would be zero. */
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "next.h"
#include "preload.h"

#define FILES_MAX 32
#define BEFORE_MAX (1 << 20) /* as many as a process may have open */

static int files[FILES_MAX];
static unsigned files_n;
static uint64_t before[BEFORE_MAX / 64]; /* bit per file that was open */

/* Calls seen for every open file that is not the listing itself. */
static void list(void (*seen)(int fd, const struct tide_options *o), const struct tide_options *o)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);
		if (entry->d_name[0] != '.' && fd != dirfd(folder))
			seen(fd, o);
	}
	if (folder)
		closedir(folder);
}

static void remember(int fd, const struct tide_options *o)
{
	(void)o;
	if (fd < BEFORE_MAX)
		before[fd / 64] |= UINT64_C(1) << fd % 64;
}

static bool is_file(int fd, const char *name)
{
	struct stat is, named;

	return name && fstat(fd, &is) == 0 && stat(name, &named) == 0 &&
	       is.st_dev == named.st_dev && is.st_ino == named.st_ino;
}

/* A file that gets its name when it is complete: until then none, or one that begins so. */
static bool is_unnamed(int fd, const char *name, const char *record)
{
	const char *last = strrchr(name, '/'), *folder = strrchr(record, '/');
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY)
		return false;
	return st.st_nlink == 0 || (last && strstr(last, folder ? folder + 1 : record));
}

/* What a pager has, and the program hardly: by what the kernel calls it. Other threads may have
 * opened files in the meantime. */
static bool is_pagers(int fd, const struct tide_options *o)
{
	static const char *const kinds[] = {
		"anon_inode:[userfaultfd]",
		"anon_inode:[io_uring]",
		"anon_inode:[eventfd]",
		"anon_inode:[pidfd]",
		"pidfd:",
		"/memfd:tide",
	};
	char path[32], name[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	n = readlink(path, name, sizeof name - 1);
	if (n < 0 || !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		return false;
	name[n] = '\0';
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return true;
	if (strncmp(name, "pipe:", 5) == 0)
		return fcntl(fd, F_GETFL) & O_NONBLOCK;
	return is_file(fd, o->storage) || is_file(fd, o->log) || is_file(fd, o->record) ||
	       (o->record && is_unnamed(fd, name, o->record));
}

static void keep(int fd, const struct tide_options *o)
{
	bool known = fd < BEFORE_MAX && (before[fd / 64] >> fd % 64 & 1);

	if (!known && files_n < FILES_MAX && is_pagers(fd, o))
		files[files_n++] = fd;
}

/* Programs choose low numbers, and want some in particular, as in a shell `exec 3>file`: these are
 * taken by others while the pager opens its own. */
#define LOW 256
static uint64_t fillers[LOW / 64];

static void fill_low(void)
{
	struct rlimit most;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &most) || most.rlim_cur < 2 * (rlim_t)LOW)
		return;
	for (fd = open("/dev/null", O_RDONLY | O_CLOEXEC); fd >= 0 && fd < LOW;
	     fd = fcntl(fd, F_DUPFD_CLOEXEC, 0))
		fillers[fd / 64] |= UINT64_C(1) << fd % 64;
	if (fd >= 0)
		next.close(fd);
}

static void free_low(void)
{
	for (int fd = 0; fd < LOW; fd++)
		if (fillers[fd / 64] >> fd % 64 & 1)
			next.close(fd);
}

void td_preload_files_before(void)
{
	fill_low();
	list(remember, NULL);
}

void td_preload_files_after(const struct tide_options *o)
{
	free_low();
	list(keep, o);
}

/* The lowest of the pager's files from first on, or -1. */
static int next_of_ours(unsigned first)
{
	int found = -1;

	for (unsigned i = 0; i < files_n && !td_preload_off(); i++)
		if ((unsigned)files[i] >= first && (found < 0 || files[i] < found))
			found = files[i];
	return found;
}

static bool is_ours(int fd)
{
	return fd >= 0 && next_of_ours((unsigned)fd) == fd;
}

/* As if it were not there. */
TD_EXPORT int close(int fd)
{
	if (!is_ours(fd))
		return next.close(fd);
	errno = EBADF;
	return -1;
}

TD_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	int ours;

	while ((ours = next_of_ours(first)) >= 0 && (unsigned)ours <= last &&
	       !((unsigned)flags & CLOSE_RANGE_CLOEXEC)) {
		if ((unsigned)ours > first && next.close_range(first, (unsigned)ours - 1, flags))
			return -1;
		if ((unsigned)ours == last)
			return 0;
		first = (unsigned)ours + 1;
	}
	return next.close_range(first, last, flags);
}

TD_EXPORT void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}

static bool may_be_taken(int fd)
{
	if (!is_ours(fd))
		return true;
	td_preload_say_once("the file %d is the pager's: the program cannot have that number", fd);
	errno = EBUSY;
	return false;
}

TD_EXPORT int dup2(int from, int to)
{
	return may_be_taken(to) ? next.dup2(from, to) : -1;
}

TD_EXPORT int dup3(int from, int to, int flags)
{
	return may_be_taken(to) ? next.dup3(from, to, flags) : -1;
}
