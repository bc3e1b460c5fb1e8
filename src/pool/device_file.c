/* A file on a fast disk as device memory: a cache of a file on a slow one.
 *
 *   file:FOLDER   a file without a name, which is gone when the pool is
 *   file:FILE     a new or empty file, or a block device of zeros; or one that had slots before
 *
 * What is in the slots is worth nothing without the pool's tables, which are in memory. So the pool
 * begins with an empty file, and empties it in the end. The first slot's place has a mark, so that
 * after a crash tide knows its own file. It overwrites no other file that has bytes.
 *
 * Room is allocated at the start, so that the disk cannot be full later. A checksum of each slot is
 * in memory, so that what the disk mixes up, or another program overwrites, is an error. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/limits.h"
#include "core/text.h"
#include "device.h"
#include "tiers/io.h"

#define DIRECT 4096u                  /* what direct I/O moves */
#define AT_ONCE 64                    /* requests under way, of one call */
#define LOOKED_AT (UINT64_C(1) << 20) /* of a block device: from either end */

static const char mark[] = "tide pool: slots of device memory, worth nothing without the pool\n";

struct cache {
	struct td_pool_host host;
	int fd; /* -1: none; holds the lock */
	bool has_name, is_file;
	struct td_io_file file;
	struct td_io *io;
	uint32_t *checks; /* of the slots */
	_Atomic uint64_t damaged;
};

/* ---- may it be used? ---- */

static int refuse(const char *path, int rc, const char *why, struct tide_error *err)
{
	return tide_fail(err, rc, "%s cannot be device memory: %s: give a folder or a new file",
			 td_core_shown(path, strlen(path)).text, why);
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
	return !n || (!bytes[0] && memcmp(bytes, bytes + 1, n - 1) == 0);
}

static bool has_mark(int fd)
{
	char found[sizeof mark];
	return pread(fd, found, sizeof found, 0) == sizeof found &&
	       memcmp(found, mark, sizeof mark) == 0;
}

static bool is_blank(int fd, off_t from, size_t n)
{
	unsigned char *bytes = malloc(n);
	bool blank = bytes && pread(fd, bytes, n, from) == (ssize_t)n && is_zero(bytes, n);
	free(bytes);
	return blank;
}

/* File systems and volumes have something near one of its ends. */
static bool is_blank_disk(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	size_t n = end < (off_t)LOOKED_AT ? (size_t)end : LOOKED_AT;
	return end > 0 && is_blank(fd, 0, n) && is_blank(fd, end - (off_t)n, n);
}

/* As pools lock their files (open.c), so that no file is a pool's and a device's at a time. */
static int lock(int fd, const char *path, struct tide_error *err)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = INT64_C(1) << 62, .l_len = 1};
	if (!fcntl(fd, F_OFD_SETLK, &l) || (errno != EAGAIN && errno != EACCES))
		return 0;
	return refuse(path, -EBUSY, "a pool uses it", err);
}

static int judge(struct cache *c, const char *path, struct tide_error *err)
{
	struct stat st;
	if (fstat(c->fd, &st))
		return refuse(path, -errno, strerror(errno), err);
	c->is_file = S_ISREG(st.st_mode);
	if (!c->is_file && !S_ISBLK(st.st_mode))
		return refuse(path, -EINVAL, "it is neither a file nor a block device", err);
	int rc = lock(c->fd, path, err);
	if (rc || has_mark(c->fd) || (c->is_file ? !st.st_size : is_blank_disk(c->fd)))
		return rc;
	return refuse(path, -EEXIST, "it has data, which would be lost", err);
}

/* ---- life ---- */

static int open_nameless(const char *folder)
{
	char path[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (snprintf(path, sizeof path, "%s/tide-pool-XXXXXX", folder) >= (int)sizeof path)
		return -1;
	fd = mkostemp(path, O_CLOEXEC); /* not every file system has files without a name */
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* A block device that is mounted is refused. */
static int open_named(const char *path, bool is_disk)
{
	int how = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	return open(path, how | (is_disk ? O_EXCL : O_CREAT), 0600);
}

static int open_path(struct cache *c, const char *path, struct tide_error *err)
{
	struct stat st = {0};
	bool there = !stat(path, &st);
	c->has_name = !there || !S_ISDIR(st.st_mode);
	c->fd = c->has_name ? open_named(path, there && S_ISBLK(st.st_mode)) : open_nameless(path);
	if (c->fd < 0)
		return refuse(path, -errno, strerror(errno), err);
	int rc = judge(c, path, err);
	if (!rc)
		return 0;
	close(c->fd); /* as it was */
	c->fd = -1;
	return rc;
}

/* Allocating what there is, only to find that it is not enough, would disturb others. */
static bool has_room(int fd, uint64_t bytes)
{
	struct statvfs st;
	return fstatvfs(fd, &st) || bytes / st.f_frsize < st.f_bavail;
}

/* A file system that cannot allocate gets a sparse file. */
static int allocate(const struct cache *c, uint64_t bytes)
{
	if (!c->is_file)
		return lseek(c->fd, 0, SEEK_END) < (off_t)bytes ? -ENOSPC : 0;
	if (bytes > INT64_MAX || !td_core_may_reach(bytes))
		return -EFBIG;
	if (ftruncate(c->fd, 0))
		return -errno;
	if (!has_room(c->fd, bytes))
		return -ENOSPC;
	int rc = fallocate(c->fd, 0, 0, (off_t)bytes) ? errno : 0;
	if (rc == EOPNOTSUPP || rc == ENOSYS)
		rc = ftruncate(c->fd, (off_t)bytes) ? errno : 0;
	return -rc;
}

static int make_room(const struct cache *c, const char *path, uint64_t slots,
		     struct tide_error *err)
{
	uint64_t bytes;
	int rc = __builtin_mul_overflow(slots + 1, c->host.slot_bytes, &bytes) ? -EFBIG
									       : allocate(c, bytes);
	if (!rc && pwrite(c->fd, mark, sizeof mark, 0) != sizeof mark)
		rc = -EIO;
	return rc ? tide_fail(err, rc, "no %" PRIu64 " bytes of device memory in %s: %s: give less",
			      bytes, td_core_shown(path, strlen(path)).text, strerror(-rc))
		  : 0;
}

static int open_io(struct cache *c, struct tide_error *err)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", c->fd);
	int rc = td_io_file_open(&c->file, path, TD_IO_WRITE, err);
	return rc ? rc : td_io_open(&c->io, AT_ONCE, NULL, err);
}

static void file_free(void *state)
{
	struct cache *c = state;
	if (!c)
		return;
	td_io_close(c->io);
	td_io_file_close(&c->file);
	int rc = c->fd >= 0 && c->is_file ? ftruncate(c->fd, 0) : 0;
	(void)rc; /* else its mark stays, and tide knows it by that */
	if (c->fd >= 0)
		close(c->fd);
	free(c->checks);
	free(c);
}

static int set_up(struct cache *c, const struct td_pool_want *want, struct tide_error *err)
{
	if (want->slot_bytes < DIRECT)
		return tide_fail(err, -EINVAL,
				 "a file as device memory has no blocks of %u bytes: give 4K or "
				 "more",
				 want->slot_bytes);
	if (!want->slots)
		return 0;
	int rc = open_path(c, want->where, err);
	if (!rc)
		rc = make_room(c, want->where, want->slots, err);
	if (rc)
		return rc;
	c->checks = calloc(want->slots, sizeof *c->checks);
	return c->checks ? open_io(c, err)
			 : tide_fail(err, -ENOMEM, "no memory for a device: free some");
}

static int file_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	struct cache *c = calloc(1, sizeof *c);
	if (!c)
		return tide_fail(err, -ENOMEM, "no memory for a device: free some");
	c->fd = c->file.fd = c->file.direct_fd = -1;
	c->host.slot_bytes = want->slot_bytes;
	int rc = set_up(c, want, err);
	if (rc)
		file_free(c);
	else
		*state = c;
	return rc;
}

/* ---- transfers ---- */

/* At most AT_ONCE. A disk that is full is not a device that is full: dropping slots would not help.
 */
static int move(struct cache *c, const uint32_t *slots, void *const *at, size_t n, bool write)
{
	struct td_io_request requests[AT_ONCE], *started[AT_ONCE];
	int rc = 0;
	for (size_t i = 0; i < n; i++) {
		requests[i] = (struct td_io_request){.file = &c->file,
						     .offset = ((uint64_t)slots[i] + 1) *
							       c->host.slot_bytes,
						     .addr = at[i],
						     .bytes = c->host.slot_bytes,
						     .write = write};
		started[i] = &requests[i];
	}
	if (n == 1)
		td_io_now(c->io, started[0]);
	else
		td_io_start(c->io, started, n);
	for (size_t i = 0; i < n; i++) {
		if (n > 1)
			td_io_wait(c->io, started[i]);
		rc = rc ? rc : requests[i].result;
	}
	return rc == -ENOSPC ? -EIO : rc;
}

static int move_all(struct cache *c, const uint32_t *slots, void *const *at, size_t n, bool write)
{
	int rc = 0;
	for (size_t i = 0, some; !rc && i < n; i += some) {
		some = n - i < AT_ONCE ? n - i : AT_ONCE;
		rc = move(c, slots + i, at + i, some, write);
	}
	return rc;
}

static uint32_t check_of(const struct cache *c, const void *block)
{
	return (uint32_t)XXH3_64bits(block, c->host.slot_bytes);
}

static int file_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	struct cache *c = state;
	int rc = move_all(c, slots, to, n, false);
	for (size_t i = 0; !rc && i < n; i++)
		if (check_of(c, to[i]) != c->checks[slots[i]]) {
			atomic_fetch_add_explicit(&c->damaged, 1, memory_order_relaxed);
			rc = -EIO;
		}
	return rc;
}

static int file_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	struct cache *c = state;
	for (size_t i = 0; i < n; i++)
		c->checks[slots[i]] = check_of(c, from[i]);
	return move_all(c, slots, (void *const *)from, n, true); /* which it only reads */
}

static void file_use(void *state, struct td_pool_device_use *use)
{
	const struct cache *c = state;
	uint64_t damaged = atomic_load_explicit(&c->damaged, memory_order_relaxed);
	*use = (struct td_pool_device_use){.errors = c->io ? td_io_errors(c->io) + damaged : 0};
}

const struct td_pool_device td_pool_device_file = {
	.name = "file",
	.takes = "PATH",
	.alloc = file_alloc,
	.free = file_free,
	.gather = file_gather,
	.scatter = file_scatter,
	.hash = td_pool_host_hash,
	.parallel = true,
	.use = file_use,
};
