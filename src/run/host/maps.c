/* mmap() and its family: private anonymous memory of at least the threshold comes from the pager.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "next.h"
#include "preload.h"

#define READ_WRITE (PROT_READ | PROT_WRITE)
/* Stacks grow and are guarded, huge and locked pages are not to be moved, and whoever says where
 * knows better what is there. */
#define NOT_TAKEN \
	(MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_STACK | MAP_GROWSDOWN | MAP_HUGETLB | MAP_LOCKED | \
	 MAP_32BIT)

static int failed(int rc)
{
	errno = -rc;
	return -1;
}

/* ---- taking and giving ---- */

static void unmap(uintptr_t start, uintptr_t end)
{
	struct tide_error err;

	if (start >= end)
		return;
	td_preload_inside++;
	if (!td_preload_tide)
		next.munmap((void *)start, end - start);
	else if (tide_unmap(td_preload_tide, (void *)start, end - start, &err))
		td_preload_say_once("memory that is no longer used stays mapped: %s", err.text);
	td_preload_inside--;
}

static bool is_free(uintptr_t start, uintptr_t end)
{
	struct td_region *r = td_regions_from(&td_taken, start);

	return !r || r->start >= end;
}

/* Whole pages of the pager's only: where these are larger than the system's, the parts at both
 * ends stay until their neighbours go. */
void td_preload_give(uintptr_t start, uintptr_t end)
{
	size_t page = td_preload_tide ? td_preload_settings.page_bytes : TD_OS_PAGE;
	uintptr_t from = td_round_up(start, page), to = end / page * page;

	td_preload_inside++;
	td_preload_publish(); /* as it was with it */
	td_preload_inside--;
	td_regions_cut(&td_guarded, start, end, NULL);
	if (from != start && is_free(from - page, start))
		from -= page;
	if (to != end && is_free(end, to + page))
		to += page;
	unmap(from, to);
}

static void *map(size_t bytes)
{
	struct tide_error err;
	void *p;
	int rc;

	td_preload_inside++;
	rc = tide_map(td_preload_tide, &p, bytes, NULL, &err);
	if (rc)
		td_preload_say_once("an allocation of %zu bytes is not paged: %s", bytes, err.text);
	td_preload_inside--;
	return rc ? NULL : p;
}

/* Cuts what alignment does not need off both ends. */
static struct td_region fit(uintptr_t at, size_t mapped, size_t bytes, size_t align)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	uintptr_t start = td_round_up(at, align), end = start + td_round_up(bytes, TD_OS_PAGE);
	uintptr_t slack = td_round_up(end, chunk);

	unmap(at, start / chunk * chunk);
	unmap(slack, at + mapped);
	return (struct td_region){start, end, slack, 0};
}

void *td_preload_take(size_t bytes, size_t align, bool heap)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	size_t extra = align > chunk ? align : 0;
	size_t mapped = td_round_up(bytes, chunk) + extra;
	struct td_region r;
	void *p;
	int rc;

	if (mapped < bytes || !(p = map(mapped)))
		return NULL;
	r = fit((uintptr_t)p, mapped, bytes, align > chunk ? align : chunk);
	r.kind = heap;
	td_regions_lock();
	rc = td_regions_add(&td_taken, r);
	td_regions_unlock();
	if (rc)
		unmap(r.start, r.slack);
	return rc ? NULL : (void *)r.start;
}

/* ---- mmap ---- */

static bool is_for_us(size_t bytes, int prot, int flags)
{
	return prot == READ_WRITE && (flags & MAP_ANONYMOUS) && !(flags & NOT_TAKEN) &&
	       (flags & MAP_TYPE) == MAP_PRIVATE && td_preload_wants(bytes);
}

bool td_preload_touches(const void *addr, size_t bytes)
{
	bool yes;

	if (td_preload_inside)
		return false;
	td_regions_lock();
	yes = !is_free((uintptr_t)addr, (uintptr_t)addr + bytes);
	td_regions_unlock();
	return yes;
}

bool td_preload_whole_pages(const void *addr, size_t bytes, const char *what)
{
	size_t page = td_preload_settings.page_bytes;

	if (!td_preload_tide || ((uintptr_t)addr % page == 0 && bytes % page == 0))
		return true;
	td_preload_say_once("%s of a part of a page of %zu bytes is refused: use --page 4K", what,
			    page);
	errno = ENOMEM;
	return false;
}

static int cut(void *addr, size_t bytes)
{
	int rc;

	td_regions_lock();
	rc = td_regions_cut(&td_taken, (uintptr_t)addr, (uintptr_t)addr + bytes, td_preload_give);
	td_regions_unlock();
	return rc;
}

TD_EXPORT void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	size_t rounded = td_round_up(bytes, TD_OS_PAGE);
	void *p;

	if (is_for_us(bytes, prot, flags) && (p = td_preload_take(bytes, 1, false)))
		return p;
	/* Memory of ours that others map over is no longer ours. */
	if ((flags & MAP_FIXED) && td_preload_touches(addr, rounded)) {
		int rc;
		if (!td_preload_whole_pages(addr, rounded, "mmap() with MAP_FIXED"))
			return MAP_FAILED;
		rc = cut(addr, rounded);
		if (rc) {
			errno = -rc;
			return MAP_FAILED;
		}
	}
	return next.mmap(addr, bytes, prot, flags, fd, offset);
}

TD_EXPORT void *mmap64(void *addr, size_t bytes, int prot, int flags, int fd, off64_t offset)
{
	return mmap(addr, bytes, prot, flags, fd, offset);
}

/* The end of the part that begins at start; *ours: is it taken? */
static uintptr_t part_end(uintptr_t start, uintptr_t end, bool *ours)
{
	struct td_region *r;
	uintptr_t to = end;

	td_regions_lock();
	r = td_regions_from(&td_taken, start);
	*ours = r && r->start <= start;
	if (*ours && r->end < end)
		to = r->end;
	if (!*ours && r && r->start < end)
		to = r->start;
	td_regions_unlock();
	return to;
}

int td_preload_walk(void *addr, size_t bytes, int arg, td_preload_part *ours,
		    td_preload_part *others)
{
	uintptr_t start = (uintptr_t)addr, end = start + td_round_up(bytes, TD_OS_PAGE);
	int rc = 0;

	if (start % TD_OS_PAGE || end < start)
		return failed(-EINVAL);
	while (start < end && !rc) {
		bool taken;
		uintptr_t to = part_end(start, end, &taken);
		rc = (taken ? ours : others)((void *)start, to - start, arg);
		start = to;
	}
	return rc;
}

static int unmap_ours(void *addr, size_t bytes, int arg)
{
	int rc = cut(addr, bytes);

	(void)arg;
	return rc ? failed(rc) : 0;
}

static int unmap_others(void *addr, size_t bytes, int arg)
{
	(void)arg;
	return next.munmap(addr, bytes);
}

TD_EXPORT int munmap(void *addr, size_t bytes)
{
	if (!td_preload_touches(addr, bytes))
		return next.munmap(addr, bytes);
	return td_preload_walk(addr, bytes, 0, unmap_ours, unmap_others);
}

/* ---- mremap: emulated, by a new mapping and a copy ---- */

/* Where the program says where, it gets plain memory, as from any MAP_FIXED. */
static void *to_elsewhere(void *old, size_t old_bytes, size_t bytes, int fixed, void *where)
{
	void *p = mmap(where, bytes, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);

	if (p == MAP_FAILED)
		return p;
	memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
	munmap(old, old_bytes);
	return p;
}

/* Within one region, as the kernel wants it within one mapping. */
static bool in_one(void *addr, size_t bytes)
{
	struct td_region *r;
	bool yes;

	td_regions_lock();
	r = td_regions_at(&td_taken, (uintptr_t)addr);
	yes = r && (uintptr_t)addr + bytes <= r->end;
	td_regions_unlock();
	return yes;
}

static bool overlap(const char *one, size_t one_bytes, const char *two, size_t two_bytes)
{
	return one < two + two_bytes && two < one + one_bytes;
}

static bool can_remap(void *old, size_t old_bytes, size_t bytes, int flags, void *where)
{
	return old_bytes && bytes && !(flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED)) &&
	       !((flags & MREMAP_FIXED) && overlap(old, old_bytes, where, bytes));
}

static void *remap_ours(void *old, size_t old_bytes, size_t bytes, int flags, void *where)
{
	bool one = in_one(old, old_bytes);

	if (!one || !can_remap(old, old_bytes, bytes, flags, where)) {
		errno = one ? EINVAL : EFAULT;
		return MAP_FAILED;
	}
	if (flags & MREMAP_FIXED)
		return to_elsewhere(old, old_bytes, bytes, MAP_FIXED, where);
	if (bytes <= old_bytes) {
		int rc = cut((char *)old + bytes, old_bytes - bytes);
		if (rc)
			errno = -rc;
		return rc ? MAP_FAILED : old;
	}
	if (!(flags & MREMAP_MAYMOVE)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return to_elsewhere(old, old_bytes, bytes, 0, NULL);
}

TD_EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	void *where = NULL;

	if (flags & MREMAP_FIXED) {
		va_list args;
		va_start(args, flags);
		where = va_arg(args, void *);
		va_end(args);
	}
	if (td_preload_inside || !td_preload_touches(old, old_bytes ? old_bytes : 1)) {
		size_t rounded = td_round_up(bytes, TD_OS_PAGE);
		if ((flags & MREMAP_FIXED) && td_preload_touches(where, rounded)) {
			int rc = td_preload_whole_pages(where, rounded, "mremap()")
					 ? cut(where, rounded)
					 : -ENOMEM;
			if (rc) {
				errno = -rc;
				return MAP_FAILED;
			}
		}
		return next.mremap(old, old_bytes, bytes, flags, where);
	}
	return remap_ours(old, td_round_up(old_bytes, TD_OS_PAGE), td_round_up(bytes, TD_OS_PAGE),
			  flags, where);
}
