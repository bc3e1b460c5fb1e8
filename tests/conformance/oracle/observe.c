/* Observation: section 5.1 of the policies' specification. */
#include "oracle.h"

#include <string.h>

void set_up_observation(struct oracle *o)
{
	struct observation *ob = &o->observation;
	const struct spec *spec = o->evict->spec;

	ob->budget[OBSERVE] = o->evict->how->candidate ? param_number(spec, "observe", 100) : 0;
	ob->budget[FEEDBACK] = 64;
	ob->budget[TRIGGER] = 256 - 64 - ob->budget[OBSERVE];
	ob->samples = param_number(spec, "samples", 1);
	ob->adapt = param_number(spec, "adapt", 1);
}

static uint64_t observed_chunks(const struct oracle *o, enum purpose purpose)
{
	uint64_t n = 0;

	for (uint32_t c = 0; c < o->chunk_len; c++)
		n += o->chunks[c].armed && o->chunks[c].purpose == purpose;
	return n;
}

/* The page that stands at the given place of those in the bitmap, ascending. */
static uint64_t nth_bit(uint64_t bits, uint64_t place)
{
	for (unsigned i = 0; i < 64; i++)
		if (bits >> i & 1 && place-- == 0)
			return (uint64_t)1 << i;
	return 0;
}

static uint64_t draw_pages(struct oracle *o, uint64_t among, uint64_t n)
{
	uint64_t drawn = 0;

	if (count_bits(among) <= n)
		return among;
	while (n-- > 0) {
		uint64_t page = nth_bit(among, next_random(o) % count_bits(among));

		drawn |= page;
		among &= ~page;
	}
	return drawn;
}

/* Arms n of the pages, if the chunk is not observed and there is room. */
void arm_pages(struct oracle *o, uint32_t c, uint64_t among, uint64_t n, enum purpose purpose)
{
	struct chunk *chunk = &o->chunks[c];

	if (chunk->armed || observed_chunks(o, purpose) >= o->observation.budget[purpose])
		return;
	chunk->armed = draw_pages(o, among, n);
	chunk->purpose = purpose;
	o->counts.observe_pages += count_bits(chunk->armed);
}

void ask_candidate(struct oracle *o)
{
	uint32_t c;

	if (!o->evict->how->candidate)
		return;
	c = o->evict->how->candidate(o->evict);
	if (c != NONE)
		arm_pages(o, c, o->chunks[c].resident, o->observation.samples, OBSERVE);
}

/* An armed page of the chunk was accessed. */
void give_notice(struct oracle *o, uint32_t c)
{
	struct chunk *chunk = &o->chunks[c];

	o->counts.remote++;
	o->counts.notices++;
	o->counts.observe_pages += count_bits(chunk->armed);
	chunk->armed = 0;
	if (o->prefetch->how->notice)
		o->prefetch->how->notice(o->prefetch, c, chunk->purpose);
	if (o->evict->how->notice)
		o->evict->how->notice(o->evict, c);
}

/* How many of the hundred chunks that left came back by a fault? */
static void adapt(struct oracle *o)
{
	struct observation *ob = &o->observation;
	unsigned back = 0;

	for (size_t i = 0; i < 100; i++)
		back += o->chunks[ob->left[i].chunk].faults > ob->left[i].faults;
	if (back > 50 && ob->samples < 8)
		ob->samples *= 2;
	if (ob->samples > 8)
		ob->samples = 8;
	if (back < 20 && ob->samples > 1)
		ob->samples /= 2;
}

void note_eviction(struct oracle *o, uint32_t c)
{
	struct observation *ob = &o->observation;

	ob->left[ob->left_len].chunk = c;
	ob->left[ob->left_len].faults = o->chunks[c].faults;
	if (++ob->left_len < 100)
		return;
	ob->left_len = 0;
	if (ob->adapt)
		adapt(o);
}
