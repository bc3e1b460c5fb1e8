/* Mapping `copy`: anonymous memory, of which the view keeps a copy. Pages come by a copy,
 * write-protected, and are dropped when they leave, which the kernel does for many chunks with one
 * interrupt. What was written is STALE: it is copied to the view when it leaves (unmap.c). */
#include "core/assert.h"
#include "lanes.h"
#include "out.h"
#include "pager.h"
#include "space.h"

#include <sys/mman.h>

/* A page that is swapped out and in again may be another one than the pipe has. */
static int open(struct td_pager *p)
{
	if (!td_uffd_swaps())
		td_pager_open_pipes(p);
	return 0;
}

static int attach(struct td_pager *p, struct td_extent *x)
{
	return td_anonymous_attach_small(p, x);
}

/* ---- pages come ---- */

/* A first write to a page that was mapped to be read is a second fault, and all processors are told
 * of it. Where a page had that once it is mapped writable from then on, which costs a copy when it
 * leaves; and now and then not, to see whether it is still written. */
#define DOUBT_EVERY 16

static uint64_t take_eager(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	uint64_t eager = pages & td_pager_get(p, chunk, LANE_EAGER);
	eager &= td_pager_get(p, chunk, LANE_HELD) & ~td_pager_get(p, chunk, LANE_MAPPED);
	if (!eager || ++p->doubts % DOUBT_EVERY)
		return eager;
	td_pager_clear(p, chunk, LANE_EAGER, eager);
	return 0;
}

static void note_eager(struct td_pager *p, uint32_t chunk, uint64_t unprotected)
{
	if (p->lane[LANE_EAGER].stride && unprotected)
		td_pager_set(p, chunk, LANE_EAGER, unprotected);
}

/* What the view has is only seen to change where the first write since the page came faults. */
static void plan(struct td_pager *p, struct td_arrival *a)
{
	uint64_t mapped = td_pager_get(p, a->chunk, LANE_MAPPED), there = mapped | a->filled;
	td_assert(a->extent->tracks);
	a->writable = a->to_map & (a->written | take_eager(p, a->chunk, a->to_map));
	a->maps = a->to_map & ~there;
	a->stale = a->writable;
	a->unprotect = there & a->writable;
	note_eager(p, a->chunk, mapped & a->unprotect);
}

/* They went past the view. */
static void note_delivered(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_pager_set(p, chunk, LANE_MAPPED, pages);
	td_pager_set(p, chunk, LANE_STALE, pages);
}

/* ---- pages go ---- */

static void take_out(struct td_pager *p, struct td_leaving *l, struct td_job *job)
{
	td_pager_drop_pages(p, l, job, job->unmap & ~job->save);
	td_pager_save_pages(p, l, job, job->save);
}

static void free_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n))
		madvise(td_extent_view(p, x, chunk, at), (size_t)n * p->page_bytes, MADV_DONTNEED);
}

const struct td_mapping td_mapping_copy = {
	.name = "copy",
	.kernel = TD_UFFD_HAS_WP | TD_UFFD_HAS_CONTINUE_WP,
	.lacking = "write protection of pages as they come (6.6): use fast",
	.batch_share = 32, /* all of a batch costs as much as one chunk */
	.lanes = 1 << LANE_STALE | 1 << LANE_EAGER,
	.kind = TD_UFFD_PROTECTED,
	.in_table = LANE_MAPPED,
	.for_files = &td_mapping_exact,
	.inherited_as = &td_mapping_copy,
	.tracks_writes = true,
	.maps_arrivals = true,
	.maps_unlocked = true,
	.has_frames = true,
	.open = open,
	.attach = attach,
	.pages_to_map = td_anonymous_pages_to_map,
	.plan = plan,
	.deliver = td_anonymous_copy_in,
	.map_run = td_anonymous_copy_run,
	.map_zero = td_anonymous_copy_zero,
	.note_delivered = note_delivered,
	.take_out = take_out,
	.free_pages = free_pages,
	.drop = td_anonymous_drop,
	.forget = td_anonymous_forget,
};
