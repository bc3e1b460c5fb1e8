#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "io.h"

static const int flags_of[] = {
	[TD_IO_READ] = O_RDONLY,
	[TD_IO_WRITE] = O_RDWR,
	[TD_IO_CREATE] = O_RDWR | O_CREAT | O_TRUNC,
	[TD_IO_AGAIN] = O_RDWR,
};

/* The end of a path says most, and is what fits. */
static void set_name(struct td_io_file *f, const char *path)
{
	size_t n = strlen(path), max = sizeof f->name - 1;
	struct td_core_word word = td_core_shown(n > max ? path + n - max : path, max);
	memcpy(f->name, word.text, sizeof f->name);
}

static int measure(struct td_io_file *f, struct tide_error *err)
{
	struct stat st;
	if (fstat(f->fd, &st))
		return tide_fail(err, -errno, "cannot look at %s: %s", f->name, strerror(errno));
	if (S_ISREG(st.st_mode)) {
		f->bytes = (uint64_t)st.st_size;
		return 0;
	}
	f->grows = false;
	if (!S_ISBLK(st.st_mode))
		return tide_fail(err, -EINVAL,
				 "%s is neither a file nor a block device: give one of these",
				 f->name);
	if (ioctl(f->fd, BLKGETSIZE64, &f->bytes))
		return tide_fail(err, -errno, "cannot tell the size of %s: %s", f->name,
				 strerror(errno));
	return 0;
}

/* The same file, whatever its path leads to by now; not every file system can. */
static int open_direct(const struct td_io_file *f)
{
	char path[32];
	int flags = (f->writable ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC;
	snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
	return open(path, flags);
}

static bool is_size_limited(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur != RLIM_INFINITY;
}

int td_io_file_open(struct td_io_file *f, const char *path, enum td_io_mode mode,
		    struct tide_error *err)
{
	*f = (struct td_io_file){
		.direct_fd = -1, .writable = mode != TD_IO_READ, .grows = mode >= TD_IO_CREATE};
	set_name(f, path);
	/* Nonblocking, lest a pipe keeps us here; afterwards io_uring must not see it. */
	f->fd = open(path, flags_of[mode] | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (f->fd < 0)
		return tide_fail(err, -errno, "cannot open %s: %s: give another file", f->name,
				 strerror(errno));
	int rc = measure(f, err);
	if (!rc && fcntl(f->fd, F_SETFL, 0))
		rc = tide_fail(err, -errno, "cannot use %s: %s", f->name, strerror(errno));
	if (rc)
		td_io_file_close(f);
	else
		f->direct_fd = open_direct(f);
	/* Under a limit on sizes none may be raised for nothing: it would end the program. */
	if (is_size_limited())
		f->room_bytes = UINT64_MAX;
	return rc;
}

void td_io_file_close(struct td_io_file *f)
{
	if (f->direct_fd >= 0)
		close(f->direct_fd);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = f->direct_fd = -1;
}

void td_io_punch(struct td_io_file *f, uint64_t offset, uint64_t bytes)
{
	int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	int rc = bytes && f->grows ? fallocate(f->fd, how, (off_t)offset, (off_t)bytes) : 0;
	(void)rc; /* it is room that is not won, and nothing else */
}

int td_io_zero(struct td_io_file *f, uint64_t offset, uint64_t bytes)
{
	static const char zeros[4096];
	int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	if (!fallocate(f->fd, how, (off_t)offset, (off_t)bytes))
		return 0;
	while (bytes) {
		size_t n = bytes < sizeof zeros ? (size_t)bytes : sizeof zeros;
		ssize_t done = pwrite(f->fd, zeros, n, (off_t)offset);
		if (done <= 0 && errno != EINTR)
			return done ? -errno : -EIO;
		offset += done > 0 ? (uint64_t)done : 0;
		bytes -= done > 0 ? (uint64_t)done : 0;
	}
	return 0;
}
