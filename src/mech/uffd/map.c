/* Address ranges come and go. */
#include "core/assert.h"
#include "core/limits.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- mapping ---- */

static const char *hint(int rc)
{
	switch (rc) {
	case -EFBIG: return ": raise the limit on the size of files (ulimit -f)";
	case -ENOMEM: return ": is there a limit on addresses (ulimit -v)?";
	default: return "";
	}
}

/* Room for the range, at a multiple of the chunk. */
static int reserve(struct td_pager *p, unsigned char **out, size_t bytes, void *at,
		   struct tide_error *err)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	if ((uintptr_t)at % p->chunk_bytes)
		return tide_fail(err, -EINVAL,
				 "the address %p is no multiple of the chunk size: %zu", at,
				 p->chunk_bytes);
	size_t room = at ? bytes : bytes + p->chunk_bytes;
	unsigned char *got =
		mmap(at, room, PROT_NONE, flags | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
	if (got == MAP_FAILED && errno == EEXIST)
		return tide_fail(err, -EEXIST, "the address %p is in use: give another, or none",
				 at);
	if (got == MAP_FAILED)
		return tide_fail(err, -errno, "cannot reserve %zu bytes of addresses: %s%s", bytes,
				 strerror(errno), hint(-errno));
	*out = got;
	if (at)
		return 0;
	size_t skip = (p->chunk_bytes - (uintptr_t)got % p->chunk_bytes) % p->chunk_bytes;
	*out = got + skip;
	if (skip)
		munmap(got, skip);
	if (room - skip > bytes)
		munmap(*out + bytes, room - skip - bytes);
	return 0;
}

int td_extent_map(struct td_pager *p, struct td_extent *x, int flags, int fd, off_t offset)
{
	size_t bytes = x->pages * p->page_bytes;
	int rights = PROT_READ | (x->read_only ? 0 : PROT_WRITE);
	flags |= MAP_NORESERVE;
	if (mmap(x->base, bytes, rights, flags | MAP_FIXED, fd, offset) == MAP_FAILED)
		return -errno;
	x->view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
	if (x->view == MAP_FAILED)
		return -errno;
	madvise(x->base, bytes, MADV_DONTFORK);
	madvise(x->view, bytes, MADV_DONTFORK);
	/* A huge page would come whole, and hide who touched what. */
	if (p->chunk_bytes < 2u << 20)
		madvise(x->base, bytes, MADV_NOHUGEPAGE);
	return 0;
}

int td_extent_register(struct td_pager *p, struct td_extent *x, enum td_uffd_kind kind)
{
	return td_uffd_register(p->uffd, x->base, x->pages * p->page_bytes, kind, p->has);
}

void td_pager_mark(struct td_pager *p, enum tide_mark_kind kind, uint64_t page, uint64_t pages)
{
	struct tide_mark mark = {.kind = (uint8_t)kind, .page = page, .pages = pages};
	if (p->config.mark)
		p->config.mark(p->config.record_arg, &mark);
}

/* The lock is held. */
static int number_extent(struct td_pager *p, struct td_extent *x, struct tide_error *err)
{
	int rc = td_pager_take_numbers(p, x->pages, &x->first);
	bool taken = !rc;
	if (!rc)
		rc = td_pager_reserve_chunks(p, (x->first + x->pages) / p->chunk_pages);
	if (rc)
		tide_fail(err, rc, "cannot keep the state of %llu more chunks: %s",
			  (unsigned long long)(x->pages / p->chunk_pages), strerror(-rc));
	else
		rc = td_engine_map(p->engine, x->first, x->pages, err);
	if (rc && taken)
		td_pager_give_numbers(p, x->first, x->pages);
	return rc;
}

/* Its pages go to storage at their own place, however few of them do. */
static bool storage_may_hold(const struct td_pager *p, const struct td_extent *x)
{
	return !p->has_storage || x->shared || x->read_only ||
	       td_core_may_reach((x->first + x->pages) * p->page_bytes);
}

static int add(struct td_pager *p, struct td_extent *x, struct tide_error *err)
{
	int rc = number_extent(p, x, err);
	if (rc)
		return rc;
	rc = storage_may_hold(p, x) ? x->mapping->attach(p, x) : -EFBIG;
	if (!rc)
		rc = td_pager_add_extent(p, x);
	if (rc) {
		td_engine_gone(p->engine, x->first, x->pages, NULL);
		td_pager_give_numbers(p, x->first, x->pages);
		return tide_fail(err, rc, "cannot map %llu pages: %s%s",
				 (unsigned long long)x->pages, strerror(-rc), hint(rc));
	}
	td_pager_mark(p, TIDE_MARK_MAP, x->first, x->pages);
	p->mapped_pages += x->pages;
	return 0;
}

static int open_file(struct td_pager *p, struct td_extent *x, const struct td_uffd_file *file,
		     size_t *bytes, struct tide_error *err)
{
	if (!file || !file->path)
		return *bytes ? 0 : tide_fail(err, -EINVAL, "nothing to map: give a size");
	if (file->offset % p->page_bytes)
		return tide_fail(err, -EINVAL,
				 "the offset in %s is no multiple of the page size: %u", file->path,
				 p->page_bytes);
	int rc = td_io_file_open(&x->file, file->path,
				 file->shared && !file->read_only ? TD_IO_WRITE : TD_IO_READ, err);
	if (rc)
		return rc;
	x->has_file = true;
	x->shared = file->shared && !file->read_only;
	x->read_only = file->read_only;
	x->file_offset = file->offset;
	if (!*bytes && x->file.bytes > file->offset)
		*bytes = x->file.bytes - file->offset;
	return *bytes ? 0 : tide_fail(err, -EINVAL, "%s has nothing at the offset", file->path);
}

/* All of it must have a place, if it comes to that. How many pages compressed memory holds depends
 * on their content, and is not known before they come. */
static int check_room(struct td_pager *p, const struct td_extent *x, struct tide_error *err)
{
	bool has_place = p->has_storage || p->store || p->config.host_pages == UINT64_MAX ||
			 x->shared || x->read_only;
	uint64_t room = p->config.near_pages + p->config.host_pages;
	uint64_t all = p->mapped_pages + x->pages;
	if (has_place || all <= room)
		return 0;
	return tide_fail(err, -ENOMEM,
			 "all mappings together are %" PRIu64
			 " pages, near memory and tier 2 have %" PRIu64
			 ": give storage, or a larger tier 2",
			 all, room);
}

int td_pager_map(struct td_pager *p, void **out, size_t bytes, void *at,
		 const struct td_uffd_file *file, struct tide_error *err)
{
	struct td_extent *x = calloc(1, sizeof *x);
	struct td_pager_caller saved;
	bool over = file && file->over;
	if (!x)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = open_file(p, x, file, &bytes, err);
	if (!rc && bytes > SIZE_MAX / 4)
		rc = tide_fail(err, -EINVAL, "a mapping of %zu bytes is too large", bytes);
	x->mapping = td_pager_mapping_of(p, x);
	x->tracks = p->tracks_writes && x->mapping->tracks_writes;
	x->pages = x->exists = (bytes + p->chunk_bytes - 1) / p->chunk_bytes * p->chunk_pages;
	x->asked = (bytes + p->page_bytes - 1) / p->page_bytes;
	bytes = x->pages * p->page_bytes;
	if (!rc)
		rc = over ? 0 : reserve(p, &x->base, bytes, at, err);
	if (over)
		x->base = at;
	if (!rc) {
		td_pager_enter(p, &saved);
		rc = check_room(p, x, err);
		if (!rc && x->has_file && (rc = td_pager_start_helpers(p)))
			tide_fail(err, rc, "cannot start threads: %s", strerror(-rc));
		if (!rc)
			rc = add(p, x, err);
		td_pager_leave(p, &saved);
	}
	if (!rc) {
		*out = x->base;
		return 0;
	}
	if (x->view && x->view != MAP_FAILED)
		munmap(x->view, bytes);
	if (x->base && !over)
		munmap(x->base, bytes);
	if (x->has_file)
		td_io_file_close(&x->file);
	free(x);
	return rc;
}

/* At its place in another process. */
int td_pager_map_lent(struct td_pager *p, const struct td_uffd_lent_region *region,
		      const char *snapshot, struct tide_error *err)
{
	struct td_uffd_file file = {.path = snapshot, .offset = region->file_offset};
	struct td_extent *x = calloc(1, sizeof *x);
	struct td_pager_caller saved;
	size_t bytes = region->bytes;
	if (!x)
		return tide_fail(err, -ENOMEM, "out of memory");
	x->mapping = p->mapping;
	x->tracks = p->tracks_writes;
	x->base = (unsigned char *)(uintptr_t)region->base;
	x->memory_offset = region->memory_offset;
	x->pages = x->exists = x->asked = bytes / p->page_bytes;
	int rc = open_file(p, x, &file, &bytes, err);
	if (!rc) {
		td_pager_enter(p, &saved);
		rc = add(p, x, err);
		td_pager_leave(p, &saved);
	}
	if (!rc)
		return 0;
	if (x->view && x->view != MAP_FAILED)
		munmap(x->view, bytes);
	if (x->has_file)
		td_io_file_close(&x->file);
	free(x);
	return rc;
}

/* ---- unmapping ---- */

void td_pager_forget_packed(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	for (; pages; pages &= pages - 1)
		td_store_drop(p->store,
			      (uint64_t)chunk * p->chunk_pages + (unsigned)__builtin_ctzll(pages));
}

void td_pager_forget_pages(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	uint64_t tier2 = td_pager_in_tier2(p, chunk) & pages;
	uint64_t lingering = td_pager_get(p, chunk, LANE_LINGER) & pages;
	uint64_t held = td_pager_get(p, chunk, LANE_HELD) & pages;
	uint64_t packed = td_pager_get(p, chunk, LANE_STORED) & pages;
	td_pager_forget_packed(p, chunk, packed);
	p->packed_near -= td_lanes_count(packed & ~tier2);
	p->swapped_pages -= td_lanes_count(td_pager_get(p, chunk, LANE_SWAPPED) & pages);
	td_assert(!(*td_pager_state(p, chunk) & CHUNK_BUSY));
	td_assert(p->tier2_pages >= td_lanes_count(tier2) && p->held_pages >= td_lanes_count(held));
	p->tier2_pages -= td_lanes_count(tier2);
	p->held_pages -= td_lanes_count(held);
	if (lingering)
		td_pager_stop_lingering(p, chunk, lingering);
	/* What was never touched has no state, and need not have any. */
	for (enum td_pager_lane lane = 0; lane < LANES; lane++) {
		if (td_pager_get(p, chunk, lane) & pages)
			td_pager_clear(p, chunk, lane, pages);
	}
	td_pager_requeue(p, chunk);
}

uint32_t td_pager_first_busy(struct td_pager *p, uint64_t first, uint64_t pages)
{
	uint64_t chunk = first / p->chunk_pages;
	uint64_t end = (first + pages + p->chunk_pages - 1) / p->chunk_pages;
	while (chunk < end && !(*td_pager_state(p, (uint32_t)chunk) & CHUNK_BUSY))
		chunk++;
	return chunk < end ? (uint32_t)chunk : TIDE_NIL;
}

void td_pager_await_range(struct td_pager *p, uint64_t first, uint64_t pages)
{
	uint32_t chunk;
	/* While one is waited for others may become busy. */
	while ((chunk = td_pager_first_busy(p, first, pages)) != TIDE_NIL)
		td_pager_await_chunk(p, chunk);
}

/* Which pages of chunk lie in the range. */
uint64_t td_pager_pages_in(const struct td_pager *p, uint32_t chunk, uint64_t first, uint64_t pages)
{
	uint64_t begin = (uint64_t)chunk * p->chunk_pages, end = begin + p->chunk_pages;
	uint64_t low = first > begin ? first : begin;
	uint64_t high = first + pages < end ? first + pages : end;
	return high <= low ? 0 : td_pager_bits((unsigned)(low - begin), (unsigned)(high - low));
}

/* Page numbers of one extent; the lock is held, nothing of it is busy. */
static void forget_range(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages)
{
	uint64_t bytes = pages * p->page_bytes;
	uint32_t last = (uint32_t)((first + pages - 1) / p->chunk_pages);
	munmap(x->base + (first - x->first) * p->page_bytes, bytes);
	for (uint32_t c = (uint32_t)(first / p->chunk_pages); c <= last; c++)
		td_pager_forget_pages(p, c, td_pager_pages_in(p, c, first, pages));
	td_engine_gone(p->engine, first, pages, NULL);
	td_pager_mark(p, TIDE_MARK_GONE, first, pages);
	/* The addresses of the view stay its own until all of it goes. */
	x->mapping->forget(p, x, first, pages);
	if (p->has_storage)
		td_io_punch(&p->storage, first * p->page_bytes, bytes);
	td_assert(p->mapped_pages >= pages && x->exists >= pages);
	p->mapped_pages -= pages;
	x->exists -= pages;
}

static void discard(struct td_extent *x)
{
	if (x->has_file)
		td_io_file_close(&x->file);
	free(x);
}

void td_pager_release_extent(struct td_extent *x)
{
	td_assert(x->users);
	if (!--x->users && x->ended)
		discard(x);
}

static void end_extent(struct td_pager *p, struct td_extent *x)
{
	td_pager_remove_extent(p, x);
	td_pager_give_numbers(p, x->first, x->pages);
	munmap(x->view, x->pages * p->page_bytes);
	x->ended = true;
	if (!x->users)
		discard(x);
}

/* The lock is held. What part of [start, end) belongs to a region goes. */
static int unmap_region(struct td_pager *p, uintptr_t start, uintptr_t end)
{
	const struct td_region *r = td_pager_region_from(p, start);
	struct td_extent *x = r->extent;
	uintptr_t low = r->start > start ? r->start : start, high = r->end < end ? r->end : end;
	/* With the end of what was asked for goes what was added to make it whole chunks. */
	if (high == (uintptr_t)x->base + x->asked * p->page_bytes)
		high = r->end;
	uint64_t first = td_extent_page(p, x, low), pages = (high - low) / p->page_bytes;
	td_pager_await_range(p, first, pages);
	int rc = td_pager_cut_regions(p, low, high);
	if (rc)
		return rc;
	forget_range(p, x, first, pages);
	if (!x->exists)
		end_extent(p, x);
	return 0;
}

void td_pager_unmap_extent(struct td_pager *p, struct td_extent *x)
{
	uintptr_t start = (uintptr_t)x->base, end = start + x->pages * p->page_bytes;
	const struct td_region *r;
	struct td_pager_caller saved;
	td_pager_enter(p, &saved);
	while ((r = td_pager_region_from(p, start)) && r->start < end)
		unmap_region(p, r->start, r->end);
	td_pager_leave(p, &saved);
}

int td_pager_check_range(struct td_pager *p, const void *addr, size_t bytes, uintptr_t *start,
			 uintptr_t *end, struct tide_error *err)
{
	uintptr_t at = (uintptr_t)addr;
	if (at % p->page_bytes)
		return tide_fail(err, -EINVAL, "the address is no multiple of the page size: %u",
				 p->page_bytes);
	if (bytes > UINTPTR_MAX - at - p->page_bytes)
		return tide_fail(err, -EINVAL, "the range is larger than memory");
	*start = at;
	*end = at + (bytes + p->page_bytes - 1) / p->page_bytes * p->page_bytes;
	return 0;
}

int td_pager_unmap(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err)
{
	uintptr_t start = 0, end = 0;
	const struct td_region *r;
	struct td_pager_caller saved;
	int rc = td_pager_check_range(p, addr, bytes, &start, &end, err);
	if (!rc)
		rc = td_pager_sync(p, addr, bytes, err);
	if (rc)
		return rc;
	td_pager_enter(p, &saved);
	while (!rc && (r = td_pager_region_from(p, start)) && r->start < end)
		rc = unmap_region(p, start, end);
	td_pager_leave(p, &saved);
	return rc ? tide_fail(err, rc, "out of memory") : 0;
}

bool td_pager_owns(struct td_pager *p, const void *addr)
{
	struct td_pager_caller saved;
	if (!td_pager_may_own(p, (uintptr_t)addr))
		return false;
	td_pager_enter(p, &saved);
	bool owns = td_pager_region(p, (uintptr_t)addr) != NULL;
	td_pager_leave(p, &saved);
	return owns;
}
