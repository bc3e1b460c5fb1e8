/* Lanes of the GPU: lanes.h. */
#ifndef TIDE_DEVICE_LANES_GPU_H
#define TIDE_DEVICE_LANES_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_DEV static __device__ __forceinline__
/* The code of a miss is long and seldom runs, so it is not inlined into every loop that reads an
 * element. */
#define TD_DEV_SLOW static __device__ __noinline__

struct td_dev_lanes {
	uint32_t mask, rank, width;
};

TD_DEV struct td_dev_lanes td_dev_warp(void)
{
	uint32_t lane;
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return td_dev_lanes{0xffffffffu, lane, 32};
}

TD_DEV struct td_dev_lanes td_dev_alone(void)
{
	return td_dev_lanes{0, 0, 1};
}

/* ---- all lanes: a value of one of them, a vote, a meeting ---- */

TD_DEV uint32_t td_dev_of32(struct td_dev_lanes g, uint32_t value, uint32_t rank)
{
	return g.width == 1 ? value : __shfl_sync(g.mask, value, (int)rank);
}

TD_DEV uint64_t td_dev_of64(struct td_dev_lanes g, uint64_t value, uint32_t rank)
{
	return g.width == 1 ? value
			    : (uint64_t)__shfl_sync(g.mask, (unsigned long long)value, (int)rank);
}

TD_DEV uint32_t td_dev_vote(struct td_dev_lanes g, bool yes)
{
	return g.width == 1 ? (uint32_t)yes : __ballot_sync(g.mask, yes);
}

TD_DEV void td_dev_meet(struct td_dev_lanes g)
{
	if (g.width != 1)
		__syncwarp(g.mask);
}

TD_DEV uint64_t td_dev_sum(struct td_dev_lanes g, uint64_t value)
{
	for (int step = 16; g.width != 1 && step; step /= 2)
		value += __shfl_xor_sync(g.mask, (unsigned long long)value, step);
	return value;
}

TD_DEV uint32_t td_dev_lowest(uint32_t bits)
{
	return (uint32_t)__ffs((int)bits) - 1;
}

/* The part of a count that this warp adds to, modulo TD_DEV_PARTS. With fewer parts than
 * multiprocessors, counting would delay pins. */
#define TD_DEV_PARTS 128
TD_DEV uint32_t td_dev_part(void)
{
	uint32_t sm;
	asm("mov.u32 %0, %%smid;" : "=r"(sm));
	return sm;
}

/* ---- words of the GPU ---- */

/* Everything that warps share is in global memory. An access is cheaper if its address says so. */
TD_DEV uint64_t td_dev_global(const void *p)
{
	return (uint64_t)__cvta_generic_to_global(p);
}

TD_DEV uint64_t td_dev_peek(const uint64_t *p)
{
	uint64_t v;
	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
		     : "=l"(v)
		     : "l"(td_dev_global(p))
		     : "memory");
	return v;
}

TD_DEV uint64_t td_dev_load(const uint64_t *p)
{
	uint64_t v;
	asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
		     : "=l"(v)
		     : "l"(td_dev_global(p))
		     : "memory");
	return v;
}

TD_DEV uint32_t td_dev_peek32(const uint32_t *p)
{
	uint32_t v;
	asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(td_dev_global(p))
		     : "memory");
	return v;
}

TD_DEV void td_dev_poke32(uint32_t *p, uint32_t v)
{
	asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "r"(v)
		     : "memory");
}

TD_DEV void td_dev_poke(uint64_t *p, uint64_t v)
{
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "l"(v)
		     : "memory");
}

TD_DEV void td_dev_store32(uint32_t *p, uint32_t v)
{
	asm volatile("st.release.gpu.global.u32 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "r"(v)
		     : "memory");
}

/* Gives what was there. */
TD_DEV uint64_t td_dev_cas(uint64_t *p, uint64_t expected, uint64_t v)
{
	uint64_t old;
	asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
		     : "=l"(old)
		     : "l"(td_dev_global(p)), "l"(expected), "l"(v)
		     : "memory");
	return old;
}

TD_DEV uint32_t td_dev_cas32(uint32_t *p, uint32_t expected, uint32_t v)
{
	uint32_t old;
	asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], %2, %3;"
		     : "=r"(old)
		     : "l"(td_dev_global(p)), "r"(expected), "r"(v)
		     : "memory");
	return old;
}

TD_DEV uint64_t td_dev_add_acquire(uint64_t *p, uint64_t v)
{
	uint64_t old;
	asm volatile("atom.acquire.gpu.global.add.u64 %0, [%1], %2;"
		     : "=l"(old)
		     : "l"(td_dev_global(p)), "l"(v)
		     : "memory");
	return old;
}

TD_DEV void td_dev_add_release(uint64_t *p, uint64_t v)
{
	asm volatile("red.release.gpu.global.add.u64 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "l"(v)
		     : "memory");
}

TD_DEV uint64_t td_dev_add(uint64_t *p, uint64_t v)
{
	return atomicAdd((unsigned long long *)p, (unsigned long long)v);
}

/* Adds without asking for the old value. The instruction is written out, because the compiler
 * makes it from an atomicAdd() only in simple kernels, and elsewhere fetches the old value. It
 * does not order the reads and writes around it. */
TD_DEV void td_dev_raise(uint64_t *p, uint64_t v)
{
	asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" : : "l"(td_dev_global(p)), "l"(v));
}

TD_DEV void td_dev_or(uint64_t *p, uint64_t v)
{
	asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "l"(v)
		     : "memory");
}

TD_DEV void td_dev_and(uint64_t *p, uint64_t v)
{
	asm volatile("red.relaxed.gpu.global.and.b64 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "l"(v)
		     : "memory");
}

/* Loads before it are done before loads after it. */
TD_DEV void td_dev_fence(void)
{
	asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

/* ---- words of pinned memory, shared with the processor ---- */

TD_DEV uint64_t td_dev_load_far(const uint64_t *p)
{
	uint64_t v;
	asm volatile("ld.acquire.sys.global.u64 %0, [%1];"
		     : "=l"(v)
		     : "l"(td_dev_global(p))
		     : "memory");
	return v;
}

TD_DEV double td_dev_load_far_real(const double *p)
{
	double v;
	asm volatile("ld.acquire.sys.global.f64 %0, [%1];"
		     : "=d"(v)
		     : "l"(td_dev_global(p))
		     : "memory");
	return v;
}

TD_DEV void td_dev_store_far(uint64_t *p, uint64_t v)
{
	asm volatile("st.release.sys.global.u64 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "l"(v)
		     : "memory");
}

TD_DEV uint32_t td_dev_load_far32(const uint32_t *p)
{
	uint32_t v;
	asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(td_dev_global(p))
		     : "memory");
	return v;
}

TD_DEV void td_dev_store_far32(uint32_t *p, uint32_t v)
{
	asm volatile("st.release.sys.global.u32 [%0], %1;"
		     :
		     : "l"(td_dev_global(p)), "r"(v)
		     : "memory");
}

TD_DEV void td_dev_fence_far(void)
{
	asm volatile("fence.acq_rel.sys;" : : : "memory");
}

/* ---- time ---- */

TD_DEV uint64_t td_dev_now_ns(void)
{
	uint64_t t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

TD_DEV void td_dev_pause(uint32_t ns)
{
	__nanosleep(ns);
}

/* ---- pages, by all lanes ----
 *
 * 16 bytes a lane, eight loads under way. Loads go past the first level cache, which may still hold
 * what the frame held before. bytes: a multiple of 4096. */
TD_DEV void td_dev_copy(struct td_dev_lanes g, void *to, const void *from, uint64_t bytes)
{
	uint4 *d = (uint4 *)to;
	const uint4 *s = (const uint4 *)from;
	td_dev_meet(g); /* rank 0 has seen the data; after this all lanes do */
	for (uint64_t i = g.rank; i < bytes / 16; i += 8 * g.width) {
		uint4 v[8];
#pragma unroll
		for (int k = 0; k < 8; k++)
			v[k] = __ldcg(&s[i + k * g.width]);
#pragma unroll
		for (int k = 0; k < 8; k++)
			__stcg(&d[i + k * g.width], v[k]);
	}
	td_dev_meet(g);
}

TD_DEV void td_dev_zero(struct td_dev_lanes g, void *to, uint64_t bytes)
{
	for (uint64_t i = g.rank; i < bytes / 16; i += g.width)
		__stcg(&((uint4 *)to)[i], make_uint4(0, 0, 0, 0));
	td_dev_meet(g);
}

#endif
