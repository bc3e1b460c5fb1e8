/* GEMV of cuBLAS, y = A x, doubles, column-major: a thread per row, all walk the columns together.
 */
#include "gpu.h"

enum { A, X, Y };
enum { N, ITERS };
enum { SCALE, ITERATIONS };

#define BLOCK 128

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"iters", TIDE_PARAM_INT, "5", 1, 1000000, "launches of the kernel"},
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static bool multiply(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	uint64_t loads = 2 * (uint64_t)app->p[N];
	int64_t j = (int64_t)(n / 2);

	if (n == loads)
		*out = td_gpu_instr(l, 2, Y, TD_GPU_WRITE, 0, 8, 0);
	else if (n % 2 == 0)
		*out = td_gpu_instr(l, 0, X, TD_GPU_READ, j * 8, 0, 0);
	else
		*out = td_gpu_instr(l, 1, A, TD_GPU_READ, j * app->p[N] * 8, 8, 0);
	return n <= loads;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid("multiply", (uint64_t)app->p[N] / BLOCK, 1, BLOCK, 1);
	out->instr = multiply;
	td_gpu_loops(out, 0, 2, (uint64_t)app->p[N], 1);
	return i < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 56320, v[SCALE].r, 2, BLOCK, err);
	uint64_t row = (uint64_t)app->p[N] * 8;

	app->p[ITERS] = v[ITERATIONS].i;
	td_gpu_add(app, "A", row * (uint64_t)app->p[N]);
	td_gpu_add(app, "x", row);
	td_gpu_add(app, "y", row);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_gmv = {
	.head =
		{
			.name = "gmv",
			.paper = "ObservUVM",
			.type = "LFU",
			.summary = "matrix-vector products of cuBLAS",
			.published_bytes = UINT64_C(236) * (UINT64_C(1) << 30) / 10,
			.footprint_bytes = UINT64_C(387214) * 65536,
			.accesses = 1936070,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
