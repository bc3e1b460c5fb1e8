/* A file that is only read, where tier 2 does not keep its pages: they are copied from a buffer
 * straight into the program's mapping, and dropped when they leave, since the file has them. The
 * view stays empty. */
#include "core/assert.h"
#include "lanes.h"
#include "out.h"
#include "pager.h"

static int attach(struct td_pager *p, struct td_extent *x)
{
	return td_anonymous_attach_small(p, x);
}

static void plan(struct td_pager *p, struct td_arrival *a)
{
	td_assert(a->extent->has_file && a->extent->read_only && !a->written);
	a->maps = a->to_map & ~(td_pager_get(p, a->chunk, LANE_MAPPED) | a->filled);
}

static void note_delivered(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_pager_set(p, chunk, LANE_MAPPED, pages);
}

static void take_out(struct td_pager *p, struct td_leaving *l, struct td_job *job)
{
	td_pager_drop_pages(p, l, job, job->unmap);
}

static void free_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	(void)p, (void)x, (void)chunk, (void)pages; /* they have no memory but what was dropped */
}

const struct td_mapping td_mapping_file = {
	.name = "file",
	.kind = TD_UFFD_ANONYMOUS,
	.in_table = LANE_MAPPED,
	.maps_arrivals = true,
	.maps_unlocked = true,
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
