/* Counts how many other things were touched since a thing's last touch. These are the distances in
 * a list ordered by last touch, without the list.
 *
 * Every touch takes the next slot of a bitmap, and clears the slot that its thing had before. The
 * distance is the number of set bits above that slot. A few of them are in the slot's own word, and
 * a Fenwick tree over the words counts the others. When all slots are taken, the set bits move
 * together to the front. With four slots or more per thing, that is seldom.
 *
 *     slot   0          64         128        192   next
 *     bits   0010..     1101..     0111..     110   ->      the last word is not in the tree yet
 *     tree   1          3 (+1)     3          .
 */
#ifndef TD_CORE_RECENCY_H
#define TD_CORE_RECENCY_H

#include "tide/vec.h"

#define TD_RECENCY_FIRST UINT64_MAX

struct td_recency {
	struct tide_vec last;  /* index -> slot + 1, uint32_t; 0: never touched */
	struct tide_vec words; /* the bitmap */
	struct tide_vec
		tree; /* node i, from 1 on: bits set in the i & -i words that end at word i - 1 */
	uint32_t n;   /* indices there is room for */
	uint32_t slots, next;
	uint32_t in_tree; /* bits set in words that the tree knows */
};

int td_recency_init(struct td_recency *r);
void td_recency_free(struct td_recency *r);

/* Room for indices below n: 0, -ENOMEM, or -EOVERFLOW past 2^30. */
int td_recency_reserve(struct td_recency *r, uint64_t n);

/* Touches i: how many others were touched since its last touch, or TD_RECENCY_FIRST. */
uint64_t td_recency_touch(struct td_recency *r, uint32_t i);

/* Prefetch the memory that touching i will need: the first one what tells its slot, the second one
 * the slot. Always inlined, as tide_map_prefetch(). */
__attribute__((always_inline)) static inline void td_recency_expect(const struct td_recency *r,
								    uint32_t i)
{
	__builtin_prefetch((const uint32_t *)(void *)r->last.at + i, 1);
}

__attribute__((always_inline)) static inline void td_recency_expect_soon(const struct td_recency *r,
									 uint32_t i)
{
	uint32_t word = ((const uint32_t *)(void *)r->last.at)[i] / 64;
	__builtin_prefetch((const uint64_t *)(void *)r->words.at + word, 1);
	__builtin_prefetch((const uint32_t *)(void *)r->tree.at + word + 1, 1);
}

#endif
