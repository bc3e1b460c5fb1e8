/* Memory of a GPU as device memory.
 *
 * One kernel moves all blocks of a call, each between its slot and its place in main memory. Main
 * memory is pinned, so that the GPU reaches it. So the processor copies nothing, and waits once. If
 * main memory cannot be pinned, a pinned buffer (`staging`) is in between, and the processor
 * copies.
 *
 * From a certain number of blocks on, the GPU is faster than the processor, and signs them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"

#define RANGES 8

struct range {
	unsigned char *at;
	size_t bytes;
};

struct gpu {
	void *card;
	unsigned char *slots;
	uint32_t slot_bytes, most;
	struct td_pool_move *moves;           /* pinned */
	struct td_pool_signature *signatures; /* pinned */
	unsigned char *staging;               /* pinned; NULL: not needed so far */
	unsigned char *chunk;                 /* of the GPU, for what MD5 is made of; likewise */
	struct range pinned[RANGES];
	size_t pinned_n;
	struct td_pool_hasher hasher;
};

/* ---- life ---- */

static void gpu_free(void *state)
{
	struct gpu *g = state;
	if (!g)
		return;
	for (size_t i = 0; i < g->pinned_n; i++)
		td_pool_card.unpin(g->card, g->pinned[i].at);
	td_pool_card.pinned_free(g->card, g->staging);
	td_pool_card.pinned_free(g->card, g->signatures);
	td_pool_card.pinned_free(g->card, g->moves);
	td_pool_card.memory_free(g->card, g->chunk);
	td_pool_card.memory_free(g->card, g->slots);
	td_pool_card.close(g->card);
	free(g);
}

static int take(void *card, void *out, bool pinned, uint64_t n, uint64_t each,
		struct tide_error *err)
{
	uint64_t bytes;
	void *at = NULL;
	if (__builtin_mul_overflow(n, each, &bytes))
		return tide_fail(err, -ENOMEM, "device memory of that size cannot be: give less");
	int rc = !bytes   ? 0
		 : pinned ? td_pool_card.pinned(card, &at, bytes, err)
			  : td_pool_card.memory(card, &at, bytes, err);
	memcpy(out, &at, sizeof at);
	return rc;
}

static int set_up(struct gpu *g, uint64_t slots, struct tide_error *err)
{
	int rc = td_pool_card.open(&g->card, err);
	if (!rc)
		rc = take(g->card, &g->slots, false, slots, g->slot_bytes, err);
	if (!rc)
		rc = take(g->card, &g->moves, true, g->most, sizeof *g->moves, err);
	if (!rc)
		rc = take(g->card, &g->signatures, true, g->most, sizeof *g->signatures, err);
	return rc;
}

static int gpu_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	struct gpu *g = calloc(1, sizeof *g);
	if (!g)
		return tide_fail(err, -ENOMEM, "no memory for a device: free some");
	g->slot_bytes = want->slot_bytes;
	g->most = want->most;
	int rc = set_up(g, want->slots, err);
	if (rc)
		gpu_free(g);
	else
		*state = g;
	return rc;
}

static int need_staging(struct gpu *g, struct tide_error *err)
{
	return g->staging ? 0 : take(g->card, &g->staging, true, g->most, g->slot_bytes, err);
}

static int gpu_pin(void *state, void *at, size_t bytes, struct tide_error *err)
{
	struct gpu *g = state;
	if (!bytes)
		return 0;
	if (g->pinned_n == RANGES || !td_pool_card.pin(g->card, at, bytes))
		return need_staging(g, err);
	g->pinned[g->pinned_n++] = (struct range){at, bytes};
	return 0;
}

/* ---- places that the GPU reaches ---- */

static bool is_pinned(const struct gpu *g, const void *at)
{
	for (size_t i = 0; i < g->pinned_n; i++)
		if ((uintptr_t)at - (uintptr_t)g->pinned[i].at < g->pinned[i].bytes)
			return true;
	return false;
}

static unsigned char *slot_at(const struct gpu *g, uint32_t slot)
{
	return g->slots + (size_t)slot * g->slot_bytes;
}

static unsigned char *staging_at(const struct gpu *g, size_t i)
{
	return g->staging + i * g->slot_bytes;
}

/* Where block i of a call is for the GPU; NULL: no memory for that. */
static unsigned char *reach(struct gpu *g, const void *at, size_t i)
{
	if (is_pinned(g, at))
		return (unsigned char *)(uintptr_t)at;
	return need_staging(g, NULL) ? NULL : staging_at(g, i);
}

/* The same with what is there now. */
static const unsigned char *reach_bytes(struct gpu *g, const void *at, size_t i)
{
	unsigned char *there = reach(g, at, i);
	if (there && there != at)
		memcpy(there, at, g->slot_bytes);
	return there;
}

/* ---- transfers ---- */

static int move(struct gpu *g, size_t n)
{
	int rc = td_pool_card.move(g->card, g->moves, n, g->slot_bytes);
	return rc ? rc : td_pool_card.wait(g->card);
}

static int gpu_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	struct gpu *g = state;
	if (n > g->most)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		unsigned char *there = reach(g, to[i], i);
		if (!there)
			return -ENOMEM;
		g->moves[i] = (struct td_pool_move){slot_at(g, slots[i]), there};
	}
	int rc = n ? move(g, n) : 0;
	for (size_t i = 0; !rc && i < n; i++)
		if (g->moves[i].to != to[i])
			memcpy(to[i], g->moves[i].to, g->slot_bytes);
	return rc;
}

static int gpu_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	struct gpu *g = state;
	if (n > g->most)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		const unsigned char *there = reach_bytes(g, from[i], i);
		if (!there)
			return -ENOMEM;
		g->moves[i] = (struct td_pool_move){there, slot_at(g, slots[i])};
	}
	return n ? move(g, n) : 0;
}

/* ---- signatures ---- */

/* From how many blocks on the GPU is ahead of one core, which XXH3 takes 0.14 ns a byte, and MD5
 * 1.9. The GPU takes 15 us for XXH3, and 20 us and 12 ns a byte for MD5 of any number of blocks, as
 * each is one thread's: docs/pool-results.md. */
static size_t least(const struct gpu *g, enum td_pool_hash hash)
{
	return hash == TD_POOL_MD5 ? 8 + 8192 / g->slot_bytes : (1 << 18) / g->slot_bytes;
}

/* MD5 is one thread's per block, which reads best from memory of its own. */
static int give_chunk(struct gpu *g, size_t n)
{
	if (!g->chunk && take(g->card, &g->chunk, false, g->most, g->slot_bytes, NULL))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		g->moves[i].to = g->chunk + i * g->slot_bytes;
	return 0;
}

int td_pool_cuda_sign(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures)
{
	struct gpu *g = state;
	if (n > g->most)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		g->moves[i].from = reach_bytes(g, blocks[i], i);
		if (!g->moves[i].from)
			return -ENOMEM;
	}
	int rc = hash == TD_POOL_MD5 ? give_chunk(g, n) : 0;
	if (!rc)
		rc = td_pool_card.sign(g->card, hash, g->moves, n, g->slot_bytes, g->signatures);
	int waited = td_pool_card.wait(g->card); /* also for what was started before an error */
	rc = rc ? rc : waited;
	if (!rc)
		memcpy(signatures, g->signatures, n * sizeof *signatures);
	return rc;
}

static int gpu_hash(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		    struct td_pool_signature *signatures)
{
	struct gpu *g = state;
	if (n >= least(g, hash))
		return td_pool_cuda_sign(state, hash, blocks, n, signatures);
	return td_pool_hash_blocks(&g->hasher, hash, blocks, n, g->slot_bytes, signatures);
}

const struct td_pool_device td_pool_device_cuda = {
	.name = "cuda",
	.alloc = gpu_alloc,
	.free = gpu_free,
	.pin = gpu_pin,
	.gather = gpu_gather,
	.scatter = gpu_scatter,
	.hash = gpu_hash,
	.epoch_ns = 50000,
};

/* What libtide finds in libtide_cuda.so. */
const struct td_pool_module tide_cuda_pool = {
	.api = TD_POOL_MODULE_API,
	.size = sizeof(struct td_pool_device),
	.device = &td_pool_device_cuda,
};
