#include "digest.h"

#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* for a state inside a struct of ours */
#include <xxhash.h>
#ifdef TD_TRACE_XXH_DISPATCH
/* The same functions, with the widest vectors that the processor has: a digest of every event is
 * made as it is read, and must cost next to nothing. */
#include <xxh_x86dispatch.h>
#endif

/* Each field of the events is a lane with a hash of its own, so that batches of any size give the
 * same. A lane begins with its first value that is not 0: a field that a trace does not have costs
 * nothing, and is the same as one of zeros. */
enum { PAGES, REFS, STREAMS, WRITES, PLAIN, FIRST = PLAIN, BYTES, COST, LANES };

struct td_trace_digest {
	XXH3_state_t lane[LANES], marks;
	bool begun[LANES];
	uint64_t events, marks_n;
};

struct td_trace_digest *td_trace_digest_new(void)
{
	struct td_trace_digest *d = aligned_alloc(_Alignof(struct td_trace_digest), sizeof *d);

	if (d)
		td_trace_digest_restart(d);
	return d;
}

void td_trace_digest_free(struct td_trace_digest *d)
{
	free(d);
}

void td_trace_digest_restart(struct td_trace_digest *d)
{
	for (int i = 0; i < LANES; i++) {
		XXH3_128bits_reset(&d->lane[i]);
		d->begun[i] = false;
	}
	XXH3_128bits_reset(&d->marks);
	d->events = d->marks_n = 0;
}

static size_t leading_zeros(const unsigned char *bytes, size_t n)
{
	size_t i = 0;

	/* All of them, as a rule; memcmp() is faster than a loop. */
	if (n && !bytes[0] && memcmp(bytes, bytes + 1, n - 1) == 0)
		return n;

	while (i < n && !bytes[i])
		i++;
	return i;
}

/* before: so many events came before these. */
static void put_lane(struct td_trace_digest *d, int lane, uint64_t before, const void *values,
		     size_t n, size_t width)
{
	const unsigned char *bytes = values;
	size_t from = 0;

	if (!d->begun[lane]) {
		from = leading_zeros(bytes, n * width) / width;
		if (from == n)
			return;
		d->begun[lane] = true;
		XXH3_128bits_update(&d->lane[lane], &(uint64_t){before + from}, sizeof(uint64_t));
	}
	XXH3_128bits_update(&d->lane[lane], bytes + from * width, (n - from) * width);
}

static void put_marks(struct td_trace_digest *d, const struct tide_batch *batch)
{
	for (uint32_t i = 0; i < batch->marks_n; i++) {
		const struct tide_mark *m = &batch->marks[i];
		const uint64_t words[] = {m->kind, d->events + m->at, m->page, m->pages};
		XXH3_128bits_update(&d->marks, words, sizeof words);
	}
	d->marks_n += batch->marks_n;
}

void td_trace_digest_put(struct td_trace_digest *d, const struct tide_batch *batch, bool refs,
			 bool streams)
{
	uint64_t before = d->events;

	put_lane(d, PAGES, before, batch->page, batch->n, sizeof batch->page[0]);
	if (refs)
		put_lane(d, REFS, before, batch->ref, batch->n, sizeof batch->ref[0]);
	if (streams)
		put_lane(d, STREAMS, before, batch->stream, batch->n, sizeof batch->stream[0]);
	put_lane(d, WRITES, before, batch->write, batch->n, sizeof batch->write[0]);
	put_marks(d, batch);
	d->events += batch->n;
}

void td_trace_digest_objects(struct td_trace_digest *d, const struct tide_batch_object *o,
			     uint32_t n)
{
	uint64_t before = d->events - n;

	put_lane(d, FIRST, before, o->first, n, sizeof o->first[0]);
	put_lane(d, BYTES, before, o->bytes, n, sizeof o->bytes[0]);
	put_lane(d, COST, before, o->cost, n, sizeof o->cost[0]);
}

/* The parts that came later are left out where there are none: the digest is then as it was before
 * events had them. */
uint64_t td_trace_digest_end(const struct td_trace_digest *d, uint64_t digest[2])
{
	enum { OLD = PLAIN + 2 };
	XXH128_hash_t parts[OLD + LANES - PLAIN], all;
	size_t n = OLD;

	memset(parts, 0, sizeof parts);
	for (int i = 0; i < LANES; i++) {
		if (!d->begun[i])
			continue;
		parts[i < PLAIN ? i : i + 2] = XXH3_128bits_digest(&d->lane[i]);
		if (i >= PLAIN)
			n = sizeof parts / sizeof *parts;
	}
	if (d->marks_n)
		parts[PLAIN] = XXH3_128bits_digest(&d->marks);
	parts[PLAIN + 1].low64 = d->events;
	all = XXH3_128bits(parts, n * sizeof *parts);
	digest[0] = all.high64;
	digest[1] = all.low64 ? all.low64 : 1;
	return d->events;
}
