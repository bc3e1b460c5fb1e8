/* Tiled matrix multiply, C = A B, tiles of 32. */
#include "gpu.h"

enum { A, B, C };
enum { N };
enum { SCALE, MODE, JITTER };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

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
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 30080, v[SCALE].r, 2, 32, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	if (!rc)
		rc = td_gpu_fits(app, (double)bytes / (4 * 32 * 32), err);
	app->jitter = (uint64_t)v[JITTER].i;
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	td_gpu_add(app, "C", bytes);
	app->launch = launch;
	return rc ? rc : td_gpu_mode("mm", v[MODE].text, &app->wave, err);
}

static int open(struct td_trace_source **out, const union tide_value *v, uint64_t page_bytes,
		uint64_t seed, struct tide_error *err)
{
	return td_gpu_open(out, "mm", &td_gpu_observuvm, sizeof(struct td_gpu_app), setup, v,
			   page_bytes, seed, err);
}

const struct td_workload td_workload_app_mm = {
	.name = "mm",
	.paper = "ObservUVM",
	.type = "LRU",
	.summary = "tiled matrix multiply",
	.published_bytes = UINT64_C(101) * (UINT64_C(1) << 30) / 10,
	.footprint_bytes = UINT64_C(165675) * 65536,
	.accesses = 376272748,
	.page_bytes = 65536,
	.arrays = 3,
	.params = params,
	.open = open,
};
