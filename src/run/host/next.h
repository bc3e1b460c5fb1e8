/* Those whose names this library took: next.malloc() is the malloc() that the program would have
 * called, and so on. */
#ifndef TD_PRELOAD_NEXT_H
#define TD_PRELOAD_NEXT_H

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#undef fread_unlocked /* macros, for constant sizes */
#undef fwrite_unlocked

int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
		      void *library);

struct td_next {
#define TD_NEXT(name) __typeof__(&(name)) name; /* NOLINT: a member has no parentheses */
#include "next.def"
#undef TD_NEXT
};

extern struct td_next td_next_table;
extern bool td_next_ready, td_next_searching;
void td_next_find(void);

/* The dynamic linker and the C library call before any constructor has run. */
static inline const struct td_next *td_next(void)
{
	if (__builtin_expect(!td_next_ready, 0))
		td_next_find();
	return &td_next_table;
}
#define next (*td_next())

#endif
