/* Compressed memory of the host as slots. device_lz4.c and device_zstd.c are the two of it.
 *
 * A slot has an entry, which says what its block is: one word again and again, or bytes at a place
 * of the slabs (tiers/slabs.h), compressed or as they are. Slots, contexts of the compressor and
 * entries count in the budget. So the memory that the device uses never exceeds its size, and when
 * a block finds no room, the device is full. */
#ifndef TD_POOL_PACKED_H
#define TD_POOL_PACKED_H

#include "device.h"
#include "tiers/codec.h"

/* Slots per block that its size would hold as it is. A slot costs about 70 bytes, and blocks of one
 * word take nothing else. */
#define TD_POOL_PACKED_DENSE 16

int td_pool_packed_alloc(void **state, enum td_store_codec codec, const struct td_pool_want *want,
			 struct tide_error *err);
void td_pool_packed_free(void *state);
int td_pool_packed_gather(void *state, const uint32_t *slots, void *const *to, size_t n);
int td_pool_packed_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n);
void td_pool_packed_drop(void *state, uint32_t slot);
void td_pool_packed_use(void *state, struct td_pool_device_use *use);

#endif
