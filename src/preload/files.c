/* The pager's own files. A program may close all that it does not know, or put another in the place
 * of one; without its userfaultfd the pager could not tell, and the memory would be zero. */
#include <errno.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>

#include "next.h"
#include "preload.h"

#define FILES_MAX 32

static int files[FILES_MAX];
static unsigned files_n;
static uint64_t before[16]; /* bit per file that was open */

/* Calls seen for every open file that is not the listing itself. */
static void list(void (*seen)(int fd))
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);
		if (entry->d_name[0] != '.' && fd != dirfd(folder))
			seen(fd);
	}
	if (folder)
		closedir(folder);
}

static void remember(int fd)
{
	if (fd < 1024)
		before[fd / 64] |= UINT64_C(1) << fd % 64;
}

static void keep(int fd)
{
	bool known = fd < 1024 && (before[fd / 64] >> fd % 64 & 1);

	if (!known && files_n < FILES_MAX)
		files[files_n++] = fd;
}

void td_preload_files_before(void)
{
	list(remember);
}

/* Whatever tide_open() opened. Another thread's may be among them, which then stays open. */
void td_preload_files_after(void)
{
	list(keep);
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
