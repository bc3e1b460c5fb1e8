/* Patched into every kernel by the Compute Sanitizer: a warp's accesses, each page once, unless it
 * was recorded a short while ago. Without that pause a second of a matrix product would be
 * thousands of millions of lines; it must be short beside the time in which memory fills. */
#include <sanitizer_patching.h>

#include "recorder.h"

static __device__ void record(struct recorder *r, const void *address, bool written)
{
	uint64_t offset = (uint64_t)address - r->base, now_ns;
	if (offset >= r->bytes)
		return;

	uint32_t key = (uint32_t)(offset >> PAGE_SHIFT) * 2 + written, lane;
	unsigned same = __match_any_sync(__activemask(), key);
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	if (__ffs(same) - 1 != (int)lane)
		return;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
	uint32_t now = (uint32_t)(now_ns >> 10) | 1, before = *(volatile uint32_t *)&r->seen[key];
	if (before && now - before <= r->pause)
		return;
	if (atomicCAS(&r->seen[key], before, now) != before)
		return; /* another warp has just done it */
	uint32_t i = atomicAdd(&r->n, 1);
	if (i < r->room)
		r->out[i] = key;
}

extern "C" __device__ __noinline__ SanitizerPatchResult on_access(void *r, uint64_t pc,
								  void *address, uint32_t size,
								  uint32_t flags, const void *value)
{
	record((struct recorder *)r, address, flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE);
	return SANITIZER_PATCH_SUCCESS;
}

/* cp.async: from global to shared memory. */
extern "C" __device__ __noinline__ SanitizerPatchResult on_copy(void *r, uint64_t pc, void *from,
								uint32_t to, uint32_t size,
								uint32_t shared_bytes)
{
	if (from)
		record((struct recorder *)r, from, false);
	return SANITIZER_PATCH_SUCCESS;
}
