/* SHARDS: a page is looked at if its hash is below rate * 2^64, at every access or at none. */
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

/* Those of the batch that are sampled. They live until the next call, or as long as the batch. */
struct td_mrc_accesses td_mrc_sample_batch(struct td_mrc_sample *s, const struct tide_batch *batch,
					   uint64_t before);

/* Which of two halves of the sample a page is in: by a bit of its hash that chose none yet. */
static inline unsigned td_mrc_half(uint64_t page)
{
	return tide_hash64(page) & 1;
}

/* Of these, the ones in a half. */
struct td_mrc_accesses td_mrc_sample_half(struct td_mrc_sample *s,
					  const struct td_mrc_accesses *from, unsigned half);

#endif
