/* Memory of the host as device memory. This is the default: a second buffer, which may be on
 * another memory node. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device.h"

struct ram {
	unsigned char *at;
	size_t bytes;
	uint32_t slot_bytes;
	struct td_pool_hasher hasher;
};

static int map(struct ram *r, uint64_t slots, struct tide_error *err)
{
	if (__builtin_mul_overflow(slots, r->slot_bytes, &r->bytes))
		return tide_fail(err, -ENOMEM, "device memory of that size cannot be: give less");
	if (!r->bytes)
		return 0;
	void *at = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return tide_fail(err, -ENOMEM,
				 "no memory for %zu bytes of device memory: give less", r->bytes);
	madvise(at, r->bytes, MADV_HUGEPAGE);
	r->at = at;
	return 0;
}

static int ram_alloc(void **state, uint64_t slots, uint32_t slot_bytes, uint32_t most,
		     struct tide_error *err)
{
	struct ram *r = calloc(1, sizeof *r);
	(void)most;
	if (!r)
		return tide_fail(err, -ENOMEM, "no memory for a device: free some");
	r->slot_bytes = slot_bytes;
	int rc = map(r, slots, err);
	if (rc)
		free(r);
	else
		*state = r;
	return rc;
}

static void ram_free(void *state)
{
	struct ram *r = state;
	if (r && r->at)
		munmap(r->at, r->bytes);
	free(r);
}

static int ram_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	const struct ram *r = state;
	for (size_t i = 0; i < n; i++)
		memcpy(to[i], r->at + (size_t)slots[i] * r->slot_bytes, r->slot_bytes);
	return 0;
}

static int ram_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	const struct ram *r = state;
	for (size_t i = 0; i < n; i++)
		memcpy(r->at + (size_t)slots[i] * r->slot_bytes, from[i], r->slot_bytes);
	return 0;
}

static int ram_hash(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		    struct td_pool_signature *signatures)
{
	struct ram *r = state;
	return td_pool_hash_blocks(&r->hasher, hash, blocks, n, r->slot_bytes, signatures);
}

const struct td_pool_device td_pool_device_ram = {
	.name = "ram",
	.alloc = ram_alloc,
	.free = ram_free,
	.gather = ram_gather,
	.scatter = ram_scatter,
	.hash = ram_hash,
};
