/* Chunks by age: the queue of tier 2 for as many chunks as there are, without links. The age of a
 * chunk that is in it is three bits of its state; an age is over when a sixth of all have come in
 * it, and where there are too many, the two that are smallest together become one. Those of the
 * oldest age leave first, in the order of their numbers, which is also that of their places in a
 * file.
 *
 *     states  . 5 4 . . 4 . 6 . 5 .       oldest 4, newest 6
 *                       ^ hand            the next to leave
 *
 * How many there are in each block of chunks is kept, so that the hand passes over empty ones. */
#ifndef TD_UFFD_AGES_H
#define TD_UFFD_AGES_H

#include <stdbool.h>
#include <string.h>

#include "tide/list.h"
#include "tide/vec.h"

#define TD_AGES 8u
#define TD_AGES_SHIFT 5     /* where the age is in the state */
#define TD_AGES_OTHER 0x1f  /* the rest of the state */
#define TD_AGES_PART 6      /* of all, that make an age */
#define TD_AGES_BLOCK 1024u /* chunks */

struct td_ages {
	uint32_t n;
	uint32_t of[TD_AGES];
	unsigned oldest, newest;
	uint32_t came; /* since the newest age began */
	uint32_t hand;
	struct tide_vec blocks; /* uint32_t; item_bytes is 0: there is no queue */
};

static inline uint32_t *td_ages_block(const struct td_ages *a, uint32_t chunk)
{
	return (uint32_t *)(void *)a->blocks.at + chunk / TD_AGES_BLOCK;
}

static inline uint32_t td_ages_block_end(uint32_t chunk, uint32_t chunks)
{
	uint32_t rest = TD_AGES_BLOCK - chunk % TD_AGES_BLOCK;
	return chunks - chunk > rest ? chunk + rest : chunks;
}

static inline int td_ages_reserve(struct td_ages *a, uint64_t chunks)
{
	return tide_vec_reserve(&a->blocks, chunks / TD_AGES_BLOCK + 1);
}

/* Ages without a chunk are over. */
static inline void td_ages_settle(struct td_ages *a)
{
	while (a->oldest != a->newest && !a->of[a->oldest])
		a->oldest = (a->oldest + 1) % TD_AGES;
}

/* Chunks of the oldest age, and so many after it, get the next one. */
static inline void td_ages_relabel(struct td_ages *a, uint8_t *states, uint32_t chunks,
				   uint8_t queued, unsigned last)
{
	const uint8_t one = 1 << TD_AGES_SHIFT, first = (uint8_t)(a->oldest << TD_AGES_SHIFT);
	const uint8_t most = (uint8_t)(last << TD_AGES_SHIFT | TD_AGES_OTHER);
	for (uint32_t block = 0, end; block < chunks; block = end) {
		end = td_ages_block_end(block, chunks);
		for (uint32_t i = *td_ages_block(a, block) ? block : end; i < end; i++) {
			bool older = states[i] & queued && (uint8_t)(states[i] - first) <= most;
			states[i] = (uint8_t)(states[i] + (older ? one : 0));
		}
	}
}

/* All ages are in use: two of them become one. */
static inline void td_ages_merge(struct td_ages *a, uint8_t *states, uint32_t chunks,
				 uint8_t queued)
{
	unsigned last = 0;
	uint32_t least = UINT32_MAX;
	for (unsigned i = 0; i + 1 < TD_AGES; i++) {
		uint32_t both =
			a->of[(a->oldest + i) % TD_AGES] + a->of[(a->oldest + i + 1) % TD_AGES];
		if (both < least) {
			least = both;
			last = i;
		}
	}
	td_ages_relabel(a, states, chunks, queued, last);
	a->of[(a->oldest + last + 1) % TD_AGES] = least;
	for (unsigned i = last; i; i--)
		a->of[(a->oldest + i) % TD_AGES] = a->of[(a->oldest + i - 1) % TD_AGES];
	a->of[a->oldest] = 0;
	td_ages_settle(a);
}

static inline void td_ages_put(struct td_ages *a, uint8_t *states, uint32_t chunks, uint32_t chunk,
			       uint8_t queued)
{
	if (a->came > a->n / TD_AGES_PART) {
		if ((a->newest + 1) % TD_AGES == a->oldest)
			td_ages_merge(a, states, chunks, queued);
		a->newest = (a->newest + 1) % TD_AGES;
		a->came = 0;
	}
	uint8_t age = (uint8_t)(a->newest << TD_AGES_SHIFT);
	states[chunk] = (uint8_t)((states[chunk] & TD_AGES_OTHER) | queued | age);
	++*td_ages_block(a, chunk);
	a->of[a->newest]++;
	a->came++;
	a->n++;
	td_ages_settle(a);
}

static inline void td_ages_take(struct td_ages *a, uint8_t *states, uint32_t chunk, uint8_t queued)
{
	a->of[states[chunk] >> TD_AGES_SHIFT]--;
	states[chunk] &= (uint8_t)(TD_AGES_OTHER & ~queued);
	--*td_ages_block(a, chunk);
	a->n--;
	td_ages_settle(a);
}

/* The first chunk from one on, in its block, whose state is `want` in the bits of the mask. */
static inline uint32_t td_ages_look(const uint8_t *states, uint32_t from, uint32_t end,
				    uint8_t mask, uint8_t want)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	for (; from < end && from % 8; from++) {
		if ((states[from] & mask) == want)
			return from;
	}
	for (; end - from >= 8 && from < end; from += 8) {
		uint64_t x;
		memcpy(&x, states + from, sizeof x);
		x = (x & mask * ones) ^ want * ones;
		if ((x - ones) & ~x & ones << 7) /* a byte is 0 */
			break;
	}
	while (from < end && (states[from] & mask) != want)
		from++;
	return from < end ? from : TIDE_NIL;
}

/* The next to leave: there is one. */
static inline uint32_t td_ages_oldest(struct td_ages *a, const uint8_t *states, uint32_t chunks,
				      uint8_t queued)
{
	uint8_t want = (uint8_t)(a->oldest << TD_AGES_SHIFT | queued);
	uint8_t mask = (uint8_t)((TD_AGES - 1) << TD_AGES_SHIFT | queued);
	for (uint32_t at = a->hand < chunks ? a->hand : 0;;) {
		uint32_t end = td_ages_block_end(at, chunks);
		uint32_t found = TIDE_NIL;
		if (*td_ages_block(a, at))
			found = td_ages_look(states, at, end, mask, want);
		if (found != TIDE_NIL) {
			a->hand = found + 1;
			return found;
		}
		at = end < chunks ? end : 0;
	}
}

#endif
