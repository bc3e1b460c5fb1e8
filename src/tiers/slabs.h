/* Room for things of many sizes up to a page, with little waste, in one reserved range of memory.
 *
 * The range is cut into slabs of 4 pages. A slab is cut into n slots of the same size. The classes
 * are n = 4, 5, ... 15, 16, 18, 20, ... 512. From 16 on, each class has about an eighth more slots
 * than the one before. Larger slabs and finer classes waste less within a slot, and more in slabs
 * that are not full. With these sizes, both together waste about 10%, for pages of random sizes. An
 * empty slab may serve any class next. Beyond a few, empty slabs go back to the system. */
#ifndef TD_TIERS_SLABS_H
#define TD_TIERS_SLABS_H

#include <pthread.h>
#include <stdbool.h>

#include "budget.h"

#define TD_SLABS_PAGES 4
#define TD_SLABS_CLASSES_MAX 48
#define TD_SLABS_SLOT_BITS 9 /* of a place; above it is the number of the slab */
#define TD_SLABS_NONE UINT32_MAX

struct td_slab {
	uint32_t next, prev; /* in the list of its class that have a free slot, or of empty ones */
	uint16_t slots_used, slots_fresh; /* fresh: from here on none was ever used */
	uint16_t first_free; /* slots_n and above: none; else the slot, which names the next */
	uint8_t class;
};

struct td_slabs {
	pthread_mutex_t lock; /* of all below but what is constant */
	struct td_budget *budget;
	unsigned char *at; /* the range */
	struct td_slab *slabs;
	uint32_t slabs_max, slabs_fresh; /* fresh: from here on none was ever used */
	uint32_t slab_bytes;
	uint32_t partial[TD_SLABS_CLASSES_MAX];
	uint32_t empty, empty_n, empty_max; /* ready for use, and how many are kept so */
	uint32_t gone;                      /* empty, given back to the system */
	/* Set by a user that makes room by giving back what is oldest. Without it, a small thing
	 * would take the slot of each large one that left, and most of the memory would be empty.
	 */
	bool exact; /* no slot of a larger class, even if no slab is to be had */
	unsigned classes_n;
	uint32_t slot_bytes[TD_SLABS_CLASSES_MAX]; /* descending */
	uint16_t slots_n[TD_SLABS_CLASSES_MAX];
};

int td_slabs_open(struct td_slabs *s, uint32_t page_bytes, struct td_budget *budget);
void td_slabs_close(struct td_slabs *s);

/* A place of at least bytes, or -ENOSPC. */
int td_slabs_take(struct td_slabs *s, uint32_t bytes, uint32_t *place);
void td_slabs_give(struct td_slabs *s, uint32_t place);
void *td_slabs_at(const struct td_slabs *s, uint32_t place);

#endif
