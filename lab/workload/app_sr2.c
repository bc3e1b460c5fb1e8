/* SYR2K of cuBLAS, the upper half of C = A' B + B' A, column-major: as SYRK, but that a step reads
 * block i of A and j of B, then i of B and j of A. */
#include "tiles.h"

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	return td_tile_upper_half(app, 2, 27264, v, err);
}

const struct td_gpu_workload td_workload_app_sr2 = {
	.head =
		{
			.name = "sr2",
			.paper = "ObservUVM",
			.type = "LFU",
			.summary = "two matrices times each other, upper half, of cuBLAS",
			.published_bytes = UINT64_C(831) * (UINT64_C(1) << 30) / 100,
			.footprint_bytes = UINT64_C(136107) * 65536,
			.touched_bytes = UINT64_C(132452) * 65536,
			.accesses = 12749768,
			.arrays = 3,
			.params = td_tile_upper_half_params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
