/* 2DCONV of PolyBench, a 3 by 3 stencil from A to B, launched again and again. */
#include "gpu.h"

enum { A, B };
enum { N, ITERS };
enum { SCALE, ITERATIONS };

#define BLOCK_X 32
#define BLOCK_Y 8

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"iters", TIDE_PARAM_INT, "10", 1, 1000000, "launches of the kernel"},
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

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

	*out = td_gpu_grid("convolve", (uint64_t)n / BLOCK_X, (uint64_t)n / BLOCK_Y, BLOCK_X,
			   BLOCK_Y);
	/* The border has no neighbours. */
	out->x_from = out->y_from = 1;
	out->x_to = out->y_to = n - 1;
	out->instr = convolve;
	return i < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 49152, v[SCALE].r, 2, BLOCK_X, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	if (!rc)
		rc = td_gpu_fits(app, (double)bytes / (4 * BLOCK_X * BLOCK_Y), err);
	app->p[ITERS] = v[ITERATIONS].i;
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_observuvm_2dc = {
	.head =
		{
			.name = "observuvm-2dc",
			.paper = "ObservUVM",
			.type = "CP",
			.summary = "3 by 3 convolution, again and again",
			.published_bytes = UINT64_C(18) << 30,
			.footprint_bytes = UINT64_C(294912) * 65536,
			.touched_bytes = UINT64_C(294906) * 65536,
			.accesses = 29970000,
			.arrays = 2,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
