/* Pathfinder as GMT's authors run it, two rows per launch: 240 million columns of 8 bytes where
 * near memory has 16 GiB. The last row of the wall is not read. */
#include "gmt.h"
#include "kernels.h"

enum { RES0, RES1, WALL };
enum { COLS, ROWS };
enum { STEPS = 2, BYTES = 8, THREADS = 512 };
#define COLS_PER_NEAR_BYTE (240e6 / 0x1p34)

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096", "2.056"),
	{0},
};

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	struct td_gpu_wall wall = {app->p[COLS], BYTES, STEPS, THREADS, WALL};
	int64_t first = (int64_t)i * STEPS, left = app->p[ROWS] - 1 - first;

	if (left <= 0)
		return false;
	*out = td_gpu_pathfinder(&wall, first, left < STEPS ? left : STEPS, i % 2 ? RES1 : RES0,
				 i % 2 ? RES0 : RES1);
	return true;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	double near_bytes = (double)v[TD_GMT_T1].i * TD_GMT_PAGE_BYTES;
	int64_t cols = (int64_t)(near_bytes * COLS_PER_NEAR_BYTE) + 1;
	int64_t rows = td_gmt_count(v, BYTES * (double)cols, 1) - 2; /* less the two results */

	app->p[COLS] = cols;
	app->p[ROWS] = rows > 2 ? rows : 2;
	td_gpu_add(app, "res0", (uint64_t)cols * BYTES);
	td_gpu_add(app, "res1", (uint64_t)cols * BYTES);
	td_gpu_add(app, "wall", (uint64_t)cols * (uint64_t)app->p[ROWS] * BYTES);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_pathfinder = {
	.head =
		{
			.name = "pathfinder",
			.paper = "GMT",
			.type = "Tier-1",
			.summary = "dynamic programming over rows, two per launch",
			.footprint_bytes = UINT64_C(41657) * 65536,
			.accesses = 85092,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
