#include "bitset.h"

#include <errno.h>

int td_bitset_init(struct td_bitset *s, uint64_t bound)
{
	uint64_t words[TD_BITSET_LEVELS], total = 0;
	*s = (struct td_bitset){0};
	if (bound >= UINT64_C(1) << 6 * TD_BITSET_LEVELS)
		return -ENOMEM;
	/* One number more, so that the bound itself is a place to search from. */
	for (uint64_t n = bound + 1;; n = (n + 63) / 64) {
		words[s->levels] = (n + 63) / 64;
		total += words[s->levels++];
		if (n <= 64)
			break;
	}
	td_vec_init(&s->words, sizeof(uint64_t));
	int rc = td_vec_reserve(&s->words, total);
	if (rc)
		return rc;
	uint64_t *at = (uint64_t *)(void *)s->words.at;
	for (unsigned l = 0; l < s->levels; at += words[l++])
		s->level[l] = at;
	return 0;
}

void td_bitset_free(struct td_bitset *s)
{
	td_vec_free(&s->words);
}

static unsigned highest(uint64_t word)
{
	return 63 - (unsigned)__builtin_clzll(word);
}

uint64_t td_bitset_below(const struct td_bitset *s, uint64_t i)
{
	/* Up while the word has nothing below i, then down along the highest bits. */
	for (unsigned l = 0; l < s->levels; l++, i /= 64) {
		uint64_t below = (UINT64_C(1) << (i % 64)) - 1;
		uint64_t word = i % 64 ? s->level[l][i / 64] & below : 0;
		if (!word)
			continue;
		i = i / 64 * 64 + highest(word);
		while (l--)
			i = i * 64 + highest(s->level[l][i]);
		return i;
	}
	return TD_BITSET_NONE;
}
