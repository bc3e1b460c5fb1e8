/* What the card itself does with a chunk: it hashes it, and copies it to or from host memory.
 *
 * A hash of 128 bits says whether a chunk changed while it was on the card. Each word is
 * mixed with its place, by two functions; sums of what that gives are the hash, so the order in which
 * threads come does not matter. It is no defence against somebody who looks for collisions. */
#include <stdint.h>

static __device__ uint64_t mix(uint64_t x, uint64_t by)
{
	x ^= x >> 31;
	x *= by;
	x ^= x >> 29;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static __device__ uint64_t sum_of_warp(uint64_t x)
{
	for (int n = 16; n; n /= 2)
		x += __shfl_down_sync(0xffffffff, x, n);
	return x;
}

/* data has an even number of words, and begins at a multiple of 16. */
extern "C" __global__ void td_hash(const ulonglong2 *data, uint64_t words, unsigned long long *result)
{
	uint64_t a = 0, b = 0, step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < words / 2; i += step) {
		ulonglong2 w = data[i];
		uint64_t place = (2 * i + 1) * 0x9e3779b97f4a7c15u;
		a += mix(w.x + place, 0xff51afd7ed558ccdu) + mix(w.y - place, 0x9fb21c651e98df25u);
		b += mix(w.x ^ place, 0xc4ceb9fe1a85ec53u) + mix(w.y ^ ~place, 0xa0761d6478bd642fu);
	}
	a = sum_of_warp(a);
	b = sum_of_warp(b);
	if (threadIdx.x % 32 == 0) {
		atomicAdd(&result[0], (unsigned long long)a);
		atomicAdd(&result[1], (unsigned long long)b);
	}
}

#define AT_ONCE 4

/* Memory of card or host, n pieces of 16 bytes. A copy by the copy engine would make changes of
 * mappings wait until it is done; one by a kernel does not. */
extern "C" __global__ void td_copy(ulonglong2 *to, const ulonglong2 *from, uint64_t n)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x, i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
	for (; i + (AT_ONCE - 1) * step < n; i += AT_ONCE * step) {
		ulonglong2 piece[AT_ONCE];
#pragma unroll
		for (int k = 0; k < AT_ONCE; k++)
			piece[k] = from[i + k * step];
#pragma unroll
		for (int k = 0; k < AT_ONCE; k++)
			to[i + k * step] = piece[k];
	}
	for (; i < n; i += step)
		to[i] = from[i];
}
