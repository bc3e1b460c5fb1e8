/* Mapping `lent`: memory of another process (lent.h). Pages come by a copy, write-protected, so
 * that it is seen which are written. The view is a mapping of the owner's memfd. */
#include "core/assert.h"
#include "lanes.h"
#include "lent.h"
#include "lock.h"
#include "out.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

static int attach(struct td_pager *p, struct td_extent *x)
{
	size_t bytes = x->pages * p->page_bytes;
	if (p->memfd >= 0) {
		x->view =
			mmap(NULL, bytes, PROT_READ, MAP_SHARED, p->memfd, (off_t)x->memory_offset);
		if (x->view == MAP_FAILED)
			return -errno;
		madvise(x->view, bytes, MADV_DONTFORK);
	}
	return td_uffd_register(p->uffd, x->base, bytes, TD_UFFD_PROTECTED, p->has);
}

/* ---- pages come ---- */

void td_lent_note_near(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n))
		td_kept_set(p->kept.near, (uint64_t)chunk * p->chunk_pages + at, n);
}

/* Pages that are mapped without being filled are there already, or zero: they may count as put into
 * memory before they are. */
static void plan(struct td_pager *p, struct td_arrival *a)
{
	uint64_t there = td_pager_get(p, a->chunk, LANE_MAPPED) | a->filled;
	td_assert(a->extent->tracks);
	a->writable = a->to_map & a->written;
	a->maps = a->to_map & ~there;
	a->unprotect = there & a->writable;
	td_lent_note_near(p, a->chunk, a->maps);
}

static void note_delivered(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_pager_set(p, chunk, LANE_MAPPED, pages);
	td_lent_note_near(p, chunk, pages);
}

static int copy(struct td_pager *p, void *addr, const void *from, size_t bytes, bool protect)
{
	size_t done = 0;
	int rc;
	while ((rc = td_uffd_copy_try(p->uffd, addr, from, bytes, protect, true, &done)) == -EAGAIN)
		td_lent_listen(p);
	return rc;
}

static int deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at, unsigned n,
		   struct td_slot *slot)
{
	return copy(p, td_extent_at(p, x, chunk, at), slot->at + (size_t)at * p->page_bytes,
		    (size_t)n * p->page_bytes, true);
}

static int map_zero(struct td_pager *p, unsigned char *at, bool protect)
{
	return copy(p, at, p->zeros, p->page_bytes, protect);
}

int td_lent_protect(struct td_pager *p, void *addr, size_t bytes, bool protect)
{
	int rc;
	while ((rc = td_uffd_protect_try(p->uffd, addr, bytes, protect, true)) == -EAGAIN)
		td_lent_listen(p);
	return rc;
}

/* Pages that should have left and could not be written are still there. */
static int map_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at, unsigned n,
		   bool protect)
{
	unsigned char *addr = td_extent_at(p, x, chunk, at);
	size_t bytes = (size_t)n * p->page_bytes;
	int rc = td_lent_protect(p, addr, bytes, protect);
	return rc || !protect ? rc : td_uffd_wake(p->uffd, addr, bytes);
}

void td_lent_look(struct td_pager *p, uint32_t chunk, unsigned bit)
{
	const struct td_extent *x = td_pager_extent(p, chunk);
	void *at = td_extent_at(p, x, chunk, bit);
	int rc;
	while ((rc = td_uffd_copy_absent(p->uffd, at, p->zeros, p->page_bytes)) == -EAGAIN)
		td_lent_listen(p);
	if (!rc)
		td_pager_set(p, chunk, LANE_DIRTY, UINT64_C(1) << bit);
}

/* ---- pages go ---- */

/* What is to be written must not change meanwhile; it is punched out by free_pages(). */
static void take_out(struct td_pager *p, struct td_leaving *l, struct td_job *job)
{
	uint64_t pages = job->write & job->unmap;
	unsigned at, n;
	int rc = p->memfd < 0 ? -EOPNOTSUPP : 0;
	(void)l;
	if (rc)
		job->stuck |= job->unmap;
	while (p->memfd >= 0 && td_pager_run(&pages, &at, &n)) {
		int failed = td_lent_protect(p, td_extent_at(p, job->extent, job->chunk, at),
					     (size_t)n * p->page_bytes, true);
		job->stuck |= failed ? td_pager_bits(at, n) : 0;
		rc = failed ? failed : rc;
	}
	if (rc && rc != -ESRCH)
		td_pager_say_stuck(p, -rc);
}

/* Where it fails the page stays in memory, as it is in the store. */
static void punch(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	unsigned at, n;
	while (p->memfd >= 0 && td_pager_run(&pages, &at, &n)) {
		uint64_t page = (uint64_t)chunk * p->chunk_pages + at - x->first;
		td_kept_clear(p->kept.near, x->first + page, n);
		if (fallocate(p->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)(x->memory_offset + page * p->page_bytes),
			      (off_t)((uint64_t)n * p->page_bytes)))
			td_pager_say_stuck(p, errno);
	}
}

/* To the store and its bitmap first: whoever follows us must not find what was there before. */
int td_lent_drop(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	uint64_t rest = pages;
	unsigned at, n;
	int rc = 0;
	while (!rc && td_pager_run(&rest, &at, &n)) {
		uint64_t first = (uint64_t)chunk * p->chunk_pages + at;
		rc = td_io_zero(&p->storage, first * p->page_bytes, (uint64_t)n * p->page_bytes);
		if (!rc)
			td_kept_set(p->kept.stored, first, n);
	}
	if (rc)
		return rc;
	punch(p, x, chunk, pages);
	td_pager_forget_pages(p, chunk, pages);
	td_pager_set(p, chunk, LANE_SWAPPED, pages);
	p->swapped_pages += td_lanes_count(pages);
	return 0;
}

/* Nobody calls these: pages are dropped by td_lent_drop(), and the extents stay. */
static void drop(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	(void)p, (void)x, (void)chunk, (void)pages;
}

static void forget(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages)
{
	(void)p, (void)x, (void)first, (void)pages;
}

static const struct td_foreign foreign = {
	.open = td_lent_open,
	.open_store = td_lent_open_store,
	.begin = td_lent_begin,
	.end = td_lent_end,
	.hear = td_lent_hear,
	.protect = td_lent_protect,
	.look = td_lent_look,
	.drop = td_lent_drop,
};

const struct td_mapping td_mapping_lent = {
	.name = "lent",
	.kernel = TD_UFFD_HAS_WP,
	.lacking = "write protection of shared memory (5.19)",
	.batch_share = 32,
	.in_table = LANE_MAPPED,
	.for_files = &td_mapping_lent,
	.foreign = &foreign,
	.tracks_writes = true,
	.maps_arrivals = true,
	.maps_unlocked = true,
	.has_frames = true,
	.attach = attach,
	.pages_to_map = td_anonymous_pages_to_map,
	.plan = plan,
	.deliver = deliver,
	.map_run = map_run,
	.map_zero = map_zero,
	.note_delivered = note_delivered,
	.take_out = take_out,
	.free_pages = punch,
	.drop = drop,
	.forget = forget,
};
