#include "host_slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int map(struct td_pool_slots *s, uint64_t slots, struct tide_error *err)
{
	if (__builtin_mul_overflow(slots, s->host.slot_bytes, &s->bytes))
		return tide_fail(err, -ENOMEM, "device memory of that size cannot be: give less");
	if (!s->bytes)
		return 0;
	void *at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return tide_fail(err, -ENOMEM,
				 "no memory for %zu bytes of device memory: give less", s->bytes);
	madvise(at, s->bytes, MADV_HUGEPAGE);
	s->at = at;
	return 0;
}

int td_pool_slots_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	struct td_pool_slots *s = calloc(1, sizeof *s);
	if (!s)
		return tide_fail(err, -ENOMEM, "no memory for a device: free some");
	s->host.slot_bytes = want->slot_bytes;
	int rc = map(s, want->slots, err);
	if (rc)
		free(s);
	else
		*state = s;
	return rc;
}

void td_pool_slots_free(void *state)
{
	struct td_pool_slots *s = state;
	if (s && s->at)
		munmap(s->at, s->bytes);
	free(s);
}

static unsigned char *slot_at(const struct td_pool_slots *s, uint32_t slot)
{
	return s->at + (size_t)slot * s->host.slot_bytes;
}

int td_pool_slots_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	const struct td_pool_slots *s = state;
	for (size_t i = 0; i < n; i++)
		memcpy(to[i], slot_at(s, slots[i]), s->host.slot_bytes);
	return 0;
}

int td_pool_slots_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	const struct td_pool_slots *s = state;
	for (size_t i = 0; i < n; i++)
		memcpy(slot_at(s, slots[i]), from[i], s->host.slot_bytes);
	return 0;
}
