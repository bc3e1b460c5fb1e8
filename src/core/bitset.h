/* A set of numbers below a bound as bitmaps over bitmaps: level 0 has one bit per number, each
 * bit of the level above says whether a word below has any bit. Insert, remove, the highest
 * member and the next lower one take one word per level: 4 levels reach 16 million numbers, 6
 * reach 2^36.
 *
 *     level 2                 1
 *     level 1        1        0        1
 *     level 0     0100..    0000..    0011..
 */
#ifndef TD_CORE_BITSET_H
#define TD_CORE_BITSET_H

#include <stdbool.h>
#include <stdint.h>

#include "vec.h"

#define TD_BITSET_LEVELS 7
#define TD_BITSET_NONE UINT64_MAX

struct td_bitset {
	uint64_t *level[TD_BITSET_LEVELS];
	unsigned levels;
	struct td_vec words;
};

int td_bitset_init(struct td_bitset *s, uint64_t bound);
void td_bitset_free(struct td_bitset *s);

static inline void td_bitset_add(struct td_bitset *s, uint64_t i)
{
	for (unsigned l = 0; l < s->levels; l++, i /= 64) {
		uint64_t old = s->level[l][i / 64];
		s->level[l][i / 64] = old | UINT64_C(1) << (i % 64);
		if (old)
			return;
	}
}

static inline void td_bitset_remove(struct td_bitset *s, uint64_t i)
{
	for (unsigned l = 0; l < s->levels; l++, i /= 64) {
		s->level[l][i / 64] &= ~(UINT64_C(1) << (i % 64));
		if (s->level[l][i / 64])
			return;
	}
}

static inline bool td_bitset_has(const struct td_bitset *s, uint64_t i)
{
	return s->level[0][i / 64] >> (i % 64) & 1;
}

/* The highest member below i, or TD_BITSET_NONE. */
uint64_t td_bitset_below(const struct td_bitset *s, uint64_t i);

#endif
