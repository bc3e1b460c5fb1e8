/* mremap(), and realloc() of what is large: page tables move, where whole chunks can, to another
 * address; other parts are copied. Memory that grew once may grow again: it gets room to grow into,
 * so that many small steps do not move everything each time. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/remap.h"
#include "next.h"
#include "preload.h"

#define READ_WRITE (PROT_READ | PROT_WRITE)

bool td_preload_grow(void *p, size_t had, size_t wanted)
{
	uintptr_t end = (uintptr_t)p + had, to = (uintptr_t)p + wanted;
	struct td_region *r;
	bool grown;

	td_regions_lock();
	r = td_regions_at(&td_taken, (uintptr_t)p);
	grown = r && r->end == end && to > end && to <= r->slack;
	if (grown)
		r->end = to;
	td_regions_unlock();
	return grown;
}

/* ---- without a copy ---- */

static bool is_plain(uintptr_t start, uintptr_t end)
{
	struct td_region *g = td_regions_from(&td_guarded, start);

	return !g || g->start >= end;
}

/* Where the last chunk of p ends, all of which the pager has; 0: p is no whole chunks. */
static uintptr_t last_chunk(uintptr_t start, uintptr_t end)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	struct td_region *r = td_regions_at(&td_taken, start);
	uintptr_t to = td_round_up(end, chunk);

	if (!td_preload_tide || !r || end > r->end || start % chunk || !is_plain(start, end))
		return 0;
	return to == end || (r->end == end && to <= r->slack) ? to : 0;
}

static void *reserve(size_t bytes)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	uintptr_t at, start;
	void *p = next.mmap(NULL, bytes + chunk, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || bytes + chunk < bytes)
		return NULL;
	at = (uintptr_t)p;
	start = td_round_up(at, chunk);
	if (start != at)
		next.munmap(p, start - at);
	if (start != at + chunk)
		next.munmap((void *)(start + bytes), at + chunk - start);
	return (void *)start;
}

/* What is there goes first; and it is the pager's as a whole, or nothing is. */
static void *reserve_there(void *there, size_t bytes)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	uintptr_t start = (uintptr_t)there;

	if (start % chunk || bytes % chunk)
		return NULL;
	if (td_regions_cut(&td_taken, start, start + bytes, td_preload_give))
		return NULL;
	return next.mmap(there, bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == there
		       ? there
		       : NULL;
}

/* The region of p, and what nobody needs any more behind it, are taken off the list. */
static void take_off(uintptr_t start, uintptr_t end, uintptr_t moved)
{
	struct td_region r = *td_regions_at(&td_taken, start);

	td_regions_cut(&td_taken, start, end, NULL);
	if (r.end == end && r.slack > moved)
		tide_unmap(td_preload_tide, (void *)moved, r.slack - moved, NULL);
}

/* td_taken is locked, and has room for two more. */
static void *move_to(uintptr_t start, uintptr_t end, uintptr_t moved, size_t wanted, size_t spare,
		     void *there, bool keep)
{
	size_t all = td_round_up(wanted, td_preload_settings.chunk_bytes) + spare;
	int kind = td_regions_at(&td_taken, start)->kind;
	void *to = there ? reserve_there(there, wanted) : reserve(all);
	uintptr_t at = (uintptr_t)to;

	if (!to)
		return NULL;
	if (td_lib_remap(td_preload_tide, (void *)start, moved - start, to, all, keep, NULL)) {
		next.munmap(to, all);
		return NULL;
	}
	take_off(start, end, moved);
	if (keep && moved != end)
		next.munmap((void *)end, moved - end);
	td_regions_add(&td_taken, (struct td_region){at, at + wanted, at + all, kind});
	return to;
}

void *td_preload_move(void *p, size_t had, size_t wanted, void *there, bool keep)
{
	uintptr_t start = (uintptr_t)p, end = start + had, moved;
	size_t spare = 0;
	void *to = NULL;

	if (wanted > SIZE_MAX / 4)
		return NULL;
	if (!there && wanted > had && td_preload_may_spare())
		spare = td_round_up(wanted / 2, td_preload_settings.chunk_bytes);
	td_regions_lock();
	td_preload_inside++;
	moved = last_chunk(start, end);
	if (moved && wanted >= had && !td_regions_room(&td_taken, 3)) {
		to = move_to(start, end, moved, wanted, spare, there, keep);
		if (!to && spare)
			to = move_to(start, end, moved, wanted, 0, there, keep);
	}
	td_preload_inside--;
	td_regions_unlock();
	return to;
}

/* Memory beyond the end is zero, for when it comes back. Parts of pages are for large pages. */
static bool clear_rest(uintptr_t from, uintptr_t to)
{
	uintptr_t page = td_round_up(from, td_preload_settings.page_bytes);
	int rc = 0;

	memset((void *)from, 0, (page < to ? page : to) - from);
	td_preload_inside++;
	if (page < to)
		rc = tide_advise(td_preload_tide, (void *)page, to - page, TIDE_DROP, NULL);
	td_preload_inside--;
	return !rc;
}

/* The region ends at `to`, and the pager's memory for it where it did or at `keep`. */
static int leave(uintptr_t start, uintptr_t to, uintptr_t keep)
{
	struct td_region *r;

	td_regions_lock();
	r = td_regions_at(&td_taken, start);
	r->end = to;
	if (r->slack < keep)
		r->slack = keep;
	td_regions_unlock();
	return 0;
}

int td_preload_shrink(void *p, size_t had, size_t wanted)
{
	uintptr_t start = (uintptr_t)p, end = start + had, to = start + wanted, keep = 0;
	struct td_region *r;

	td_regions_lock();
	r = td_regions_at(&td_taken, start);
	if (td_preload_tide && r && r->end == end && is_plain(start, end)) {
		keep = td_round_up(to, td_preload_settings.chunk_bytes);
		keep = keep < r->slack ? keep : r->slack;
	}
	td_regions_unlock();
	/* With the lock a fault would be served, but not what a handler of its failure does. */
	if (!keep || keep == to || !clear_rest(to, keep < end ? keep : end))
		return td_preload_cut((char *)p + wanted, had - wanted);
	return keep < end ? td_preload_cut((void *)keep, end - keep) ?: leave(start, to, keep)
			  : leave(start, to, keep);
}

/* ---- by a copy ---- */

/* Where the program says where, it gets plain memory, as from any MAP_FIXED. */
static void *room_for(size_t bytes, int fixed, void *where)
{
	void *p = NULL;

	if (!fixed && td_preload_wants(bytes))
		p = td_preload_take(bytes, 1, TD_TAKE_MAPPING | TD_TAKE_GROWS);
	return p ? p : mmap(where, bytes, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
}

static void *to_elsewhere(void *old, size_t old_bytes, size_t bytes, int fixed, void *where,
			  bool keep)
{
	void *p = room_for(bytes, fixed, where);

	if (p == MAP_FAILED)
		return p;
	memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
	if (keep)
		madvise(old, old_bytes, MADV_DONTNEED);
	else
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

#define KNOWN (MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP)

static bool can_remap(void *old, size_t old_bytes, size_t bytes, int flags, void *where)
{
	if (!old_bytes || !bytes || (flags & ~KNOWN))
		return false;
	if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && !(flags & MREMAP_MAYMOVE))
		return false;
	if ((flags & MREMAP_DONTUNMAP) && bytes != old_bytes)
		return false;
	return !((flags & MREMAP_FIXED) &&
		 ((uintptr_t)where % TD_OS_PAGE || overlap(old, old_bytes, where, bytes)));
}

static bool page_there(void *at, size_t bytes)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	uintptr_t start = (uintptr_t)at, end = start + bytes;
	bool paged = false;

	if (!td_preload_tide || start % chunk || bytes % chunk)
		return false;
	td_regions_lock();
	td_preload_inside++;
	if (!td_regions_room(&td_taken, 1) && !td_lib_map_over(td_preload_tide, at, bytes, NULL))
		paged = !td_regions_add(&td_taken, (struct td_region){start, end, end, 0});
	td_preload_inside--;
	td_regions_unlock();
	return paged;
}

/* Where it was, there is new memory; the addresses are reserved. */
static bool leave_new(void *old, size_t bytes)
{
	return page_there(old, bytes) ||
	       next.mmap(old, bytes, READ_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == old;
}

static void *elsewhere(void *old, size_t old_bytes, size_t bytes, int flags, void *where)
{
	bool fixed = flags & MREMAP_FIXED, keep = flags & MREMAP_DONTUNMAP;
	void *to;

	if (bytes < old_bytes) {
		int rc = td_preload_shrink(old, old_bytes, bytes);
		if (rc)
			return errno = -rc, MAP_FAILED;
		old_bytes = bytes;
	}
	to = td_preload_move(old, old_bytes, bytes, fixed ? where : NULL, keep);
	if (!to)
		return to_elsewhere(old, old_bytes, bytes, fixed ? MAP_FIXED : 0,
				    fixed ? where : NULL, keep);
	return keep && !leave_new(old, old_bytes) ? MAP_FAILED : to;
}

static void *remap_ours(void *old, size_t old_bytes, size_t bytes, int flags, void *where)
{
	bool one = in_one(old, old_bytes);
	int rc;

	if (!one || !can_remap(old, old_bytes, bytes, flags, where)) {
		errno = one ? EINVAL : EFAULT;
		return MAP_FAILED;
	}
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		return elsewhere(old, old_bytes, bytes, flags, where);
	if (bytes <= old_bytes) {
		rc = td_preload_cut((char *)old + bytes, old_bytes - bytes);
		if (rc)
			errno = -rc;
		return rc ? MAP_FAILED : old;
	}
	if (td_preload_grow(old, old_bytes, bytes))
		return old;
	if (!(flags & MREMAP_MAYMOVE)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return elsewhere(old, old_bytes, bytes, flags, NULL);
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
					 ? td_preload_cut(where, rounded)
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
