/* Preloaded: remembers what storage would have if power failed now.
 *
 *   POWER_FILE     the file that is watched
 *   durable        beside it: what fdatasync() has promised to keep
 *   pending0, 1    writes since then, which storage may have or not: struct record, then the bytes
 *
 * Writes that have ended when fdatasync() begins are durable when it returns. Others are pending
 * again: they go to the other of the two files. */
#include "pool_power.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	pthread_once_t once;
	pthread_mutex_t lock, sync_lock;
	struct stat file;
	int durable, pending[2];
	int now; /* which of pending */
	ssize_t (*pwrite)(int, const void *, size_t, off_t);
	int (*fdatasync)(int);
} power = {.once = PTHREAD_ONCE_INIT,
	   .lock = PTHREAD_MUTEX_INITIALIZER,
	   .sync_lock = PTHREAD_MUTEX_INITIALIZER};

static int make(const char *name, int flags)
{
	int fd = open(name, O_RDWR | O_CREAT | flags, 0600);
	if (fd < 0)
		abort();
	return fd;
}

static void begin(void)
{
	*(void **)&power.pwrite = dlsym(RTLD_NEXT, "pwrite");
	*(void **)&power.fdatasync = dlsym(RTLD_NEXT, "fdatasync");
	if (stat(getenv("POWER_FILE"), &power.file))
		abort();
	power.durable = make("durable", 0);
	power.pending[0] = make("pending0", O_APPEND);
	power.pending[1] = make("pending1", O_APPEND);
}

static int is_watched(int fd)
{
	struct stat st;
	pthread_once(&power.once, begin);
	return !fstat(fd, &st) && st.st_ino == power.file.st_ino && st.st_dev == power.file.st_dev;
}

static void put(int fd, const void *from, size_t n)
{
	if (write(fd, from, n) != (ssize_t)n)
		abort();
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
	int watched = is_watched(fd);
	ssize_t done = power.pwrite(fd, from, n, at);
	if (!watched || done <= 0)
		return done;
	struct record r = {(uint64_t)at, (uint64_t)done};
	pthread_mutex_lock(&power.lock);
	put(power.pending[power.now], &r, sizeof r);
	put(power.pending[power.now], from, (size_t)done);
	pthread_mutex_unlock(&power.lock);
	return done;
}

ssize_t pwrite64(int fd, const void *from, size_t n, off_t at)
{
	return pwrite(fd, from, n, at);
}

/* If the process ends within this, the writes are still pending, and some are durable already. */
static void keep(int fd)
{
	struct record r;
	static unsigned char bytes[MOST];
	off_t at = 0;
	while (pread(fd, &r, sizeof r, at) == sizeof r) {
		if (r.bytes > MOST ||
		    pread(fd, bytes, r.bytes, at + (off_t)sizeof r) != (ssize_t)r.bytes ||
		    power.pwrite(power.durable, bytes, r.bytes, (off_t)r.at) != (ssize_t)r.bytes)
			abort();
		at += (off_t)(sizeof r + r.bytes);
	}
	if (ftruncate(fd, 0))
		abort();
}

int fdatasync(int fd)
{
	if (!is_watched(fd))
		return power.fdatasync(fd);
	pthread_mutex_lock(&power.sync_lock);
	pthread_mutex_lock(&power.lock);
	int old = power.now;
	power.now = !old;
	pthread_mutex_unlock(&power.lock);
	int rc = power.fdatasync(fd);
	if (!rc)
		keep(power.pending[old]);
	pthread_mutex_unlock(&power.sync_lock);
	return rc;
}
