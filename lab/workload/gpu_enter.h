/* Between the files of wave mode: pages that come into a step's set. */
#ifndef TD_WORKLOAD_GPU_ENTER_H
#define TD_WORKLOAD_GPU_ENTER_H

#include "gpu_set.h"
#include "gpu_touch.h"

/* A leaf enters a page, which becomes an event where it is new. NULL: there is no memory. */
static inline struct td_gpu_slot *td_gpu_enter(struct td_gpu_touching *d, uint64_t page)
{
	struct td_gpu_set *set = &d->step->set;
	struct td_gpu_ready *r = &d->s->ready;

	if (td_gpu_set_grow(set) || (r->n == r->room && td_gpu_room(r, r->n + 1)))
		return NULL;
	struct td_gpu_slot *slot = td_gpu_set_find(set, page);
	if (td_gpu_set_in_use(set, slot)) {
		slot->uses++;
		return slot;
	}
	*slot = (struct td_gpu_slot){(uint64_t)set->stamp << TD_GPU_SET_STAMP | page, 1,
				     set->base + r->n};
	set->n++;
	r->at[r->n++] = (struct td_gpu_event){.page = page, .order = UINT64_MAX};
	return slot;
}

#endif
