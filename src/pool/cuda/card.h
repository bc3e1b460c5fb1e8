/* What device memory needs of a GPU: memory, and three kinds of work. The caller starts work one
 * after the other, and then waits for all of it. card.cu is a real GPU; tests play one with plain
 * memory.
 *
 * Functions return 0 or a negative errno. Addresses of pinned memory are the same for the processor
 * and the GPU. */
#ifndef TD_POOL_CUDA_CARD_H
#define TD_POOL_CUDA_CARD_H

#include "pool/device.h"

struct td_pool_move {
	const void *from;
	void *to;
};

struct td_pool_card {
	int (*open)(void **card, struct tide_error *err);
	void (*close)(void *card); /* NULL is fine, as for what follows */

	int (*memory)(void *card, void **out, uint64_t bytes, struct tide_error *err);
	void (*memory_free)(void *card, void *at);
	int (*pinned)(void *card, void **out, uint64_t bytes, struct tide_error *err);
	void (*pinned_free)(void *card, void *at);
	/* Pins memory that the card did not allocate. false: it cannot be pinned. */
	bool (*pin)(void *card, void *at, uint64_t bytes);
	void (*unpin)(void *card, void *at);

	/* n blocks of so many bytes, from and to pinned memory or that of the GPU. The list is in
	 * pinned memory, and stays as it is until wait(). */
	int (*move)(void *card, const struct td_pool_move *moves, size_t n, uint32_t bytes);
	/* Signatures of what moves[i].from is, to pinned memory. For MD5 it is moved first: to[]
	 * is memory of the GPU, in one piece. */
	int (*sign)(void *card, enum td_pool_hash hash, const struct td_pool_move *moves, size_t n,
		    uint32_t bytes, struct td_pool_signature *to);
	int (*wait)(void *card);
};

extern const struct td_pool_card td_pool_card;

#endif
