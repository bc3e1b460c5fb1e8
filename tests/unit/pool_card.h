/* A GPU of plain memory for the tests of src/pool/cuda: its kernels are the same functions, lane by
 * lane. Work is done when it is waited for, as late as it may be. */
#ifndef POOL_CARD_H
#define POOL_CARD_H

#include "pool_help.h"

#include "pool/cuda/card.h"
#include "pool/cuda/md5.h"
#include "pool/cuda/xxh3.h"

/* ---- signatures ---- */

/* One round of all lanes; at: of the block, bytes: of it from there on. */
static inline void run_round(struct td_xxh3_lane *lanes, const unsigned char *at, size_t bytes)
{
	uint64_t added[4][2] = {{0}};
	size_t n = bytes < TD_XXH3_ROUND_BYTES ? bytes : TD_XXH3_ROUND_BYTES;
	for (size_t i = 0; i < n; i += 16) {
		unsigned lane = (unsigned)(i / 16 % TD_XXH3_LANES);
		uint64_t data[2];
		memcpy(data, at + i, 16);
		td_xxh3_mix(added[lane % 4], data,
			    i + 64 >= bytes ? lanes[lane].last : lanes[lane].key[i / 512]);
	}
	for (unsigned lane = 0; lane < TD_XXH3_LANES; lane++)
		td_xxh3_end_round(&lanes[lane], added[lane % 4], bytes <= TD_XXH3_ROUND_BYTES);
}

static inline struct td_pool_signature sign_xxh3(const unsigned char *block, size_t bytes)
{
	struct td_xxh3_lane lanes[TD_XXH3_LANES];
	struct td_pool_signature out;
	uint64_t merged[2] = {0, 0}, part[2];
	for (unsigned lane = 0; lane < TD_XXH3_LANES; lane++) {
		td_xxh3_keys(&lanes[lane], lane);
		td_xxh3_begin(&lanes[lane], lane);
	}
	for (size_t i = 0; i < bytes; i += TD_XXH3_ROUND_BYTES)
		run_round(lanes, block + i, bytes - i);
	for (unsigned lane = 0; lane < 4; lane++) {
		td_xxh3_merge(&lanes[lane], lane, part);
		merged[0] += part[0];
		merged[1] += part[1];
	}
	td_xxh3_end(merged, bytes, out.at);
	return out;
}

static inline struct td_pool_signature sign_md5(const unsigned char *block, size_t bytes)
{
	uint32_t state[4], words[TD_MD5_CHUNK_WORDS];
	struct td_pool_signature out;
	td_md5_begin(state);
	for (size_t i = 0; i < bytes; i += sizeof words) {
		memcpy(words, block + i, sizeof words);
		td_md5_chunk(state, words);
	}
	td_md5_end(state, bytes);
	memcpy(&out, state, sizeof out);
	return out;
}

/* ---- the card ---- */

struct work {
	const struct td_pool_move *moves;
	size_t n;
	uint32_t bytes;
	bool is_sign;
	enum td_pool_hash hash;
	struct td_pool_signature *to;
};

/* What the tests set and look at. Counters of calls; the call of that number fails. */
static struct {
	unsigned open, takes, fail_take, moves, fail_move, waits, fail_wait, signs, fail_sign;
	unsigned held; /* opened, taken, pinned and not given back */
	bool no_gpu, no_pin;
	struct work work[2];
	size_t work_n;
} card;

static int card_open(void **out, struct tide_error *err)
{
	if (card.no_gpu)
		return tide_fail(err, -ENODEV, "no GPU");
	card.open++;
	card.held++;
	*out = &card;
	return 0;
}

static void card_close(void *c)
{
	card.held -= c != NULL;
}

static int card_take(void *c, void **out, uint64_t bytes, struct tide_error *err)
{
	assert_ptr_equal(c, &card);
	if (++card.takes == card.fail_take)
		return tide_fail(err, -ENOMEM, "no memory");
	*out = take_blocks(bytes);
	card.held++;
	return 0;
}

static void card_give(void *c, void *at)
{
	(void)c;
	card.held -= at != NULL;
	free(at);
}

static bool card_pin(void *c, void *at, uint64_t bytes)
{
	(void)c;
	(void)at;
	card.held += !card.no_pin && bytes;
	return !card.no_pin;
}

static void card_unpin(void *c, void *at)
{
	(void)c;
	(void)at;
	card.held--;
}

static int card_start(struct work w)
{
	assert_true(card.work_n < 2);
	card.work[card.work_n++] = w;
	return 0;
}

static int card_move(void *c, const struct td_pool_move *moves, size_t n, uint32_t bytes)
{
	(void)c;
	if (++card.moves == card.fail_move)
		return -EIO;
	return card_start((struct work){moves, n, bytes, false, TD_POOL_XXH3, NULL});
}

static int card_sign(void *c, enum td_pool_hash hash, const struct td_pool_move *moves, size_t n,
		     uint32_t bytes, struct td_pool_signature *to)
{
	(void)c;
	if (++card.signs == card.fail_sign)
		return -EIO;
	return card_start((struct work){moves, n, bytes, true, hash, to});
}

static void card_run(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (!w->is_sign || w->hash == TD_POOL_MD5)
			memcpy(w->moves[i].to, w->moves[i].from, w->bytes);
	for (size_t i = 0; w->is_sign && i < w->n; i++)
		w->to[i] =
			w->hash == TD_POOL_MD5
				? sign_md5((unsigned char *)w->moves->to + i * w->bytes, w->bytes)
				: sign_xxh3(w->moves[i].from, w->bytes);
}

static int card_wait(void *c)
{
	(void)c;
	size_t n = card.work_n;
	card.work_n = 0;
	if (++card.waits == card.fail_wait)
		return -EIO;
	for (size_t i = 0; i < n; i++)
		card_run(&card.work[i]);
	return 0;
}

const struct td_pool_card td_pool_card = {
	.open = card_open,
	.close = card_close,
	.memory = card_take,
	.memory_free = card_give,
	.pinned = card_take,
	.pinned_free = card_give,
	.pin = card_pin,
	.unpin = card_unpin,
	.move = card_move,
	.sign = card_sign,
	.wait = card_wait,
};

static inline void reset_card(void)
{
	memset(&card, 0, sizeof card);
}

#endif
