/* mmap() and its family: private anonymous memory of at least the threshold comes from the pager.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

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

bool td_preload_kernel_gives(size_t bytes)
{
	void *p = next.mmap(NULL, bytes, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED && next.munmap(p, bytes) == 0;
}

/* What the kernel would not give either, the program does not get: it asked for too much. */
static void *map(size_t bytes)
{
	struct tide_error err;
	char what[64];
	void *p;
	int rc;

	td_preload_inside++;
	rc = tide_map(td_preload_tide, &p, bytes, NULL, &err);
	snprintf(what, sizeof what, "an allocation of %zu bytes", bytes);
	if (rc && td_preload_kernel_gives(bytes))
		td_preload_give_up(what, err.text);
	else if (rc)
		td_preload_say_once("%s fails, paged or not: %s", what, err.text);
	td_preload_inside--;
	return rc ? NULL : p;
}

/* Cuts what alignment does not need off both ends. */
static struct td_region fit(uintptr_t at, size_t mapped, size_t bytes, size_t align, size_t spare)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	uintptr_t start = td_round_up(at, align), end = start + td_round_up(bytes, TD_OS_PAGE);
	uintptr_t slack = td_round_up(end, chunk) + spare;

	unmap(at, start / chunk * chunk);
	unmap(slack, at + mapped);
	return (struct td_region){start, end, slack, 0};
}

/* Is there no limit on what may be mapped, which memory to grow into would count against? */
bool td_preload_may_spare(void)
{
	const struct tide_options *o = &td_preload_settings.options;
	struct rlimit limit;

	return (o->storage || !o->host) && !getrlimit(RLIMIT_AS, &limit) &&
	       limit.rlim_cur == RLIM_INFINITY;
}

/* With half as much again behind it, if that can be had: *spare says how much. */
static void *map_spare(size_t bytes, size_t *spare)
{
	size_t more = td_round_up(bytes / 2, td_preload_settings.chunk_bytes);
	void *p = NULL;

	*spare = 0;
	if (bytes + more < bytes || !td_preload_may_spare())
		return map(bytes);
	td_preload_inside++;
	if (tide_map(td_preload_tide, &p, bytes + more, NULL, NULL))
		p = NULL;
	td_preload_inside--;
	if (p)
		*spare = more;
	return p ? p : map(bytes);
}

void *td_preload_take(size_t bytes, size_t align, enum td_taking how)
{
	size_t chunk = td_preload_settings.chunk_bytes;
	size_t extra = align > chunk ? align : 0, spare = 0;
	size_t mapped = td_round_up(bytes, chunk) + extra;
	struct td_region r;
	void *p;
	int rc;

	if (mapped < bytes)
		return NULL;
	p = how & TD_TAKE_GROWS ? map_spare(mapped, &spare) : map(mapped);
	if (!p)
		return NULL;
	r = fit((uintptr_t)p, mapped + spare, bytes, align > chunk ? align : chunk, spare);
	r.kind = how & TD_TAKE_HEAP;
	td_regions_lock();
	rc = td_regions_add(&td_taken, r);
	td_regions_unlock();
	if (rc)
		unmap(r.start, r.slack);
	return rc ? NULL : (void *)r.start;
}

/* ---- mmap ---- */

static bool is_plain(int prot, int flags)
{
	return prot == READ_WRITE && (flags & MAP_ANONYMOUS) && !(flags & NOT_TAKEN) &&
	       (flags & MAP_TYPE) == MAP_PRIVATE;
}

static bool is_for_us(size_t bytes, int prot, int flags)
{
	if (is_plain(prot, flags))
		return td_preload_wants(bytes);
	td_preload_note_mapped(bytes, prot, flags);
	return false;
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

int td_preload_cut(void *addr, size_t bytes)
{
	int rc;

	td_regions_lock();
	rc = td_regions_cut(&td_taken, (uintptr_t)addr, (uintptr_t)addr + bytes, td_preload_give);
	td_regions_unlock();
	return rc;
}

static bool is_one_of_ours(uintptr_t start, uintptr_t end)
{
	struct td_region *r, *guarded;
	bool yes;

	td_regions_lock();
	r = td_regions_at(&td_taken, start);
	guarded = td_regions_from(&td_guarded, start);
	yes = r && end <= r->end && (!guarded || guarded->start >= end);
	td_regions_unlock();
	return yes;
}

/* New memory over memory of ours: the old content goes, and the memory stays where it is. */
static bool renew(void *addr, size_t bytes, int prot, int flags)
{
	uintptr_t start = (uintptr_t)addr;

	return bytes && start % TD_OS_PAGE == 0 && is_plain(prot, flags & ~MAP_FIXED) &&
	       !td_preload_off() && is_one_of_ours(start, start + bytes) &&
	       madvise(addr, bytes, MADV_DONTNEED) == 0;
}

TD_EXPORT void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	size_t rounded = td_round_up(bytes, TD_OS_PAGE);
	void *p;

	if (is_for_us(bytes, prot, flags) && (p = td_preload_take(bytes, 1, TD_TAKE_MAPPING)))
		return p;
	if ((flags & MAP_FIXED) && renew(addr, rounded, prot, flags))
		return addr;
	/* Memory of ours that others map over is no longer ours. */
	if ((flags & MAP_FIXED) && td_preload_touches(addr, rounded)) {
		int rc;
		if (!td_preload_whole_pages(addr, rounded, "mmap() with MAP_FIXED"))
			return MAP_FAILED;
		rc = td_preload_cut(addr, rounded);
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
	int rc = td_preload_cut(addr, bytes);

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
