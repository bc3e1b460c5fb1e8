/* Device memory: slots of one size. A transfer moves many of them to or from main memory, because
 * each transfer has a cost of its own. Only one thread at a time makes calls, and it waits for the
 * result.
 *
 * A device is one const struct td_pool_device. It keeps what it needs behind `state`. Functions
 * return 0 or a negative errno. After an error of gather() or scatter(), slots that were not named
 * have the same content as before. */
#ifndef TD_POOL_DEVICE_H
#define TD_POOL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"

enum td_pool_hash { TD_POOL_XXH3, TD_POOL_MD5 };

/* 128 bits of a hash, as the hash gives its bytes. */
struct td_pool_signature {
	uint64_t at[2];
};

struct td_pool_device {
	const char *name;
	/* slots may be 0; most: so many in one gather or scatter */
	int (*alloc)(void **state, uint64_t slots, uint32_t slot_bytes, uint32_t most,
		     struct tide_error *err);
	void (*free)(void *state); /* NULL is fine */
	/* Slot slots[i] to to[i], and from[i] to slot slots[i]. */
	int (*gather)(void *state, const uint32_t *slots, void *const *to, size_t n);
	int (*scatter)(void *state, const uint32_t *slots, const void *const *from, size_t n);
	/* Signatures of n blocks of slot_bytes in main memory. */
	int (*hash)(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		    struct td_pool_signature *signatures);
	/* Where blocks will come from and go to, most of them, until free(). NULL: all the same. */
	int (*pin)(void *state, void *at, size_t bytes, struct tide_error *err);
};

extern const struct td_pool_device td_pool_device_ram;

/* src/pool/cuda, in libtide_cuda.so, where libtide finds it with dlsym(). */
#define TD_POOL_MODULE_API 1
#define TD_POOL_MODULE_SYMBOL "tide_cuda_pool"

struct td_pool_module {
	uint32_t api;  /* TD_POOL_MODULE_API */
	uint32_t size; /* of struct td_pool_device */
	const struct td_pool_device *device;
};

extern const struct td_pool_module tide_cuda_pool;
extern const struct td_pool_device td_pool_device_cuda;
/* hash() of it, by the GPU in any case. */
int td_pool_cuda_sign(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures);

/* hash.c: on the processor. -ENOSYS: no libcrypto. */
struct td_pool_hasher {
	unsigned char *(*md5)(const unsigned char *data, size_t n, unsigned char *out);
};

int td_pool_hash_load(struct td_pool_hasher *h, enum td_pool_hash hash, struct tide_error *err);
/* Loads what it needs the first time. */
int td_pool_hash_blocks(struct td_pool_hasher *h, enum td_pool_hash hash, const void *const *blocks,
			size_t n, size_t bytes, struct td_pool_signature *signatures);

#endif
