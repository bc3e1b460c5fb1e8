/* One access at a time, for mechanisms that decide the order of accesses themselves. The functional
 * simulator has the same steps in its loops. */
#include "steps.h"

static void hit(struct td_engine *e, tide_chunk c, uint64_t mask, const struct td_event *event,
		struct td_lanes *l)
{
	l->touched |= mask;
	l->dirty |= event->write ? mask : 0;
	store(e, c.index, *l);
	TELL(e, on_access, c, (tide_page){event->page}, event->ref);
	CALLED(e);
}

int td_engine_touch(struct td_engine *e, tide_chunk c, unsigned bit, const struct td_event *event,
		    enum td_engine_touched *what, struct tide_error *err)
{
	struct td_lanes l = load(e, c.index);
	uint64_t mask = UINT64_C(1) << bit;

	td_assert(bit < e->near.chunk_pages);
	if (l.resident & mask) {
		td_engine_tick(e, c);
		hit(e, c, mask, event, &l);
		*what = l.armed & mask ? TD_NOTICE : TD_HIT;
		return 0;
	}
	*what = l.armed & mask ? TD_REMOTE : TD_ABSENT;
	if (*what == TD_ABSENT)
		return 0;
	td_engine_tick(e, c);
	return td_engine_remote(e, c, event, err);
}

void td_engine_count_hits(struct td_engine *e)
{
	td_assert(e->counts.accesses >= e->counts.faults + e->remote_only);
	e->counts.hits = e->counts.accesses - e->counts.faults - e->remote_only;
}

void td_engine_boundary(struct td_engine *e, uint64_t kernel)
{
	TELL(e, on_boundary, kernel);
	CALLED(e);
}
