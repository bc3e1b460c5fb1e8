/* MVT of PolyBench: x1 += A y1 by rows, then x2 += A' y2 by columns. */
#include "gpu.h"

enum { A, X1, X2, Y1, Y2 };
enum { N };

/* Thread i walks along row i: the lanes of a warp are a row apart. */
static bool rows(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		 struct td_gpu_instr *out)
{
	int64_t j = (int64_t)(n / 4), row = app->p[N] * 4;

	switch (n % 4) {
	case 0: *out = td_gpu_instr(l, 0, X1, TD_GPU_READ, 0, 4, 0); break;
	case 1: *out = td_gpu_instr(l, 1, A, TD_GPU_READ, j * 4, row, 0); break;
	case 2: *out = td_gpu_instr(l, 2, Y1, TD_GPU_READ, j * 4, 0, 0); break;
	default: *out = td_gpu_instr(l, 3, X1, TD_GPU_WRITE, 0, 4, 0); break;
	}
	return j < app->p[N];
}

static bool columns(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	int64_t j = (int64_t)(n / 4), row = app->p[N] * 4;

	switch (n % 4) {
	case 0: *out = td_gpu_instr(l, 4, X2, TD_GPU_READ, 0, 4, 0); break;
	case 1: *out = td_gpu_instr(l, 5, A, TD_GPU_READ, j * row, 4, 0); break;
	case 2: *out = td_gpu_instr(l, 6, Y2, TD_GPU_READ, j * 4, 0, 0); break;
	default: *out = td_gpu_instr(l, 7, X2, TD_GPU_WRITE, 0, 4, 0); break;
	}
	return j < app->p[N];
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid(i ? "columns" : "rows", (uint64_t)app->p[N] / 256, 1, 256, 1);
	out->instr = i ? columns : rows;
	return i < 2;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 4096, v[TD_GPU_SCALE].r, 2, 256, err);

	if (rc)
		return rc;
	uint64_t n = (uint64_t)app->p[N];
	td_gpu_add(app, "A", n * n * 4);
	td_gpu_add(app, "x1", n * 4);
	td_gpu_add(app, "x2", n * 4);
	td_gpu_add(app, "y1", n * 4);
	td_gpu_add(app, "y2", n * 4);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_mvt = {
	.head =
		{
			.name = "mvt",
			.paper = "CPPE",
			.type = "III mostly repetitive",
			.summary = "matrix-vector products by rows, then by columns",
			.published_bytes = UINT64_C(6406) * 1048576 / 100,
			.footprint_bytes = 67174400,
			.accesses = 20447232,
			.arrays = 5,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
