/* The future of a recorded input: for each access, the next access to the same chunk.
 *
 * A pass in order stores the chunk of every access. A pass backwards turns the chunks into times.
 * Times have 32 bits and count from 1, so that 0 can mean never. */
#include <errno.h>

#include "engine.h"

int td_engine_changed(struct tide_error *err)
{
	return tide_fail(err, -ESTALE, "the input changed while it was read: run again");
}

/* Chunks that cease to exist after an access. */
struct gone {
	uint64_t time; /* of that access */
	uint64_t first, end;
};

static struct gone *gone_at(struct td_engine *e, uint64_t i)
{
	return (struct gone *)(void *)e->gone.at + i;
}

/* Those that go whole. Of others the rest may be accessed later. */
static int foresee_gone(struct td_engine *e, const struct tide_mark *mark)
{
	uint64_t n = e->near.chunk_pages;
	struct gone g = {e->foreseen + mark->at, (mark->page + n - 1) / n,
			 (mark->page + mark->pages) / n};
	if (g.first >= g.end)
		return 0;
	if (tide_vec_reserve(&e->gone, e->gone_n + 1))
		return -ENOMEM;
	*gone_at(e, e->gone_n++) = g;
	return 0;
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
		else if (mark->kind == TIDE_MARK_GONE)
			rc = foresee_gone(e, mark);
	}
	return rc ? td_engine_index_failed(rc, err) : 0;
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

/* On the way back to access t: what is gone after it has no next access, though memory with the
 * same numbers may come again. */
static void forget_gone(struct td_engine *e, uint32_t *next_use, uint64_t t)
{
	for (; e->gone_n && gone_at(e, e->gone_n - 1)->time >= t; e->gone_n--) {
		const struct gone *g = gone_at(e, e->gone_n - 1);
		for (uint64_t c = g->first; c < g->end && c < e->room_chunks; c++)
			next_use[c] = 0;
	}
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
		if (e->gone_n)
			forget_gone(e, next_use, t);
		if (t > 16)
			__builtin_prefetch(&next_use[chunk_at[t - 17]], 1);
		next_after[t] = next_use[c];
		next_use[c] = (uint32_t)t;
	}
	e->near.chunk_at = chunk_at;
	return 0;
}
