/* Random reads of elements that are near, and how they are timed. */
#ifndef TD_GPU_RANDOM_CUH
#define TD_GPU_RANDOM_CUH

#include "bench.h"
#include "kernels.cuh"

#define RANDOM_TIMES 5

enum reading { BY_READ, BY_GET, BY_PINNED };

template <reading HOW, int BLOCKS>
static __global__ void BOUNDED(BLOCKS)
	random_tide(struct tide_span a, uint64_t mask, uint64_t reads, unsigned *to)
{
	tide_cursor<uint32_t> cursor(a);
	unsigned sum = 0;
	for (uint64_t first = warp_id() * 32; first < reads; first += warps_all() * 32) {
		uint64_t k = first + lane_id(), i = place(k, mask);
		if (HOW == BY_READ)
			sum += tide_read<uint32_t>(a, i, k < reads);
		else if (HOW == BY_GET)
			sum += cursor.get(i, k < reads);
		else
			sum += tide_read_pinned<uint32_t>(a, i, k < reads);
	}
	add_up(sum, to);
}

/* Raw reads first; then tide's, whose best with pins is what counts. */
struct elements {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	memory raw;
	runtime r;
	struct tide_span a = {};
	struct sum_word sum;
	uint64_t bytes = 0, reads = 0;
	double raw_ns = 0, pinned_ns = 1e18;

	uint64_t mask() const
	{
		return bytes / 4 - 1;
	}
};

template <reading HOW, int BLOCKS>
static int time_tide(struct elements &x, const char *name, struct tide_error *err)
{
	double ns = 0;
	char what[96];
	int rc = sum_median(x.r.g, x.sum, RANDOM_TIMES, &ns, err, shape{0, 256, 1},
			    random_tide<HOW, BLOCKS>, x.a, x.mask(), x.reads);
	snprintf(what, sizeof what, "%s, %d warps per multiprocessor", name, BLOCKS * 8);
	struct td_gpu_row row = {what, 0, x.reads, ns, x.raw_ns / ns, "raw reads"};
	if (!rc)
		td_gpu_table_row(x.table, x.s, &row);
	if (HOW == BY_PINNED && ns < x.pinned_ns)
		x.pinned_ns = ns;
	return rc;
}

/* By kernels compiled with TIDE_STRICT. */
int td_gpu_random_strict(struct elements *x, struct tide_error *err);

#endif
