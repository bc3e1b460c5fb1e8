/* A set of numbers below a bound, as bitmaps over bitmaps. Level 0 has one bit per number. Each bit
 * of a higher level says whether a word of the level below has any bit set. Adding, removing and
 * finding the highest member below a number take one or two words per level. 4 levels reach 16
 * million numbers, 6 levels reach 2^36.
 *
 *     level 2                 1
 *     level 1        1        0        1
 *     level 0     0100..    0000..    0011..
 */
#ifndef TIDE_BITSET_H
#define TIDE_BITSET_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "vec.h"

#define TIDE_BITSET_LEVELS 7
#define TIDE_BITSET_NONE UINT64_MAX

struct tide_bitset {
	uint64_t *level[TIDE_BITSET_LEVELS];
	unsigned levels;
	struct tide_vec words;
};

static inline int tide_bitset_init(struct tide_bitset *s, uint64_t bound);
static inline void tide_bitset_free(struct tide_bitset *s);

static inline void tide_bitset_add(struct tide_bitset *s, uint64_t i)
{
	for (unsigned l = 0; l < s->levels; l++, i /= 64) {
		uint64_t old = s->level[l][i / 64];
		s->level[l][i / 64] = old | UINT64_C(1) << (i % 64);
		if (old)
			return;
	}
}

static inline void tide_bitset_remove(struct tide_bitset *s, uint64_t i)
{
	for (unsigned l = 0; l < s->levels; l++, i /= 64) {
		s->level[l][i / 64] &= ~(UINT64_C(1) << (i % 64));
		if (s->level[l][i / 64])
			return;
	}
}

static inline bool tide_bitset_has(const struct tide_bitset *s, uint64_t i)
{
	return s->level[0][i / 64] >> (i % 64) & 1;
}

/* The highest member below i, or TIDE_BITSET_NONE. */
static inline uint64_t tide_bitset_below(const struct tide_bitset *s, uint64_t i);

/* ---- how ---- */

static inline int tide_bitset_init(struct tide_bitset *s, uint64_t bound)
{
	uint64_t words[TIDE_BITSET_LEVELS], total = 0;
	*s = (struct tide_bitset){0};
	if (bound >= UINT64_C(1) << 6 * TIDE_BITSET_LEVELS)
		return -ENOMEM;
	/* One number more, because a search may start at the bound itself. */
	for (uint64_t n = bound + 1;; n = (n + 63) / 64) {
		words[s->levels] = (n + 63) / 64;
		total += words[s->levels++];
		if (n <= 64)
			break;
	}
	tide_vec_init(&s->words, sizeof(uint64_t));
	int rc = tide_vec_reserve(&s->words, total);
	if (rc)
		return rc;
	uint64_t *at = (uint64_t *)(void *)s->words.at;
	for (unsigned l = 0; l < s->levels; at += words[l++])
		s->level[l] = at;
	return 0;
}

static inline void tide_bitset_free(struct tide_bitset *s)
{
	tide_vec_free(&s->words);
}

static inline unsigned tide_bitset_highest(uint64_t word)
{
	return 63 - (unsigned)__builtin_clzll(word);
}

static inline uint64_t tide_bitset_below(const struct tide_bitset *s, uint64_t i)
{
	/* Go up while the word has no bit below i. Then go down along the highest bits. */
	for (unsigned l = 0; l < s->levels; l++, i /= 64) {
		uint64_t below = (UINT64_C(1) << (i % 64)) - 1;
		uint64_t word = i % 64 ? s->level[l][i / 64] & below : 0;
		if (!word)
			continue;
		i = i / 64 * 64 + tide_bitset_highest(word);
		while (l--)
			i = i * 64 + tide_bitset_highest(s->level[l][i]);
		return i;
	}
	return TIDE_BITSET_NONE;
}

#endif
