/* Device memory: slots of one size. A transfer moves many of them to or from main memory, because
 * each transfer has a cost of its own. The caller waits for the result. Only one thread at a time
 * makes calls, unless the device is `parallel`. No two calls name the same slot at a time.
 *
 * A device is one const struct td_pool_device, at the end of a file device_NAME.c, which the build
 * puts into a table. It keeps what it needs behind `state`. Functions return 0 or a negative errno.
 * After an error of gather() or scatter(), slots that were not named have the same content as
 * before. */
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

/* What a pool wants of a device. */
struct td_pool_want {
	uint64_t slots; /* may be 0 */
	uint32_t slot_bytes;
	uint32_t most;     /* slots in one gather or scatter */
	uint64_t bytes;    /* what a device with `dense` may use for all of them */
	const char *where; /* for a device with `takes`: what the user gave behind the colon */
};

/* What a device has now. */
struct td_pool_device_use {
	uint64_t memory_bytes; /* that it uses, bookkeeping included */
	uint64_t packed_bytes; /* compressed blocks */
	uint64_t same_blocks;  /* of one repeated word, which take nothing */
	uint64_t plain_blocks; /* that do not compress */
	uint64_t errors;       /* reads and writes that failed */
};

struct td_pool_device {
	const char *name;
	int (*alloc)(void **state, const struct td_pool_want *want, struct tide_error *err);
	void (*free)(void *state); /* NULL is fine */
	/* Slot slots[i] to to[i], and from[i] to slot slots[i]. A device whose slots take as much
	 * as their blocks need may be full: scatter() gives k if only the first k of n had room,
	 * and -ENOSPC if none had. */
	int (*gather)(void *state, const uint32_t *slots, void *const *to, size_t n);
	int (*scatter)(void *state, const uint32_t *slots, const void *const *from, size_t n);
	/* Signatures of n blocks of slot_bytes in main memory. */
	int (*hash)(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		    struct td_pool_signature *signatures);
	/* Where blocks will come from and go to, most of them, until free(). NULL: all the same. */
	int (*pin)(void *state, void *at, size_t bytes, struct tide_error *err);
	/* All further members may be 0. */
	bool parallel;  /* several threads may make calls at a time */
	uint32_t dense; /* it has so many slots per slot_bytes of its size, as blocks get smaller */
	const char *takes; /* what the user gives behind its name and a colon: NODE of numa:NODE */
	/* Nobody needs what is in the slot. The pool's lock is held. */
	void (*drop)(void *state, uint32_t slot);
	void (*use)(void *state, struct td_pool_device_use *use);
	/* How long a miss waits for others by default, because a transfer has a high fixed cost. */
	uint32_t epoch_ns;
};

extern const struct td_pool_device *const td_pool_device_table[]; /* NULL comes last */
extern const struct td_pool_device td_pool_device_ram, td_pool_device_lz4, td_pool_device_zstd,
	td_pool_device_numa, td_pool_device_file;

/* src/pool/cuda, in libtide_cuda.so, where libtide finds it with dlsym(). */
#define TD_POOL_MODULE_API 2
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
typedef unsigned char *td_pool_md5(const unsigned char *data, size_t n, unsigned char *out);
struct td_pool_hasher {
	td_pool_md5 *md5;
};

int td_pool_hash_load(struct td_pool_hasher *h, enum td_pool_hash hash, struct tide_error *err);
/* Loads what it needs the first time. */
int td_pool_hash_blocks(struct td_pool_hasher *h, enum td_pool_hash hash, const void *const *blocks,
			size_t n, size_t bytes, struct td_pool_signature *signatures);

/* The state of a device that signs on the processor begins with this; hash() of it. */
struct td_pool_host {
	struct td_pool_hasher hasher;
	uint32_t slot_bytes;
};

int td_pool_host_hash(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures);

#endif
