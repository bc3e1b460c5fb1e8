/* 2DCONV of PolyBench: each cell of B from the 3 * 3 cells of A around it. */
#include "gpu.h"

enum { A, B };
enum { N };

static bool convolve(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	int64_t row = app->p[N] * 4, di = (int64_t)n / 3 - 1, dj = (int64_t)n % 3 - 1;

	if (n < 9)
		*out = td_gpu_instr(l, (unsigned)n, A, TD_GPU_READ, di * row + dj * 4, 4, row);
	else
		*out = td_gpu_instr(l, 9, B, TD_GPU_WRITE, 0, 4, row);
	return n < 10;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t n = app->p[N];

	*out = td_gpu_grid("convolution", (uint64_t)n / 32, (uint64_t)n / 8, 32, 8);
	out->x_from = out->y_from = 1;
	out->x_to = out->y_to = n - 1;
	out->instr = convolve;
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 4096, v[TD_GPU_SCALE].r, 2, 32, err);

	if (rc)
		return rc;
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	app->launch = launch;
	return td_gpu_fits(app, (double)bytes / (4 * 32 * 8), err);
}

const struct td_gpu_workload td_workload_app_2dc = {
	.head =
		{
			.name = "2dc",
			.paper = "CPPE",
			.type = "I streaming",
			.summary = "convolution of a matrix with 3 * 3 weights",
			.published_bytes = UINT64_C(128) << 20,
			.footprint_bytes = 134184960,
			.accesses = 5314012,
			.arrays = 2,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
