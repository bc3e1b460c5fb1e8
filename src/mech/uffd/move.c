/* A mapping changes its addresses: the kernel moves page tables, and the books stay as they are,
 * for they go by page numbers. No page comes near for it, and no byte is copied. */
#include "core/assert.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <sys/mman.h>

/* ---- write protection ---- */

/* A run of pages that goes on from chunk to chunk. */
struct run {
	unsigned char *at;
	size_t bytes;
};

static int protect(struct td_pager *p, const struct run *run)
{
	return run->bytes ? td_uffd_protect(p->uffd, run->at, run->bytes, true, false) : 0;
}

int td_pager_protect_again(struct td_pager *p, struct td_extent *x)
{
	uint32_t first = (uint32_t)(x->first / p->chunk_pages);
	uint32_t end = first + (uint32_t)(x->pages / p->chunk_pages);
	struct run run = {NULL, 0};
	unsigned at, n;
	int rc = 0;
	for (uint32_t c = first; c < end && !rc && x->tracks; c++) {
		uint64_t pages =
			td_pager_get(p, c, LANE_MAPPED) & ~td_pager_get(p, c, LANE_WRITABLE);
		while (!rc && td_pager_run(&pages, &at, &n)) {
			unsigned char *from = td_extent_at(p, x, c, at);
			if (from != run.at + run.bytes) {
				rc = protect(p, &run);
				run = (struct run){from, 0};
			}
			run.bytes += (size_t)n * p->page_bytes;
		}
	}
	return rc ? rc : protect(p, &run);
}

/* ---- moving ---- */

/* A system call of another thread has the old address. */
static bool is_held(const struct td_pager *p, uint64_t first, uint64_t pages)
{
	for (unsigned i = 0; i < p->pins_n; i++) {
		uint64_t page = (uint64_t)p->pins[i].chunk * p->chunk_pages;
		if (page >= first && page < first + pages)
			return true;
	}
	return false;
}

/* All of it is mapped, in whole extents that can go; nothing of it is busy. */
static int prepare(struct td_pager *p, uintptr_t start, uintptr_t end)
{
	int rc = td_pager_split_at(p, start);
	if (!rc)
		rc = td_pager_split_at(p, end);
	for (uintptr_t at = start; at < end && !rc;) {
		const struct td_region *r = td_pager_region(p, at);
		if (!r || r->start != at || r->end > end || r->extent->users ||
		    (uintptr_t)r->extent->base != r->start ||
		    r->extent->exists != r->extent->pages ||
		    is_held(p, r->extent->first, r->extent->pages))
			return -EBUSY;
		at = r->end;
	}
	return rc;
}

/* The lock is given up while a chunk is waited for, and all may be another then. */
static bool await_calm(struct td_pager *p, uintptr_t start, uintptr_t end)
{
	for (uintptr_t at = start; at < end;) {
		const struct td_region *r = td_pager_region(p, at);
		if (!r)
			return false;
		struct td_extent *x = r->extent;
		uintptr_t to = r->end < end ? r->end : end;
		uint64_t first = td_extent_page(p, x, at), pages = (to - at) / p->page_bytes;
		uint32_t chunk = td_pager_first_busy(p, first, pages);
		if (chunk == TIDE_NIL) {
			at = to;
			continue;
		}
		td_pager_await_chunk(p, chunk);
		at = start;
	}
	return true;
}

static int watch(struct td_pager *p, struct td_extent *x)
{
	int rc = td_extent_register(p, x, x->mapping->kind);
	return rc ? rc : td_pager_protect_again(p, x);
}

/* What arrives can become one mapping with its neighbours, and the kernel (6.18) would then forget
 * that faults of all of it are ours. So it has not been ours for the time of the move. */
static int move_pages(struct td_pager *p, struct td_extent *x, unsigned char *to, bool keep)
{
	size_t bytes = x->pages * p->page_bytes;
	int how = MREMAP_MAYMOVE | MREMAP_FIXED | (keep ? MREMAP_DONTUNMAP : 0);
	int rc = td_uffd_unregister(p->uffd, x->base, bytes);
	if (!rc && mremap(x->base, bytes, bytes, how, to) == MAP_FAILED)
		rc = -errno;
	return rc;
}

static void move_back(struct td_pager *p, struct td_extent *x, unsigned char *to)
{
	if (x->base != to && move_pages(p, x, to, false))
		td_pager_end_program(p, "memory that was moved cannot go back");
	if (x->base != to)
		td_pager_move_region(p, x, to);
	if (watch(p, x))
		td_pager_end_program(p, "memory that was not moved cannot be watched");
}

static int move_extent(struct td_pager *p, struct td_extent *x, unsigned char *to, bool keep)
{
	unsigned char *from = x->base;
	for (uint64_t i = 0; i < x->pages / p->chunk_pages && p->refused_n; i++)
		td_pager_forgive_chunk(p, (uint32_t)(x->first / p->chunk_pages + i));
	int rc = move_pages(p, x, to, keep);
	if (!rc) {
		td_pager_move_region(p, x, to);
		rc = watch(p, x);
	}
	if (rc)
		move_back(p, x, from);
	return rc;
}

/* What has moved goes back where the rest cannot. */
static int move_all(struct td_pager *p, uintptr_t start, uintptr_t end, uintptr_t to, bool keep)
{
	uintptr_t at = start;
	int rc = 0;
	while (at < end && !rc) {
		struct td_extent *x = td_pager_region(p, at)->extent;
		rc = move_extent(p, x, (unsigned char *)(to + (at - start)), keep);
		at += rc ? 0 : x->pages * p->page_bytes;
	}
	for (uintptr_t back = start; rc && back < at;) {
		struct td_extent *x = td_pager_region(p, to + (back - start))->extent;
		move_back(p, x, (unsigned char *)back);
		back += x->pages * p->page_bytes;
	}
	return rc;
}

int td_pager_move(struct td_pager *p, void *old, size_t bytes, void *to, bool keep)
{
	uintptr_t start = (uintptr_t)old, end = start + bytes;
	struct td_pager_caller saved;
	if (start % p->chunk_bytes || (uintptr_t)to % p->chunk_bytes || bytes % p->chunk_bytes)
		return -EINVAL;
	td_pager_enter(p, &saved);
	int rc = await_calm(p, start, end) ? prepare(p, start, end) : -EFAULT;
	if (!rc)
		rc = move_all(p, start, end, (uintptr_t)to, keep);
	td_pager_leave(p, &saved);
	return rc;
}
