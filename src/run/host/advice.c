/* What a program can say of memory that it has: madvise(), mprotect(), msync(), mlock(). */
#include <errno.h>
#include <string.h>

#include "next.h"
#include "preload.h"

static int failed(int rc)
{
	errno = -rc;
	return -1;
}

static int advise(void *addr, size_t bytes, enum tide_advice advice)
{
	int rc;

	if (!bytes)
		return 0;
	td_preload_inside++;
	rc = tide_advise(td_preload_tide, addr, bytes, advice, NULL);
	td_preload_inside--;
	return rc ? failed(rc) : 0;
}

/* The parts at both ends that are less than a page of the pager's are zeroed by hand. */
static int drop(char *addr, size_t bytes)
{
	size_t page = td_preload_settings.page_bytes;
	uintptr_t start = (uintptr_t)addr, end = start + bytes;
	uintptr_t from = td_round_up(start, page), to = end / page * page;

	if (from >= to) {
		memset(addr, 0, bytes);
		return 0;
	}
	memset(addr, 0, from - start);
	memset((void *)to, 0, end - to);
	return advise((void *)from, to - from, TIDE_DROP);
}

#define GUARD_INSTALL 102 /* newer than the headers */
#define GUARD_REMOVE 103

/* What is more than the pager knows is only advice, unless memory would behave otherwise. */
static int advise_ours(void *addr, size_t bytes, int advice)
{
	switch (advice) {
	case MADV_DONTNEED_LOCKED:
	case MADV_DONTNEED: return drop(addr, bytes);
	case MADV_FREE: return 0; /* it may keep its content */
	case MADV_WILLNEED:
	case MADV_POPULATE_READ:
	case MADV_POPULATE_WRITE: advise(addr, bytes, TIDE_WILL_NEED); return 0;
	case MADV_COLD:
	case MADV_PAGEOUT: advise(addr, bytes, TIDE_COLD); return 0;
	case MADV_REMOVE: return failed(-EINVAL); /* as of any private memory */
	case MADV_HWPOISON: return failed(-EPERM);
	case MADV_WIPEONFORK:
		td_preload_say_once(
			"MADV_WIPEONFORK of paged memory is refused: a child gets a copy");
		return failed(-EINVAL);
	case GUARD_INSTALL:
	case GUARD_REMOVE: return failed(-EINVAL); /* as of kernels that do not know them */
	default: return 0;
	}
}

static int advise_others(void *addr, size_t bytes, int advice)
{
	return next.madvise(addr, bytes, advice);
}

TD_EXPORT int madvise(void *addr, size_t bytes, int advice)
{
	if (td_preload_off() || !td_preload_touches(addr, bytes))
		return next.madvise(addr, bytes, advice);
	return td_preload_walk(addr, bytes, advice, advise_ours, advise_others);
}

/* Of its own name POSIX_MADV_DONTNEED does nothing in this system, and so here. */
TD_EXPORT int posix_madvise(void *addr, size_t bytes, int advice)
{
	if (td_preload_off() || !td_preload_touches(addr, bytes))
		return next.posix_madvise(addr, bytes, advice);
	if (advice == POSIX_MADV_WILLNEED)
		madvise(addr, bytes, MADV_WILLNEED);
	return 0;
}

/* Pages are moved only between mappings of one protection, and copied from what can be read. */
static bool may_protect(int prot)
{
	if (td_preload_settings.may_protect || prot == (PROT_READ | PROT_WRITE))
		return true;
	td_preload_say_once("mprotect() of paged memory is refused with this --mapping: use exact");
	errno = ENOMEM;
	return false;
}

/* The kernel keeps what the pager knows of each page; we keep which parts cannot be read, for a
 * child, and let nobody split a page of the pager's. */
static int protect_ours(void *addr, size_t bytes, int prot)
{
	uintptr_t start = (uintptr_t)addr, end = start + bytes;
	int rc;

	if (!may_protect(prot) || !td_preload_whole_pages(addr, bytes, "mprotect()"))
		return -1;
	td_regions_lock();
	rc = td_regions_cut(&td_guarded, start, end, NULL);
	if (!rc && (prot & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE))
		rc = td_regions_add(&td_guarded, (struct td_region){start, end, end, prot});
	td_regions_unlock();
	return rc ? failed(rc) : next.mprotect(addr, bytes, prot);
}

static int protect_others(void *addr, size_t bytes, int prot)
{
	return next.mprotect(addr, bytes, prot);
}

TD_EXPORT int mprotect(void *addr, size_t bytes, int prot)
{
	if (td_preload_off() || !td_preload_touches(addr, bytes))
		return next.mprotect(addr, bytes, prot);
	return td_preload_walk(addr, bytes, prot, protect_ours, protect_others);
}

static int sync_ours(void *addr, size_t bytes, int flags)
{
	int rc;

	(void)flags;
	td_preload_inside++;
	rc = tide_sync(td_preload_tide, addr, bytes, NULL);
	td_preload_inside--;
	return rc ? failed(rc) : 0;
}

static int sync_others(void *addr, size_t bytes, int flags)
{
	return next.msync(addr, bytes, flags);
}

TD_EXPORT int msync(void *addr, size_t bytes, int flags)
{
	if (td_preload_off() || !td_preload_touches(addr, bytes))
		return next.msync(addr, bytes, flags);
	return td_preload_walk(addr, bytes, flags, sync_ours, sync_others);
}

static int refuse_lock(const char *what)
{
	td_preload_say_once("%s is refused: paged memory cannot be locked", what);
	return failed(-ENOMEM);
}

TD_EXPORT int mlock(const void *addr, size_t bytes)
{
	if (!td_preload_off() && td_preload_touches(addr, bytes))
		return refuse_lock("mlock()");
	return next.mlock(addr, bytes);
}

TD_EXPORT int mlock2(const void *addr, size_t bytes, unsigned flags)
{
	if (!td_preload_off() && td_preload_touches(addr, bytes))
		return refuse_lock("mlock2()");
	return next.mlock2(addr, bytes, flags);
}

TD_EXPORT int mlockall(int flags)
{
	if (td_preload_is_on())
		return refuse_lock("mlockall()");
	return next.mlockall(flags);
}
