#include "sample.h"

void td_mrc_sample_init(struct td_mrc_sample *s, double rate)
{
	s->rate = rate;
	s->below = rate < 1 ? (uint64_t)(rate * 0x1p64) : 0;
	for (unsigned i = 0; i < TIDE_BATCH; i++)
		s->at[i] = (uint16_t)i;
}

/* The loop has no branch on the hash, so the processor mispredicts none, whatever the rate. */
static uint32_t choose(struct td_mrc_sample *s, const uint64_t *page, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		s->at[kept] = (uint16_t)i;
		kept += tide_hash64(page[i]) < s->below;
	}
	return kept;
}

struct td_mrc_accesses td_mrc_sample_batch(struct td_mrc_sample *s, const struct tide_batch *batch,
					   uint64_t before)
{
	if (s->rate >= 1)
		return (struct td_mrc_accesses){
			before,     batch->n, batch->page,
			batch->ref, s->at,    batch->object ? batch->object->first : NULL};
	uint32_t n = choose(s, batch->page, batch->n);
	for (uint32_t i = 0; i < n; i++) {
		s->page[i] = batch->page[s->at[i]];
		s->ref[i] = batch->ref[s->at[i]];
	}
	return (struct td_mrc_accesses){before, n, s->page, s->ref, s->at, NULL};
}

struct td_mrc_accesses td_mrc_sample_half(struct td_mrc_sample *s,
					  const struct td_mrc_accesses *from, unsigned half)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < from->n; i++) {
		if (td_mrc_part(from->page[i], 2) != half)
			continue;
		s->page[n] = from->page[i];
		s->ref[n] = from->ref[i];
		s->at[n++] = from->at[i];
	}
	return (struct td_mrc_accesses){from->before, n, s->page, s->ref, s->at, NULL};
}
