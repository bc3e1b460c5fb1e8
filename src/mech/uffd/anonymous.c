/* Anonymous memory: what the mappings `fast`, `copy` and `file` have in common. Pages come and are
 * mapped whole chunks at a time, so nobody sees which of them are touched. */
#include "lanes.h"
#include "pager.h"
#include "space.h"

#include <sys/mman.h>

int td_anonymous_attach(struct td_pager *p, struct td_extent *x)
{
	return td_extent_map(p, x, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int td_anonymous_attach_small(struct td_pager *p, struct td_extent *x)
{
	size_t bytes = x->pages * p->page_bytes;
	int rc = td_anonymous_attach(p, x);
	if (rc)
		return rc;
	madvise(x->base, bytes, MADV_NOHUGEPAGE);
	madvise(x->view, bytes, MADV_NOHUGEPAGE);
	/* Nor may a page that leaves become another one by a write meanwhile. */
	madvise(x->base, bytes, MADV_UNMERGEABLE);
	return td_extent_register(p, x, x->mapping->kind);
}

/* ---- pages come ---- */

uint64_t td_anonymous_pages_to_map(struct td_pager *p, uint32_t chunk, uint64_t touched)
{
	struct td_lanes l = td_pager_engine_lanes(p, chunk);
	return touched | (l.resident & ~l.armed & ~td_pager_get(p, chunk, LANE_MAPPED));
}

int td_anonymous_copy_in(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
			 unsigned n, struct td_slot *slot)
{
	return td_uffd_copy(p->uffd, td_extent_at(p, x, chunk, at),
			    slot->at + (size_t)at * p->page_bytes, (size_t)n * p->page_bytes,
			    x->tracks, p->service->wakes);
}

int td_anonymous_copy_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
			  unsigned n, bool protect)
{
	return td_uffd_copy(p->uffd, td_extent_at(p, x, chunk, at), td_extent_view(p, x, chunk, at),
			    (size_t)n * p->page_bytes, protect, p->service->wakes);
}

int td_anonymous_copy_zero(struct td_pager *p, unsigned char *at, bool protect)
{
	return td_uffd_copy(p->uffd, at, p->zeros, p->page_bytes, protect, p->service->wakes);
}

/* ---- pages go ---- */

void td_anonymous_drop(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n)) {
		size_t bytes = (size_t)n * p->page_bytes;
		madvise(td_extent_at(p, x, chunk, at), bytes, MADV_DONTNEED);
		madvise(td_extent_view(p, x, chunk, at), bytes, MADV_DONTNEED);
	}
}

void td_anonymous_forget(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages)
{
	madvise(x->view + (first - x->first) * p->page_bytes, pages * p->page_bytes, MADV_DONTNEED);
}
