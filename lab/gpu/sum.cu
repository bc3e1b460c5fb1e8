/* Reads an array page by page: the check of a result, and the read-back of applications that have
 * one. */
#include "access.cuh"

static __device__ __forceinline__ uint64_t sum_page(const uint32_t *word, uint64_t first,
						    uint64_t n)
{
	uint64_t sum = 0, fours = n / 4;

#pragma unroll 4
	for (uint64_t i = td_lane(); i < fours; i += 32) {
		uint4 w = ((const uint4 *)word)[i];
		uint64_t at = first + i * 4;
		sum += td_app_mix(at, w.x) + td_app_mix(at + 1, w.y) + td_app_mix(at + 2, w.z) +
		       td_app_mix(at + 3, w.w);
	}
	for (uint64_t i = fours * 4 + td_lane(); i < n; i += 32)
		sum += td_app_mix(first + i, word[i]);
	return sum;
}

template <class Access>
static __global__ void add_up(typename Access::span a, uint64_t words, unsigned long long *to)
{
	typename Access::template cursor<uint32_t> from(a);
	uint64_t page = from.per_page();
	unsigned long long sum = 0;

	for (uint64_t at = td_warp() * page; at < words; at += td_warps() * page)
		sum += sum_page(from.read(at), at, td_least(page, words - at));
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(TD_FULL, sum, step);
	if (td_lane() == 0)
		atomicAdd(to, sum);
}

template <class Access>
static int sum_array(struct td_app_run *r, unsigned array, uint64_t *sum, struct tide_error *err)
{
	enum { PINS = 1 };
	uint64_t bytes = r->shape->array[array].bytes, page = r->shape->page_bytes;
	uint64_t warps = td_app_warps(r, PINS, (bytes + page - 1) / page, 1);

	return td_app_launch(r, err, warps, 1, PINS, add_up<Access>, Access::array(r, array),
			     bytes / 4, (unsigned long long *)sum);
}

int td_app_sum_tide(struct td_app_run *r, unsigned array, uint64_t *sum, struct tide_error *err)
{
	return sum_array<td_paged>(r, array, sum, err);
}

int td_app_sum_plain(struct td_app_run *r, unsigned array, uint64_t *sum, struct tide_error *err)
{
	return sum_array<td_plain>(r, array, sum, err);
}
