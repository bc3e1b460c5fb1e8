/* Pages by their number in an array: held while a warp uses them. */
#ifndef TIDE_DEVICE_ACCESS_H
#define TIDE_DEVICE_ACCESS_H

#include "fault.h"

/* Called by one lane: counts accesses of pages. */
TD_DEV void td_dev_tick(struct td_dev_control *c, uint32_t pages)
{
	td_dev_raise(&c->clock[td_dev_part() % TD_DEV_PARTS].accesses, pages);
}

/* Called by all lanes after an access: if the page is one of the sampled ones, tells the
 * regression. */
TD_DEV void td_dev_accessed(const struct tide_span *a, struct td_dev_lanes g, uint32_t page)
{
	struct td_dev_control *c = a->control;
	if (!tide_sampled(page, a->sample_bound))
		return;
	if (!td_dev_share32(g, td_dev_peek32(&c->sampling))) /* all or none */
		return;
	uint64_t now = td_dev_time(c, g);
	if (g.rank == 0)
		td_dev_sample(c, page, now);
	td_dev_meet(g);
}

/* Called by all lanes: pins page `index` of the array and gives its address. NULL: something
 * failed. */
TD_DEV unsigned char *td_dev_acquire(const struct tide_span *a, struct td_dev_lanes g,
				     uint64_t index, bool write)
{
	struct td_dev_control *c = a->control;
	uint64_t *at = &a->entries[index], e = 0;
	uint32_t page = a->first_page + (uint32_t)index;
	if (g.rank == 0) {
		td_dev_tick(c, 1);
		e = td_dev_pin(at, write);
		td_dev_first(c, page, e, write);
	}
	e = td_dev_share64(g, e);
	td_dev_meet(g); /* what rank 0 has seen, all have */
	if (td_dev_state(e) != TD_DEV_TIER1) {
		struct td_dev_load l;
		l.page = page;
		if (!td_dev_hold(c, g, &l, 1, write))
			return NULL;
		e = l.frame;
	}
	td_dev_accessed(a, g, page);
	td_dev_meet(g);
	return a->near_memory + ((uint64_t)td_dev_index(e) << a->page_shift);
}

/* Called by all lanes, after all of them have used the page: unpins it. */
TD_DEV void td_dev_release(const struct tide_span *a, struct td_dev_lanes g, uint64_t index)
{
	td_dev_meet(g);
	if (g.rank == 0)
		td_dev_unpin(&a->entries[index]);
}

#endif
