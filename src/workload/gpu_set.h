/* Sets of pages of wave mode. */
#ifndef TD_WORKLOAD_GPU_SET_H
#define TD_WORKLOAD_GPU_SET_H

#include <errno.h>
#include <stdlib.h>

#include "gpu_run.h"

#define TD_GPU_SET_LEAST 64

struct td_gpu_slot {
	uint64_t page;
	uint32_t stamp, event; /* UINT32_MAX: not given, as the step before had it */
};

static inline uint32_t td_gpu_set_hash(uint64_t page)
{
	return (uint32_t)((page * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* The slot of a page, or the empty one where it would go. */
static inline struct td_gpu_slot *td_gpu_set_find(const struct td_gpu_set *set, uint64_t page)
{
	uint32_t mask = set->room - 1;

	for (uint32_t k = td_gpu_set_hash(page) & mask;; k = (k + 1) & mask) {
		struct td_gpu_slot *slot = &set->slots[k];
		if (slot->stamp != set->stamp || slot->page == page)
			return slot;
	}
}

static inline bool td_gpu_set_has(const struct td_gpu_set *set, uint64_t page)
{
	return set->n && td_gpu_set_find(set, page)->stamp == set->stamp;
}

static inline int td_gpu_set_grow(struct td_gpu_set *set)
{
	struct td_gpu_set more = {.room = set->room ? set->room * 2 : TD_GPU_SET_LEAST, .stamp = 1};

	more.slots = more.room ? calloc(more.room, sizeof *more.slots) : NULL;
	if (!more.slots)
		return -ENOMEM;
	for (uint32_t k = 0; k < set->room; k++) {
		if (set->slots[k].stamp != set->stamp || !set->n)
			continue;
		struct td_gpu_slot *slot = td_gpu_set_find(&more, set->slots[k].page);
		*slot = set->slots[k];
		slot->stamp = more.stamp;
		more.n++;
	}
	free(set->slots);
	*set = more;
	return 0;
}

static inline void td_gpu_set_empty(struct td_gpu_set *set)
{
	set->n = 0;
	if (++set->stamp == 0) { /* every slot's stamp is in the past again */
		set->stamp = 1;
		for (uint32_t k = 0; k < set->room; k++)
			set->slots[k].stamp = 0;
	}
}

#endif
