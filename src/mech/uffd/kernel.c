#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Newer than the headers. */
#define FEATURE_WP_SHARED (1u << 12)
#define FEATURE_POISON (1u << 14)
#define FEATURE_MOVE (1u << 16)
#define ADVICE_POPULATE_WRITE 23
#define CONTINUE_DONTWAKE (1u << 0)
#define CONTINUE_WP (1u << 1)

struct move {
	uint64_t dst, src, len, mode;
	int64_t moved;
};
#define MOVE_DONTWAKE 1u
#define MOVE_HOLES 2u
#define IOCTL_MOVE _IOWR(UFFDIO, 0x05, struct move)

struct poison {
	struct uffdio_range range;
	uint64_t mode;
	int64_t updated;
};
#define IOCTL_POISON _IOWR(UFFDIO, 0x08, struct poison)

/* ---- opening ---- */

/* All faults if the rights allow it, else those of the program alone. */
static int open_any(bool *kernel_faults)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	int device = fd < 0 ? open("/dev/userfaultfd", O_RDWR | O_CLOEXEC) : -1;
	if (device >= 0) {
		fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
		close(device);
	}
	*kernel_faults = fd >= 0;
	if (fd < 0)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	return fd < 0 ? -errno : fd;
}

/* The features that a kernel knows are told by asking for none; then the descriptor is used up. */
static int ask_features(uint64_t *features)
{
	bool all;
	struct uffdio_api api = {.api = UFFD_API};
	int fd = open_any(&all);
	if (fd < 0)
		return fd;
	int rc = ioctl(fd, UFFDIO_API, &api) ? -errno : 0;
	close(fd);
	*features = api.features;
	return rc;
}

static unsigned translate(uint64_t features, bool kernel_faults)
{
	unsigned has = 0;
	has |= features & FEATURE_WP_SHARED ? TD_UFFD_HAS_WP : 0;
	/* Both came in 6.4 or later, and there is no bit for mapping write-protected. */
	has |= features & FEATURE_POISON && features & FEATURE_WP_SHARED ? TD_UFFD_HAS_CONTINUE_WP
									 : 0;
	has |= features & FEATURE_MOVE ? TD_UFFD_HAS_MOVE : 0;
	has |= features & FEATURE_POISON ? TD_UFFD_HAS_POISON : 0;
	has |= features & UFFD_FEATURE_MINOR_SHMEM ? TD_UFFD_HAS_MINOR : 0;
	has |= kernel_faults ? TD_UFFD_HAS_KERNEL_FAULTS : 0;
	return has;
}

int td_uffd_open(int *out, bool signals, unsigned *has)
{
	uint64_t features;
	bool kernel_faults;
	int rc = ask_features(&features);
	int fd = rc ? rc : open_any(&kernel_faults);
	if (fd < 0)
		return fd;
	struct uffdio_api api = {.api = UFFD_API};
	api.features = features & (UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_MISSING_SHMEM |
				   UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_THREAD_ID |
				   FEATURE_WP_SHARED | FEATURE_POISON | FEATURE_MOVE);
	if (signals)
		api.features |= UFFD_FEATURE_SIGBUS;
	if (ioctl(fd, UFFDIO_API, &api)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	*has = translate(features, kernel_faults);
	*out = fd;
	return 0;
}

int td_uffd_probe(unsigned *has)
{
	int fd = -1, rc = td_uffd_open(&fd, true, has);
	if (!rc)
		close(fd);
	return rc;
}

int td_uffd_register(int fd, void *addr, size_t bytes, enum td_uffd_kind kind, unsigned has)
{
	struct uffdio_register r = {.range = {(uintptr_t)addr, bytes},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (kind == TD_UFFD_SHARED)
		r.mode |= UFFDIO_REGISTER_MODE_MINOR;
	if (kind != TD_UFFD_ANONYMOUS && has & TD_UFFD_HAS_WP)
		r.mode |= UFFDIO_REGISTER_MODE_WP;
	return ioctl(fd, UFFDIO_REGISTER, &r) ? -errno : 0;
}

int td_uffd_unregister(int fd, void *addr, size_t bytes)
{
	struct uffdio_range range = {(uintptr_t)addr, bytes};
	return ioctl(fd, UFFDIO_UNREGISTER, &range) ? -errno : 0;
}

/* ---- pages ---- */

int td_uffd_wake(int fd, void *addr, size_t bytes)
{
	struct uffdio_range range = {(uintptr_t)addr, bytes};
	return ioctl(fd, UFFDIO_WAKE, &range) ? -errno : 0;
}

/* A call may stop in the middle, and is made again for the rest; a page that is mapped already is
 * passed over, and whoever waits for it is woken. false: it is an error, in errno. */
#define STEP 4096
#define BUSY_TRIES 2000 /* of which half take a millisecond each */

static bool goes_on(int fd, uintptr_t *at, int64_t done, bool wake)
{
	if (done > 0) {
		*at += (uint64_t)done;
	} else if (errno == EEXIST) {
		if (wake)
			td_uffd_wake(fd, (void *)*at, STEP);
		*at += STEP;
	} else {
		return errno == EAGAIN;
	}
	return true;
}

int td_uffd_continue(int fd, void *addr, size_t bytes, bool protect, bool wake)
{
	uintptr_t at = (uintptr_t)addr, end = at + bytes;
	while (at < end) {
		struct uffdio_continue c = {.range = {at, end - at}};
		c.mode = (wake ? 0 : CONTINUE_DONTWAKE) | (protect ? CONTINUE_WP : 0);
		if (!ioctl(fd, UFFDIO_CONTINUE, &c))
			return 0;
		if (!goes_on(fd, &at, c.mapped, wake))
			return -errno;
	}
	return 0;
}

int td_uffd_copy_try(int fd, void *addr, const void *from, size_t bytes, bool protect, bool wake,
		     size_t *done)
{
	uintptr_t start = (uintptr_t)addr, at = start + *done, end = start + bytes;
	int rc = 0;
	while (!rc && at < end) {
		struct uffdio_copy c = {
			.dst = at, .src = (uintptr_t)from + (at - start), .len = end - at};
		c.mode = (wake ? 0 : UFFDIO_COPY_MODE_DONTWAKE) |
			 (protect ? UFFDIO_COPY_MODE_WP : 0);
		if (!ioctl(fd, UFFDIO_COPY, &c))
			at = end;
		else if ((errno == EAGAIN && c.copy <= 0) || !goes_on(fd, &at, c.copy, wake))
			rc = -errno;
	}
	*done = at - start;
	return rc;
}

int td_uffd_copy(int fd, void *addr, const void *from, size_t bytes, bool protect, bool wake)
{
	size_t done = 0;
	int rc;
	do
		rc = td_uffd_copy_try(fd, addr, from, bytes, protect, wake, &done);
	while (rc == -EAGAIN);
	return rc;
}

int td_uffd_copy_absent(int fd, void *addr, const void *from, size_t bytes)
{
	struct uffdio_copy c = {.dst = (uintptr_t)addr, .src = (uintptr_t)from, .len = bytes};
	c.mode = UFFDIO_COPY_MODE_WP;
	return ioctl(fd, UFFDIO_COPY, &c) ? -errno : 0;
}

int td_uffd_zero(int fd, void *addr, size_t bytes, bool wake)
{
	uintptr_t at = (uintptr_t)addr, end = at + bytes;
	while (at < end) {
		struct uffdio_zeropage z = {.range = {at, end - at}};
		z.mode = wake ? 0 : UFFDIO_ZEROPAGE_MODE_DONTWAKE;
		if (!ioctl(fd, UFFDIO_ZEROPAGE, &z))
			return 0;
		if (!goes_on(fd, &at, z.zeropage, wake))
			return -errno;
	}
	return 0;
}

/* Has the page table something here, in memory or in swap? */
static bool is_there(const void *addr)
{
	uint64_t entry = 0;
	unsigned char in_memory = 1;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t n =
		fd < 0 ? 0 : pread(fd, &entry, sizeof entry, (off_t)((uintptr_t)addr / STEP * 8));
	if (fd >= 0)
		close(fd);
	if (n == sizeof entry)
		return entry >> 62;
	mincore((void *)((uintptr_t)addr & ~(uintptr_t)(STEP - 1)), STEP, &in_memory);
	return in_memory & 1;
}

struct moving {
	int fd;
	char *to, *from;
	size_t done;
	unsigned tries;
	bool wake, whole;
};

/* A call that has stopped goes on. false: it is an error, in errno.
 *
 * A page that is where it should go has been moved. Linux 6.18 also says EEXIST of pages that this
 * very call has moved: where the call had to look twice at a page, it forgets to count the next
 * ones. Such a page has left the place that it was to be moved from. What the program has in its
 * page table anyway is newer than what would come. */
static bool moves_on(struct moving *m)
{
	const struct timespec little = {.tv_nsec = 1000000};
	if (errno == EAGAIN)
		return true;
	if (errno == EEXIST && (m->whole || !is_there(m->from + m->done))) {
		if (m->wake)
			td_uffd_wake(m->fd, m->to + m->done, STEP);
		m->done += STEP;
		return true;
	}
	/* A device still reads the page, or writes to it. */
	if (errno != EBUSY || !m->whole || ++m->tries > BUSY_TRIES)
		return false;
	if (m->tries > BUSY_TRIES / 2)
		nanosleep(&little, NULL);
	return true;
}

int td_uffd_move(int fd, void *to, void *from, size_t bytes, bool wake, size_t *moved)
{
	struct moving at = {fd, to, from, 0, 0, wake, !moved};
	int rc = 0;
	while (!rc && at.done < bytes) {
		struct move m = {.dst = (uintptr_t)to + at.done,
				 .src = (uintptr_t)from + at.done,
				 .len = bytes - at.done,
				 .mode = MOVE_HOLES | (wake ? 0 : MOVE_DONTWAKE)};
		if (!ioctl(fd, IOCTL_MOVE, &m))
			at.done = bytes;
		else if (m.moved > 0)
			at.done += (uint64_t)m.moved;
		else if (!moves_on(&at))
			rc = -errno;
	}
	if (moved)
		*moved = at.done;
	return rc;
}

int td_uffd_unshare(void *addr, size_t bytes)
{
	return madvise(addr, bytes, ADVICE_POPULATE_WRITE) ? -errno : 0;
}

int td_uffd_protect_try(int fd, void *addr, size_t bytes, bool protect, bool wake)
{
	struct uffdio_writeprotect w = {.range = {(uintptr_t)addr, bytes}};
	w.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP
			 : (wake ? 0 : UFFDIO_WRITEPROTECT_MODE_DONTWAKE);
	return ioctl(fd, UFFDIO_WRITEPROTECT, &w) ? -errno : 0;
}

int td_uffd_protect(int fd, void *addr, size_t bytes, bool protect, bool wake)
{
	int rc;
	do
		rc = td_uffd_protect_try(fd, addr, bytes, protect, wake);
	while (rc == -EAGAIN);
	return rc;
}

int td_uffd_poison(int fd, void *addr, size_t bytes)
{
	struct poison p = {.range = {(uintptr_t)addr, bytes}};
	/* A page that was protected when it was unmapped has left a mark of that. */
	td_uffd_protect(fd, addr, bytes, false, false);
	return ioctl(fd, IOCTL_POISON, &p) ? -errno : 0;
}

/* ---- unmapping ---- */

static size_t total(const struct iovec *ranges, size_t n)
{
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++)
		bytes += ranges[i].iov_len;
	return bytes;
}

void td_uffd_unmapper_open(struct td_uffd_unmapper *u)
{
	u->pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	/* Kernels before 6.13 take other advice only. */
	if (u->pidfd >= 0 && syscall(SYS_process_madvise, u->pidfd, NULL, 0, MADV_DONTNEED, 0) < 0)
		td_uffd_unmapper_close(u);
}

void td_uffd_unmapper_close(struct td_uffd_unmapper *u)
{
	if (u->pidfd >= 0)
		close(u->pidfd);
	u->pidfd = -1;
}

void td_uffd_unmap(const struct td_uffd_unmapper *u, const struct iovec *ranges, size_t n)
{
	if (n > 1 && u->pidfd >= 0 &&
	    syscall(SYS_process_madvise, u->pidfd, ranges, n, MADV_DONTNEED, 0) ==
		    (long)total(ranges, n))
		return;
	for (size_t i = 0; i < n; i++)
		madvise(ranges[i].iov_base, ranges[i].iov_len, MADV_DONTNEED);
}

/* ---- pages that outlive their mapping ---- */

int td_uffd_pipe_open(struct td_uffd_pipe *pipe, size_t bytes)
{
	int fd[2];
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fcntl(fd[1], F_SETPIPE_SZ, (int)bytes); /* as much as a user may have */
	int got = fcntl(fd[1], F_GETPIPE_SZ);
	*pipe = (struct td_uffd_pipe){fd[0], fd[1], got > 0 ? (size_t)got : 0};
	return 0;
}

void td_uffd_pipe_close(struct td_uffd_pipe *pipe)
{
	if (!pipe->bytes)
		return;
	close(pipe->from);
	close(pipe->to);
	pipe->bytes = 0;
}

static void empty(const struct td_uffd_pipe *pipe)
{
	char bytes[4096];
	while (read(pipe->from, bytes, sizeof bytes) > 0)
		;
}

int td_uffd_pipe_grab(const struct td_uffd_pipe *pipe, const struct iovec *pages, size_t n)
{
	ssize_t got = vmsplice(pipe->to, pages, n, SPLICE_F_NONBLOCK);
	if (got == (ssize_t)total(pages, n))
		return 0;
	int rc = got < 0 ? -errno : -EFAULT;
	empty(pipe);
	return rc;
}

int td_uffd_pipe_copy(const struct td_uffd_pipe *pipe, const struct iovec *to, size_t n)
{
	ssize_t got = readv(pipe->from, to, (int)n);
	return got == (ssize_t)total(to, n) ? 0 : got < 0 ? -errno : -EFAULT;
}

bool td_uffd_swaps(void)
{
	char text[512];
	int fd = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
	if (fd >= 0)
		close(fd);
	/* A line of titles, then one for each. */
	for (ssize_t i = 0; i + 1 < n; i++) {
		if (text[i] == '\n')
			return true;
	}
	return false;
}
