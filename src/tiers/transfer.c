#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/limits.h"

#define BLOCK 4096u /* what direct I/O moves */
#define SECTOR 512u
#define STEP_BYTES ((uint64_t)256 << 20)

/* Bytes of the request before the end of the file. */
static size_t in_file(const struct td_io_request *r)
{
	uint64_t end = __atomic_load_n(&r->file->bytes, __ATOMIC_RELAXED);
	if (r->write && r->file->grows)
		return r->bytes;
	if (r->offset >= end)
		return 0;
	return end - r->offset < r->bytes ? (size_t)(end - r->offset) : r->bytes;
}

static void raise_to(uint64_t *bytes, uint64_t end)
{
	uint64_t was = __atomic_load_n(bytes, __ATOMIC_RELAXED);
	while (was < end && !__atomic_compare_exchange_n(bytes, &was, end, true, __ATOMIC_RELAXED,
							 __ATOMIC_RELAXED))
		;
}

/* Allocates the last block of the step. Unlike ftruncate(), that never makes a file smaller, even
 * if other threads do the same. A file system that cannot do it, or that has a limit below the
 * step, is not asked again. */
void td_transfer_make_room(const struct td_io_request *r)
{
	struct td_io_file *f = r->file;
	uint64_t end = r->offset + r->bytes;
	if (!r->write || !f->grows || end <= __atomic_load_n(&f->room_bytes, __ATOMIC_RELAXED))
		return;
	end = (end + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
	bool done = td_core_may_reach(end) && !fallocate(f->fd, 0, (off_t)(end - BLOCK), BLOCK);
	raise_to(&f->room_bytes, done ? end : UINT64_MAX);
}

size_t td_transfer_body(const struct td_io_request *r, int *fd)
{
	const struct td_io_file *f = r->file;
	size_t n = in_file(r);
	*fd = f->direct_fd < 0 ? f->fd : f->direct_fd;
	return f->direct_fd < 0 ? n : n - n % BLOCK;
}

size_t td_transfer_cut(size_t bytes)
{
	size_t half = bytes / 2;
	return half > SECTOR ? half - half % SECTOR : half;
}

static ssize_t move(const struct td_io_request *r, int fd, size_t from, size_t bytes)
{
	char *at = (char *)r->addr + from;
	off_t offset = (off_t)(r->offset + from);
	ssize_t n = r->write ? pwrite(fd, at, bytes, offset) : pread(fd, at, bytes, offset);
	return n < 0 ? -errno : n;
}

static int move_all(const struct td_io_request *r, size_t from, size_t end, size_t first)
{
	bool direct = r->file->direct_fd >= 0;
	while (from < end) {
		size_t n = end - from < first ? end - from : first;
		bool blocks = direct && from % BLOCK == 0 && n >= SECTOR;
		if (blocks && n >= BLOCK)
			n -= n % BLOCK;
		blocks &= n % SECTOR == 0;
		ssize_t moved = move(r, blocks ? r->file->direct_fd : r->file->fd, from, n);
		if (moved == -EINVAL && blocks)
			direct = false; /* this file, or this memory, cannot */
		else if (moved != -EINTR && moved <= 0)
			return moved ? (int)moved : -EIO;
		if (moved > 0)
			from += (size_t)moved;
		first = SIZE_MAX;
	}
	return 0;
}

int td_transfer_rest(struct td_io_request *r, size_t from, size_t first)
{
	size_t end = in_file(r);
	int rc = move_all(r, from, end, first);
	if (rc)
		return rc;
	if (!r->write && end < r->bytes)
		memset((char *)r->addr + end, 0, r->bytes - end);
	if (r->write && r->file->grows)
		raise_to(&r->file->bytes, r->offset + r->bytes);
	return 0;
}
