/* SGEMM of Parboil: C += A B', column-major, every block walking along A and B; or register-tiled.
 */
#include "gpu.h"

enum { A, B, C };
enum { M, K, N, TILED };
enum { SCALE, MODE, JITTER, PARAM_TILED };
enum { DEPTH = 8, TILE_M = 128, TILE_N = 16 }; /* of the tiled kernel: threads 16 * DEPTH */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{"tiled", TIDE_PARAM_INT, "0", 0, 1, "1: blocks of 128 * 16 in registers, steps of 8"},
	{0},
};

/* A thread per cell of C: m = x, n = y. */
static bool multiply(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	uint64_t steps = (uint64_t)app->p[K] * 2;
	int64_t k = (int64_t)(n / 2), a_col = app->p[M] * 4, b_col = app->p[N] * 4;

	if (n >= steps)
		*out = td_gpu_instr(l, n == steps ? 2 : 3, C, n > steps, 0, 4, a_col);
	else if (n % 2 == 0)
		*out = td_gpu_instr(l, 0, A, TD_GPU_READ, k * a_col, 4, 0);
	else
		*out = td_gpu_instr(l, 1, B, TD_GPU_READ, k * b_col, 0, 4);
	return n < steps + 2;
}

/* A thread per row of A in the tile, m = 128 bx + 16 ty + tx: with x = 128 bx + tx the rest is
 * 64 bytes per ty. */
static struct td_gpu_instr by_rows(const struct td_gpu_launch *l, unsigned pc, unsigned array,
				   bool write, int64_t first, int64_t per_tile)
{
	struct td_gpu_instr i = td_gpu_instr(l, pc, array, write, first, 4, 16 * 4);

	i.per_by = per_tile - DEPTH * i.per_y;
	return i;
}

/* DEPTH columns of B by all threads, then the columns of A one by one. */
static bool multiply_tiled(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
			   struct td_gpu_instr *out)
{
	int64_t a_col = app->p[M] * 4, b_col = app->p[N] * 4;
	int64_t step = (int64_t)(n / (DEPTH + 1)), at = (int64_t)(n % (DEPTH + 1));
	int64_t end = app->p[K] / DEPTH, k = step * DEPTH;

	if (step >= end) {
		int64_t c = (int64_t)n - end * (DEPTH + 1);
		*out = by_rows(l, c % 2 ? 3 : 2, C, c % 2, c / 2 * a_col, TILE_N * a_col);
		return c < 2 * TILE_N;
	}
	if (at == 0) { /* B[16 by + tx][k + ty] */
		*out = td_gpu_instr(l, 1, B, TD_GPU_READ, k * b_col, 4, b_col);
		out->per_bx = -TILE_M * 4;
		out->per_by = TILE_N * 4 - DEPTH * b_col;
	} else
		*out = by_rows(l, 0, A, TD_GPU_READ, (k + at - 1) * a_col, 0);
	return true;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t m = (uint64_t)app->p[M], n = (uint64_t)app->p[N];

	if (app->p[TILED]) {
		*out = td_gpu_grid("multiply-tiled", m / TILE_M, n / TILE_N, 16, DEPTH);
		out->x_step = TILE_M;
		out->instr = multiply_tiled;
	} else {
		*out = td_gpu_grid("multiply", m / 16, n / 16, 16, 16);
		out->instr = multiply;
	}
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	double scale = v[SCALE].r;
	int rc = td_gpu_size(app, &app->p[M], 1024, scale, 2, v[PARAM_TILED].i ? TILE_M : 16, err);

	if (!rc)
		rc = td_gpu_size(app, &app->p[K], 992, scale, 2, 16, err);
	if (!rc)
		rc = td_gpu_size(app, &app->p[N], 1056, scale, 2, 16, err);
	if (rc)
		return rc;
	int64_t m = app->p[M], k = app->p[K], n = app->p[N];
	app->p[TILED] = v[PARAM_TILED].i;
	td_gpu_add(app, "A", (uint64_t)(m * k * 4));
	td_gpu_add(app, "B", (uint64_t)(n * k * 4));
	td_gpu_add(app, "C", (uint64_t)(m * n * 4));
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_sgm = {
	.head =
		{
			.name = "sgm",
			.paper = "CPPE",
			.type = "V repetitive-thrashing",
			.summary = "matrix multiply without tiles, column-major",
			.published_bytes = UINT64_C(12) << 20,
			.footprint_bytes = 12578816,
			.accesses = 67178496,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
