/* A file that is written beside its place and renamed there takes the place of another. */
#ifndef TD_CORE_MODE_H
#define TD_CORE_MODE_H

#include <sys/stat.h>

/* What the user allowed for the file at path, the user allows for the one in its place. */
static inline void td_core_keep_mode(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && fchmod(fd, st.st_mode & 07777) != 0)
		return; /* some file systems have no modes */
}

#endif
