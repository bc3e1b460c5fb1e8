/* 3DCONV of PolyBench: a launch per plane of B, from three planes of A. */
#include "gpu.h"

enum { A, B };
enum { N };

/* The distinct cells among those that the kernel names: plane, row, column. */
static const int8_t cells[][3] = {
	{-1, -1, -1}, {1, -1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {1, 0, 1},
	{-1, 1, 1},   {1, 1, 1},   {0, -1, 0},  {0, 0, 0},  {0, 1, 0},
};

static bool convolve(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	int64_t row = app->p[N] * 4, plane = app->p[N] * row, at = l->arg[0] * plane;

	if (n < 11)
		*out = td_gpu_instr(l, (unsigned)n, A, TD_GPU_READ,
				    at + cells[n][0] * plane + cells[n][1] * row + cells[n][2] * 4,
				    4, row);
	else
		*out = td_gpu_instr(l, 11, B, TD_GPU_WRITE, at, 4, row);
	return n < 12;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t n = app->p[N];

	*out = td_gpu_grid("convolution", (uint64_t)(n + 31) / 32, (uint64_t)n / 8, 32, 8);
	out->x_from = out->y_from = 1;
	out->x_to = out->y_to = n - 1;
	out->arg[0] = (int64_t)i + 1;
	out->instr = convolve;
	return i < (uint64_t)n - 2;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 256, v[TD_GPU_SCALE].r, 3, 8, err);

	if (rc)
		return rc;
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * app->p[N] * 4);
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_3dc = {
	.head =
		{
			.name = "3dc",
			.paper = "CPPE",
			.type = "I streaming",
			.summary = "convolution of a cube, plane by plane",
			.published_bytes = UINT64_C(1275) * 1048576 / 10,
			.footprint_bytes = 133693440,
			.accesses = 6193536,
			.arrays = 2,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
