/* Hellinger distances between the rows of a and the columns of b: a matrix multiply without tiles.
 */
#include "gpu.h"

enum { A, B, C };
enum { N };

#define BLOCK 16

static bool distances(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out)
{
	uint64_t loads = 2 * (uint64_t)app->p[N];
	int64_t row = app->p[N] * 4, i = (int64_t)(n / 2);

	if (n == loads)
		*out = td_gpu_instr(l, 2, C, TD_GPU_WRITE, 0, 4, row);
	else if (n % 2 == 0) /* a[y][i] */
		*out = td_gpu_instr(l, 0, A, TD_GPU_READ, i * 4, 0, row);
	else /* b[i][x] */
		*out = td_gpu_instr(l, 1, B, TD_GPU_READ, i * row, 4, 0);
	return n <= loads;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t blocks = (uint64_t)app->p[N] / BLOCK;

	*out = td_gpu_grid("distances", blocks, blocks, BLOCK, BLOCK);
	out->instr = distances;
	td_gpu_loops(out, 0, 2, (uint64_t)app->p[N], 1);
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 26624, v[TD_GPU_SCALE].r, 2, BLOCK, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	if (!rc)
		rc = td_gpu_fits(app, (double)bytes / (4 * BLOCK * BLOCK), err);
	td_gpu_add(app, "a", bytes);
	td_gpu_add(app, "b", bytes);
	td_gpu_add(app, "c", bytes);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_hel = {
	.head =
		{
			.name = "hel",
			.paper = "ObservUVM",
			.type = "LRU",
			.summary = "Hellinger distances between rows and columns",
			.published_bytes = UINT64_C(792) * (UINT64_C(1) << 30) / 100,
			.footprint_bytes = UINT64_C(129792) * 65536,
			.accesses = 221692620,
			.arrays = 3,
			.params = td_gpu_params_wave,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
