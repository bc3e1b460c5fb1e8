/* Sets of pages of wave mode. A page is in it once, however often it was added, and leaves it when
 * it was taken out as often. */
#ifndef TD_WORKLOAD_GPU_SET_H
#define TD_WORKLOAD_GPU_SET_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_run.h"

#define TD_GPU_SET_LEAST 6 /* bits */
#define TD_GPU_SET_STAMP 48

struct td_gpu_slot {
	uint64_t key; /* stamp and page */
	uint32_t uses;
	uint32_t event; /* number of the one that told of it */
};

static inline uint32_t td_gpu_set_home(const struct td_gpu_set *set, uint64_t key)
{
	return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - set->bits));
}

static inline bool td_gpu_set_in_use(const struct td_gpu_set *set, const struct td_gpu_slot *slot)
{
	return slot->key >> TD_GPU_SET_STAMP == set->stamp;
}

/* The slot of a page, or the empty one where it would go; there is room. */
static inline struct td_gpu_slot *td_gpu_set_find(const struct td_gpu_set *set, uint64_t page)
{
	uint64_t key = (uint64_t)set->stamp << TD_GPU_SET_STAMP | page;
	uint32_t mask = (1U << set->bits) - 1;

	for (uint32_t k = td_gpu_set_home(set, key);; k = (k + 1) & mask) {
		struct td_gpu_slot *slot = &set->slots[k];
		if (slot->key == key || !td_gpu_set_in_use(set, slot))
			return slot;
	}
}

/* The page will be asked for soon. */
static inline void td_gpu_set_expect(const struct td_gpu_set *set, uint64_t page)
{
	uint64_t key = (uint64_t)set->stamp << TD_GPU_SET_STAMP | page;

	__builtin_prefetch(&set->slots[td_gpu_set_home(set, key)]);
}

static inline void td_gpu_set_empty(struct td_gpu_set *set)
{
	set->n = 0;
	set->base = 1;
	if (set->stamp++ == UINT16_MAX) { /* every slot's stamp is in the past again */
		set->stamp = 1;
		if (set->bits)
			memset(set->slots, 0, sizeof *set->slots << set->bits);
	}
}

/* Room for one more page: 0 or -ENOMEM. */
static inline int td_gpu_set_grow(struct td_gpu_set *set)
{
	if (set->bits && set->n < 1U << (set->bits - 1))
		return 0;
	struct td_gpu_set more = *set;
	more.bits = set->bits ? set->bits + 1 : TD_GPU_SET_LEAST;
	more.slots = calloc((size_t)1 << more.bits, sizeof *more.slots);
	if (!more.slots)
		return -ENOMEM;
	for (uint32_t k = 0; set->bits && k < 1U << set->bits; k++) {
		const struct td_gpu_slot *slot = &set->slots[k];
		if (td_gpu_set_in_use(set, slot))
			*td_gpu_set_find(
				&more, slot->key & ((UINT64_C(1) << TD_GPU_SET_STAMP) - 1)) = *slot;
	}
	free(set->slots);
	*set = more;
	return 0;
}

/* Takes a page out once. Slots after it move up, so that searches still find them. */
static inline void td_gpu_set_drop(struct td_gpu_set *set, uint64_t page)
{
	struct td_gpu_slot *slot = td_gpu_set_find(set, page);
	uint32_t mask = (1U << set->bits) - 1, hole = (uint32_t)(slot - set->slots);

	if (--slot->uses)
		return;
	set->n--;
	for (uint32_t k = (hole + 1) & mask; td_gpu_set_in_use(set, &set->slots[k]);
	     k = (k + 1) & mask) {
		uint32_t home = td_gpu_set_home(set, set->slots[k].key);
		if (((k - home) & mask) < ((k - hole) & mask))
			continue;
		set->slots[hole] = set->slots[k];
		hole = k;
	}
	set->slots[hole].key = 0;
}

#endif
