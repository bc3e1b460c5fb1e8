/* What the pager keeps of a chunk: bitmaps of its pages, called lanes, and a byte of state. pager.h
 * says what the lanes mean together. */
#ifndef TD_UFFD_CHUNK_H
#define TD_UFFD_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum td_pager_lane {
	LANE_MAPPED,
	LANE_WRITABLE,
	LANE_HELD,
	LANE_STORED,
	LANE_SWAPPED,
	LANE_DIRTY,
	LANE_LINGER,
	LANE_STALE, /* mapped, and the view has something else */
	LANE_EAGER, /* was written after it was mapped to be read */
	LANES,
};

enum td_chunk_state {
	CHUNK_BUSY = 1,
	CHUNK_QUEUED = 2,   /* in the queue of tier 2 */
	CHUNK_LINGERS = 4,  /* in the list of those that linger, and not in the queue */
	CHUNK_TO_FILE = 8,  /* its way is to tier 3 */
	CHUNK_AWAITED = 16, /* the three bits above it: its age in the queue, see ages.h */
};

/* Where a lane of chunk 0 is, and how far it is to that of the next. Lanes that no mapping of this
 * pager can have need no memory: they are one zero for all chunks, and nobody sets a bit there. */
struct td_lane_at {
	unsigned char *at;
	size_t stride;
};

/* The lowest run of set bits: its first bit and length; takes it out. */
static inline bool td_pager_run(uint64_t *bits, unsigned *at, unsigned *n)
{
	if (!*bits)
		return false;
	*at = (unsigned)__builtin_ctzll(*bits);
	uint64_t rest = ~(*bits >> *at);
	*n = rest ? (unsigned)__builtin_ctzll(rest) : 64 - *at;
	*bits &= *n == 64 ? 0 : ~(((UINT64_C(1) << *n) - 1) << *at);
	return true;
}

static inline uint64_t td_pager_bits(unsigned at, unsigned n)
{
	return (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << at;
}

#endif
