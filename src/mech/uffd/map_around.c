/* Mapping `around`: shared memory as with `exact`, but a touch maps all pages of its chunk that are
 * in memory. So there are fewer faults, and only the first touch of a chunk is seen. */
#include "lanes.h"
#include "pager.h"

static uint64_t pages_to_map(struct td_pager *p, uint32_t chunk, uint64_t touched)
{
	struct td_lanes l = td_pager_engine_lanes(p, chunk);
	return touched | (l.resident & ~l.armed & td_pager_get(p, chunk, LANE_HELD) &
			  ~td_pager_get(p, chunk, LANE_MAPPED));
}

static void plan(struct td_pager *p, struct td_arrival *a)
{
	struct td_lanes l = td_pager_engine_lanes(p, a->chunk);
	a->to_map |= (a->fill.swapped | a->fill.file) & ~l.armed;
	/* One write and the others may follow; of a file only what was written is. */
	if (a->written && !a->extent->has_file)
		td_pager_set(p, a->chunk, LANE_DIRTY, l.resident & ~l.armed);
	td_shared_plan(p, a);
}

const struct td_mapping td_mapping_around = {
	.name = "around",
	.gives = TIDE_NEEDS_NOTICES | TIDE_TAKES_SAMPLES,
	.kernel = TD_UFFD_HAS_MINOR,
	.lacking = "minor faults of shared memory (5.14): use fast",
	.batch_share = 128,
	.kind = TD_UFFD_SHARED,
	.in_table = LANE_HELD,
	.for_files = &td_mapping_around,
	.protectable = true,
	.tracks_writes = true,
	.has_frames = true,
	.attach = td_shared_attach,
	.pages_to_map = pages_to_map,
	.plan = plan,
	.deliver = td_shared_deliver,
	.map_run = td_shared_map_run,
	.map_zero = td_shared_map_zero,
	.note_delivered = td_shared_note_delivered,
	.take_out = td_shared_take_out,
	.free_pages = td_shared_free_pages,
	.drop = td_shared_free_pages,
	.forget = td_shared_forget,
};
