/* mremap(), by a new mapping and a copy. Memory that grew once may grow again: it gets room to grow
 * into, so that many small steps do not copy everything each time. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

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

/* Where the program says where, it gets plain memory, as from any MAP_FIXED. */
static void *room_for(size_t bytes, int fixed, void *where)
{
	void *p = NULL;

	if (!fixed && td_preload_wants(bytes))
		p = td_preload_take(bytes, 1, TD_TAKE_MAPPING | TD_TAKE_GROWS);
	return p ? p : mmap(where, bytes, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
}

static void *to_elsewhere(void *old, size_t old_bytes, size_t bytes, int fixed, void *where)
{
	void *p = room_for(bytes, fixed, where);

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
		int rc = td_preload_cut((char *)old + bytes, old_bytes - bytes);
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
