/* Files of this room's own: made, read back plainly. */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "tools.h"

#define PIECE_BYTES ((size_t)4 << 20)

int td_gpu_path(char path[TD_GPU_PATH], const struct td_gpu_setup *s, const char *name,
		struct tide_error *err)
{
	const char *dir = s->dir ? s->dir : getenv("TMPDIR");
	if (!dir || !*dir)
		dir = "/var/tmp";
	int n = snprintf(path, TD_GPU_PATH, "%s/tide-gpu-%d-%s", dir, (int)getpid(), name);
	if (n < 0 || n >= TD_GPU_PATH)
		return tide_fail(err, -ENAMETOOLONG, "the name of the folder %.60s... is too long",
				 dir);
	return 0;
}

static int write_all(int fd, const char *from, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, from, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int write_words(int fd, uint64_t *buffer, uint64_t bytes)
{
	int rc = 0;
	for (uint64_t at = 0; at < bytes && !rc;) {
		size_t piece = bytes - at < PIECE_BYTES ? (size_t)(bytes - at) : PIECE_BYTES;
		for (size_t i = 0; i < (piece + 7) / 8; i++)
			buffer[i] = td_gpu_word(at / 8 + i);
		rc = write_all(fd, (const char *)buffer, piece);
		at += piece;
	}
	if (!rc && fsync(fd))
		rc = -errno;
	if (!rc)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return rc;
}

int td_gpu_file_make(const char *path, uint64_t bytes, struct tide_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return tide_fail(err, -errno, "cannot make %s: %s: give another folder with --dir",
				 path, strerror(errno));
	uint64_t *buffer = malloc(PIECE_BYTES);
	int rc = buffer ? write_words(fd, buffer, bytes) : -ENOMEM;
	free(buffer);
	close(fd);
	if (!rc)
		return 0;
	unlink(path);
	return tide_fail(err, rc, "cannot write %s: %s", path, strerror(-rc));
}

/* ---- the plain reader ---- */

struct reading {
	struct td_gpu_reader *r;
	struct io_uring ring;
	char *buffer; /* depth blocks */
	int fd;
	uint64_t blocks; /* of the file */
	uint64_t count;  /* to read */
	uint64_t next, done;
};

/* The n-th block to read; where shuffled, by steps of a prime. */
static uint64_t block_at(const struct reading *x, uint64_t n)
{
	return x->r->shuffled ? n * 2654435761u % x->blocks : n;
}

static void put(struct reading *x, unsigned slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&x->ring);
	size_t block = (size_t)x->r->block_bytes;
	io_uring_prep_read(sqe, x->fd, x->buffer + slot * block, (unsigned)block,
			   block_at(x, x->next) * block);
	io_uring_sqe_set_data64(sqe, slot);
	x->next++;
}

/* What came of one block; the slot reads the next one. */
static int judge(struct reading *x, unsigned slot, int got, bool more)
{
	x->done++;
	if (got >= 0 && (uint64_t)got != x->r->block_bytes)
		got = -EIO;
	if (got < 0)
		return got;
	x->r->read_bytes += (uint64_t)got;
	if (more && x->next < x->count)
		put(x, slot);
	return 0;
}

static int take(struct reading *x, bool more)
{
	struct io_uring_cqe *cqe;
	int rc = io_uring_submit_and_wait(&x->ring, 1);
	if (rc < 0)
		return rc == -EINTR ? 0 : rc;
	for (rc = 0; !io_uring_peek_cqe(&x->ring, &cqe);) {
		unsigned slot = (unsigned)io_uring_cqe_get_data64(cqe);
		int got = cqe->res;
		io_uring_cqe_seen(&x->ring, cqe);
		got = judge(x, slot, got, more && !rc);
		rc = rc ? rc : got;
	}
	return rc;
}

/* After a failure what is under way still comes, and lands in the buffer. */
static int read_blocks(struct reading *x)
{
	int rc = 0;
	uint64_t since = td_clock_ns(), limit = x->r->time_limit_ns;
	for (unsigned slot = 0; slot < x->r->depth && x->next < x->count; slot++)
		put(x, slot);
	while (x->done < x->next) {
		int got = take(x, !rc && (!limit || td_clock_ns() - since < limit));
		rc = rc ? rc : got;
	}
	x->r->ns = (double)(td_clock_ns() - since);
	return rc;
}

static int open_direct(struct td_gpu_reader *r)
{
	int fd = open(r->path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	r->direct = fd >= 0;
	return fd >= 0 ? fd : open(r->path, O_RDONLY | O_CLOEXEC);
}

int td_gpu_disk_read(struct td_gpu_reader *r, struct tide_error *err)
{
	uint64_t blocks = r->bytes / r->block_bytes;
	struct reading x = {.r = r, .fd = open_direct(r), .blocks = blocks, .count = blocks};
	r->read_bytes = 0;
	if (x.fd < 0)
		return tide_fail(err, -errno, "cannot read %s: %s", r->path, strerror(errno));
	int rc = -io_uring_queue_init(r->depth, &x.ring, 0);
	if (rc) {
		close(x.fd);
		return tide_fail(err, -rc, "the kernel gives no io_uring: %s", strerror(rc));
	}
	void *buffer = NULL;
	rc = -posix_memalign(&buffer, 4096, r->depth * (size_t)r->block_bytes);
	x.buffer = buffer;
	if (!rc)
		rc = read_blocks(&x);
	io_uring_queue_exit(&x.ring);
	free(x.buffer);
	close(x.fd);
	return rc ? tide_fail(err, rc, "cannot read %s: %s", r->path, strerror(-rc)) : 0;
}
