/* Every lane reads a word of a page of its own, and which pages is a list. */
#ifndef TD_GPU_GATHER_CUH
#define TD_GPU_GATHER_CUH

#include <cmath>
#include <cstdlib>

#include "kernels.cuh"

static __global__ void BOUNDED(4) gather_pages(struct tide_span a, const uint32_t *page, uint64_t n,
					       uint64_t page_words, unsigned *to)
{
	unsigned sum = 0;
	for (uint64_t first = warp_id() * 32; first < n; first += warps_all() * 32) {
		uint64_t k = first + lane_id();
		bool active = k < n;
		uint64_t i = active ? page[k] * page_words + k % page_words : 0;
		sum += tide_read<uint32_t>(a, i, active);
	}
	add_up(sum, to);
}

/* Draws by Zipf's law: the page of rank r has the weight 1 / r^skew; ranks lie scattered. pages is
 * a power of two. */
struct draws {
	memory list;
	uint64_t n = 0;

	int make(uint64_t count, uint32_t pages, double skew, uint64_t seed, struct tide_error *err)
	{
		double *sums = (double *)malloc(pages * sizeof *sums), all = 0;
		uint32_t *drawn = (uint32_t *)malloc(count * sizeof *drawn);
		int rc = sums && drawn ? 0 : tide_fail(err, -ENOMEM, "out of memory");
		for (uint32_t r = 0; r < pages && !rc; r++)
			sums[r] = all += std::pow(r + 1.0, -skew);
		for (uint64_t k = 0; k < count && !rc; k++) {
			double at = (double)(tide_random_next(&seed) >> 11) * 0x1p-53 * all;
			uint32_t low = 0, high = pages - 1;
			while (low < high) {
				uint32_t middle = (low + high) / 2;
				if (sums[middle] > at)
					high = middle;
				else
					low = middle + 1;
			}
			drawn[k] = low * 2654435761u & (pages - 1);
		}
		if (!rc)
			rc = list.make(DEVICE, count * 4, err);
		if (!rc)
			rc = CUDA(cudaMemcpy(list.at, drawn, count * 4, cudaMemcpyHostToDevice));
		n = rc ? 0 : count;
		::free(sums);
		::free(drawn);
		return rc;
	}
};

#endif
