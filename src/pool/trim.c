/* Makes ranges read as zero without writing zeros: the file gets a hole, or unwritten space, and
 * the pages leave memory. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "inside.h"

#define PAGES_AT_ONCE 256
#define SMALL_BYTES 65536 /* zeros that cost less in memory than a call of the file system */

static int write_zeros(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	return td_pool_write(p, NULL, bytes, offset, err);
}

static int zero_pages(struct td_pool *p, uint64_t first, uint64_t end, struct tide_error *err)
{
	return write_zeros(p, first * p->page_bytes, (end - first) * p->page_bytes, err);
}

static int refuse_slow(const struct td_pool *p, struct tide_error *err)
{
	return tide_fail(err, -EOPNOTSUPP,
			 "this range of %s cannot become zero without writing: write zeros",
			 p->file.name);
}

/* ---- whole pages ---- */

/* No crew is at work, so no page is read or written meanwhile. Pinned pages stay. */
static size_t forget_pages(struct td_pool *p, uint64_t first, uint64_t end, uint64_t *pinned)
{
	size_t n = 0;
	for (uint64_t page = first; page < end; page++)
		if (!td_pool_forget(p, page))
			pinned[n++] = page;
	return n;
}

static int punch(const struct td_pool *p, uint64_t first, uint64_t end, unsigned how)
{
	int mode = how & TIDE_POOL_KEEP ? FALLOC_FL_ZERO_RANGE : FALLOC_FL_PUNCH_HOLE, rc;
	do
		rc = fallocate(p->file.fd, mode | FALLOC_FL_KEEP_SIZE,
			       (off_t)(first * p->page_bytes),
			       (off_t)((end - first) * p->page_bytes));
	while (rc && errno == EINTR);
	return rc;
}

static bool has_window(struct td_pool *p, uint64_t first, uint64_t end)
{
	for (uint64_t page = first; page < end; page++)
		if (td_pool_window_find(p, page))
			return true;
	return false;
}

/* A thread needs only the lock to pin a page of several blocks. No page may be pinned meanwhile:
 * putting zeros into shared blocks may fail, and then the file must not have the zeros already. So
 * the lock is kept here. */
static bool try_punch(struct td_pool *p, uint64_t first, uint64_t end, unsigned how)
{
	if (p->degree > 1)
		return !has_window(p, first, end) && !punch(p, first, end, how);
	pthread_mutex_unlock(&p->lock);
	bool punched = !punch(p, first, end, how);
	pthread_mutex_lock(&p->lock);
	return punched;
}

/* Pages in memory are forgotten only when the file has no more of them. If the file system cannot
 * punch holes, zeros are written, which may fail. */
static int clear_some(struct td_pool *p, uint64_t first, uint64_t end, unsigned how,
		      struct tide_error *err)
{
	uint64_t pinned[PAGES_AT_ONCE];
	int rc = 0;
	if (!(how & TIDE_POOL_KEEP) && td_pool_is_hole(p, first, end))
		return 0;
	pthread_mutex_lock(&p->lock);
	td_pool_exclusive_begin(p);
	bool punched = try_punch(p, first, end, how);
	size_t n = punched ? forget_pages(p, first, end, pinned) : 0;
	td_pool_exclusive_end(p);
	pthread_mutex_unlock(&p->lock);
	if (!punched)
		return how & TIDE_POOL_FAST ? refuse_slow(p, err) : zero_pages(p, first, end, err);
	for (size_t i = 0; !rc && i < n; i++)
		rc = zero_pages(p, pinned[i], pinned[i] + 1, err);
	return rc;
}

static int clear_pages(struct td_pool *p, uint64_t page, uint64_t end, unsigned how,
		       struct tide_error *err)
{
	int rc = 0;
	for (; !rc && page < end; page += PAGES_AT_ONCE) {
		uint64_t stop = end - page < PAGES_AT_ONCE ? end : page + PAGES_AT_ONCE;
		rc = clear_some(p, page, stop, how, err);
	}
	return rc;
}

/* ---- any range ---- */

/* To keep its space, a block device may write zeros itself, which takes as long as writing them. */
static bool is_slow(const struct td_pool *p, unsigned how)
{
	struct stat st;
	return how == (TIDE_POOL_KEEP | TIDE_POOL_FAST) &&
	       (fstat(p->file.fd, &st) || S_ISBLK(st.st_mode));
}

/* Less than a page. */
static int clear_part(struct td_pool *p, uint64_t offset, uint64_t bytes, unsigned how,
		      struct tide_error *err)
{
	uint64_t page = offset / p->page_bytes;
	if (!bytes || (!(how & TIDE_POOL_KEEP) && td_pool_is_hole(p, page, page + 1)))
		return 0;
	return how & TIDE_POOL_FAST ? refuse_slow(p, err) : write_zeros(p, offset, bytes, err);
}

/* The parts before and behind the whole pages come first: a fast call should fail early. The last
 * page of the file is whole even if the file ends within it. */
static int clear_range(struct td_pool *p, uint64_t offset, uint64_t end, unsigned how,
		       struct tide_error *err)
{
	uint64_t first = (offset + p->page_bytes - 1) / p->page_bytes;
	uint64_t last = end == p->file.bytes ? p->pages : end / p->page_bytes;
	if (first > last) /* both ends are within one page */
		return clear_part(p, offset, end - offset, how, err);
	uint64_t from = first * p->page_bytes, to = last * p->page_bytes;
	int rc = clear_part(p, offset, (from < end ? from : end) - offset, how, err);
	if (!rc && to < end)
		rc = clear_part(p, to, end - to, how, err);
	return rc ? rc : clear_pages(p, first, last, how, err);
}

int td_pool_clear(struct td_pool *p, uint64_t offset, uint64_t bytes, unsigned how,
		  struct tide_error *err)
{
	uint64_t size = td_pool_bytes(p);
	if (p->read_only || offset > size || bytes > size - offset)
		return write_zeros(p, offset, bytes, err); /* says what is wrong */
	if (how == TIDE_POOL_KEEP && bytes <= SMALL_BYTES)
		return write_zeros(p, offset, bytes, err);
	if (is_slow(p, how))
		return refuse_slow(p, err);
	return clear_range(p, offset, offset + bytes, how, err);
}
