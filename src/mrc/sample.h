/* SHARDS: a page is sampled if its hash is below rate * 2^64. So all accesses to a page are looked
 * at, or none. */
#ifndef TD_MRC_SAMPLE_H
#define TD_MRC_SAMPLE_H

#include "mrc.h"

struct td_mrc_sample {
	double rate;
	uint64_t below;
	uint64_t page[TIDE_BATCH], ref[TIDE_BATCH];
	uint16_t at[TIDE_BATCH];
};

void td_mrc_sample_init(struct td_mrc_sample *s, double rate);

/* The sampled accesses of the batch. They are valid until the next call, or as long as the
 * batch. */
struct td_mrc_accesses td_mrc_sample_batch(struct td_mrc_sample *s, const struct tide_batch *batch,
					   uint64_t before);

/* Which part of the sample a page is in, by the lowest bits of its hash. Sampling goes by the
 * highest bits. parts is a power of two. */
static inline unsigned td_mrc_part(uint64_t page, unsigned parts)
{
	return (unsigned)tide_hash64(page) & (parts - 1);
}

/* The accesses of `from` that are in a half. */
struct td_mrc_accesses td_mrc_sample_half(struct td_mrc_sample *s,
					  const struct td_mrc_accesses *from, unsigned half);

#endif
