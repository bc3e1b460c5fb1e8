/* SYRK of cuBLAS, the upper half of C = A' A, column-major: tile (i, j) of C reads column blocks i
 * and j of A. Columns of tiles one after another, so that low blocks are read by all later ones; or
 * rows of tiles, as the library was seen to take them: high blocks are read by all earlier ones. */
#include "tiles.h"

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	return td_tile_upper_half(app, 1, 35840, v, err);
}

const struct td_gpu_workload td_workload_app_srk = {
	.head =
		{
			.name = "srk",
			.paper = "ObservUVM",
			.type = "LFU",
			.summary = "a matrix times itself, upper half, of cuBLAS",
			.published_bytes = UINT64_C(957) * (UINT64_C(1) << 30) / 100,
			.footprint_bytes = UINT64_C(156800) * 65536,
			.touched_bytes = UINT64_C(144640) * 65536,
			.accesses = 14252840,
			.arrays = 2,
			.params = td_tile_upper_half_params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
