/* BICG of PolyBench: s = A' r by columns, then q = A p by rows. */
#include "gpu.h"

enum { A, R, S, P, Q };
enum { N };

/* Thread j walks down column j: the lanes of a warp are side by side. */
static bool columns(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	int64_t i = (int64_t)(n ? (n - 1) / 3 : 0), row = app->p[N] * 4;

	if (n == 0)
		*out = td_gpu_instr(l, 0, S, TD_GPU_WRITE, 0, 4, 0);
	else if (n % 3 == 1)
		*out = td_gpu_instr(l, 1, R, TD_GPU_READ, i * 4, 0, 0);
	else if (n % 3 == 2)
		*out = td_gpu_instr(l, 2, A, TD_GPU_READ, i * row, 4, 0);
	else /* s[j] += .. */
		*out = td_gpu_instr(l, 3, S, TD_GPU_WRITE, 0, 4, 0);
	return i < app->p[N];
}

/* Thread i walks along row i: the lanes of a warp are a row apart. */
static bool rows(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		 struct td_gpu_instr *out)
{
	int64_t j = (int64_t)(n ? (n - 1) / 3 : 0), row = app->p[N] * 4;

	if (n == 0)
		*out = td_gpu_instr(l, 4, Q, TD_GPU_WRITE, 0, 4, 0);
	else if (n % 3 == 1)
		*out = td_gpu_instr(l, 5, A, TD_GPU_READ, j * 4, row, 0);
	else if (n % 3 == 2)
		*out = td_gpu_instr(l, 6, P, TD_GPU_READ, j * 4, 0, 0);
	else
		*out = td_gpu_instr(l, 7, Q, TD_GPU_WRITE, 0, 4, 0);
	return j < app->p[N];
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid(i ? "rows" : "columns", (uint64_t)app->p[N] / 256, 1, 256, 1);
	out->instr = i ? rows : columns;
	return i < 2;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 4096, v[TD_GPU_SCALE].r, 2, 256, err);

	if (rc)
		return rc;
	uint64_t n = (uint64_t)app->p[N];
	td_gpu_add(app, "A", n * n * 4);
	td_gpu_add(app, "r", n * 4);
	td_gpu_add(app, "s", n * 4);
	td_gpu_add(app, "p", n * 4);
	td_gpu_add(app, "q", n * 4);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_bic = {
	.head =
		{
			.name = "bic",
			.paper = "CPPE",
			.type = "III mostly repetitive",
			.summary = "matrix-vector products by columns, then by rows",
			.published_bytes = UINT64_C(6406) * 1048576 / 100,
			.footprint_bytes = 67174400,
			.accesses = 19398912,
			.arrays = 5,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
