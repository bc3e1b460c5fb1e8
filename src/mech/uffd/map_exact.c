/* Mapping `exact`: the program sees shared memory (a memfd), and the pager has a mapping of its own
 * of it, the view. A page in memory that is not mapped is a minor fault away, which costs no copy.
 * Each page is mapped by its own touch, so all touches are seen; and by write protection all first
 * writes. */
#include "core/limits.h"
#include "lanes.h"
#include "out.h"
#include "pager.h"
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int td_shared_attach(struct td_pager *p, struct td_extent *x)
{
	uint64_t end = (x->first + x->pages) * p->page_bytes;
	if (end > p->memfd_bytes) {
		if (!td_core_may_reach(end))
			return -EFBIG;
		if (ftruncate(p->memfd, (off_t)end))
			return -errno;
		p->memfd_bytes = end;
	}
	int rc = td_extent_map(p, x, MAP_SHARED, p->memfd, (off_t)(x->first * p->page_bytes));
	return rc ? rc : td_extent_register(p, x, x->mapping->kind);
}

/* ---- pages come ---- */

/* That one; and those that were touched before, and only unmapped to sample accesses. */
static uint64_t pages_to_map(struct td_pager *p, uint32_t chunk, uint64_t touched)
{
	struct td_lanes l = td_pager_engine_lanes(p, chunk);
	return touched | (l.touched & l.resident & ~l.armed & td_pager_get(p, chunk, LANE_HELD) &
			  ~td_pager_get(p, chunk, LANE_MAPPED));
}

static uint64_t writable_of(struct td_pager *p, const struct td_arrival *a)
{
	if (a->extent->read_only)
		return 0;
	return a->extent->tracks ? a->to_map & td_pager_get(p, a->chunk, LANE_DIRTY) : a->to_map;
}

/* A page that is only protected is there; any other that is mapped is mapped again, as it may have
 * been unmapped to watch it. */
void td_shared_plan(struct td_pager *p, struct td_arrival *a)
{
	uint64_t mapped = td_pager_get(p, a->chunk, LANE_MAPPED);
	uint64_t protected = mapped & ~td_pager_get(p, a->chunk, LANE_WRITABLE);
	a->writable = writable_of(p, a);
	a->maps = a->to_map & ~(protected & a->writable);
	a->unprotect = a->extent->tracks ? mapped & a->writable : 0;
}

/* A copy: writing to shared memory neither clears the page first nor maps it. */
int td_shared_deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		      unsigned n, struct td_slot *slot)
{
	const unsigned char *from = slot->at + (size_t)at * p->page_bytes;
	uint64_t page = (uint64_t)chunk * p->chunk_pages + at;
	size_t bytes = (size_t)n * p->page_bytes;
	(void)x;
	while (bytes) {
		ssize_t done = pwrite(p->memfd, from, bytes, (off_t)(page * p->page_bytes));
		if (done <= 0)
			return done < 0 ? -errno : -ENOMEM;
		/* Whole pages: memory is full, or it is all written. */
		from += done;
		bytes -= (size_t)done;
		page += (size_t)done / p->page_bytes;
	}
	return 0;
}

int td_shared_map_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		      unsigned n, bool protect)
{
	unsigned char *to = td_extent_at(p, x, chunk, at);
	bool wake = p->service->wakes;
	int rc = td_uffd_continue(p->uffd, to, (size_t)n * p->page_bytes, protect, wake);
	/* The program has given parts of it other rights, and a call is for one mapping: page by
	 * page then. One that cannot be mapped is so when it is touched. */
	for (unsigned i = 0; rc && n > 1 && i < n; i++)
		td_uffd_continue(p->uffd, to + (size_t)i * p->page_bytes, p->page_bytes, protect,
				 wake);
	return n > 1 ? 0 : rc;
}

int td_shared_map_zero(struct td_pager *p, unsigned char *at, bool protect)
{
	return td_uffd_copy(p->uffd, at, p->zeros, p->page_bytes, protect, p->service->wakes);
}

/* In memory, and not mapped yet. */
void td_shared_note_delivered(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	(void)p, (void)chunk, (void)pages;
}

/* ---- pages go ---- */

void td_shared_take_out(struct td_pager *p, struct td_leaving *l, struct td_job *job)
{
	td_pager_drop_pages(p, l, job, job->unmap);
}

void td_shared_forget(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages)
{
	(void)x;
	fallocate(p->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(first * p->page_bytes), (off_t)(pages * p->page_bytes));
}

/* A hole in shared memory is one in both mappings of it. */
void td_shared_free_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n))
		td_shared_forget(p, x, (uint64_t)chunk * p->chunk_pages + at, n);
}

const struct td_mapping td_mapping_exact = {
	.name = "exact",
	.gives = TIDE_NEEDS_TOUCHED | TIDE_NEEDS_NOTICES | TIDE_TAKES_SAMPLES,
	.kernel = TD_UFFD_HAS_MINOR,
	.lacking = "minor faults of shared memory (5.14): use fast",
	.batch_share = 128,
	.kind = TD_UFFD_SHARED,
	.in_table = LANE_HELD, /* what was unmapped to watch it may still be on its way out */
	.for_files = &td_mapping_exact,
	.protectable = true,
	.tracks_writes = true,
	.has_frames = true,
	.attach = td_shared_attach,
	.pages_to_map = pages_to_map,
	.plan = td_shared_plan,
	.deliver = td_shared_deliver,
	.map_run = td_shared_map_run,
	.map_zero = td_shared_map_zero,
	.note_delivered = td_shared_note_delivered,
	.take_out = td_shared_take_out,
	.free_pages = td_shared_free_pages,
	.drop = td_shared_free_pages,
	.forget = td_shared_forget,
};
