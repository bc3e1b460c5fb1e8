/* A hash of 128 bits says whether a chunk changed while it was on the card. Each word is
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
