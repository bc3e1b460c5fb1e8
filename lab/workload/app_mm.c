/* Tiled matrix multiply, C = A B, tiles of 32. */
#include "gpu.h"

enum { A, B, C };
enum { N };

static bool multiply(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	int64_t k = (int64_t)(n / 2), row = app->p[N] * 4, steps = app->p[N] / 32;

	if (k == steps && n % 2 == 0)
		*out = td_gpu_instr(l, 2, C, TD_GPU_WRITE, 0, 4, row);
	else if (n % 2 == 0) { /* A[y][32k + tx] */
		*out = td_gpu_instr(l, 0, A, TD_GPU_READ, k * 128, 4, row);
		out->per_bx = -128;
	} else { /* B[32k + ty][x] */
		*out = td_gpu_instr(l, 1, B, TD_GPU_READ, k * 32 * row, 4, row);
		out->per_by = -32 * row;
	}
	return n <= 2 * (uint64_t)steps;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t tiles = (uint64_t)app->p[N] / 32;

	*out = td_gpu_grid("multiply", tiles, tiles, 32, 32);
	out->instr = multiply;
	td_gpu_loops(out, 0, 2, tiles, 1);
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 30080, v[TD_GPU_SCALE].r, 2, 32, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	if (!rc)
		rc = td_gpu_fits(app, (double)bytes / (4 * 32 * 32), err);
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	td_gpu_add(app, "C", bytes);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_mm = {
	.head =
		{
			.name = "mm",
			.paper = "ObservUVM",
			.type = "LRU",
			.summary = "tiled matrix multiply",
			.published_bytes = UINT64_C(101) * (UINT64_C(1) << 30) / 10,
			.footprint_bytes = UINT64_C(165675) * 65536,
			.accesses = 376272748,
			.arrays = 3,
			.params = td_gpu_params_wave,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
