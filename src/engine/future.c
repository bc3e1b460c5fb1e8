/* The future of a recorded input: per access the next access to the same chunk.
 *
 * A pass in order stores the chunk of every access; a pass backwards turns that into times.
 * Times are 32-bit and count from 1, so that 0 can say never. */
#include <errno.h>

#include "engine.h"

int td_engine_changed(struct tide_error *err)
{
	return tide_fail(err, -ESTALE, "the input changed while it was read: run again");
}

/* Chunks of maps still to come have an index before they exist. */
static int foresee_maps(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < batch->marks_n && !rc; i++) {
		const struct tide_mark *mark = &batch->marks[i];
		if (mark->kind == TIDE_MARK_MAP)
			rc = td_engine_grow(
				e, (mark->page + mark->pages - 1) / e->near.chunk_pages + 1);
	}
	return rc ? tide_fail(err, rc, "out of memory for the state of the chunks") : 0;
}

int td_engine_foresee(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err)
{
	int rc = e->maps.on ? foresee_maps(e, batch, err) : 0;
	if (!rc)
		rc = td_engine_translate(e, batch, err);
	if (rc)
		return rc;
	if (e->near.length >= UINT32_MAX)
		return tide_fail(
			err, -EFBIG,
			"a policy that needs the future takes at most 4 billion accesses: cut the trace");
	if (batch->n > e->near.length - e->foreseen)
		return td_engine_changed(err);
	if (tide_vec_reserve(&e->chunk_at, e->near.length) ||
	    tide_vec_reserve(&e->next_after, e->near.length + 1))
		return tide_fail(err, -ENOMEM, "out of memory for the future of the input");
	memcpy((uint32_t *)(void *)e->chunk_at.at + e->foreseen, e->index,
	       batch->n * sizeof *e->index);
	e->foreseen += batch->n;
	return 0;
}

int td_engine_foreseen(struct td_engine *e, struct tide_error *err)
{
	if (e->foreseen != e->near.length)
		return td_engine_changed(err);
	const uint32_t *chunk_at = (const uint32_t *)(void *)e->chunk_at.at;
	uint32_t *next_after = (uint32_t *)(void *)e->next_after.at;
	uint32_t *next_use = (uint32_t *)(void *)e->next_use.at;
	for (uint64_t t = e->near.length; t; t--) {
		uint32_t c = chunk_at[t - 1];
		if (t > 16)
			__builtin_prefetch(&next_use[chunk_at[t - 17]], 1);
		next_after[t] = next_use[c];
		next_use[c] = (uint32_t)t;
	}
	e->near.chunk_at = chunk_at;
	return 0;
}
