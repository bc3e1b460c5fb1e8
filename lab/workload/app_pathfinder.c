/* Pathfinder, eight rows per launch. A launch touches ten rows of data, the two results and eight
 * of the wall; these are a little more than the near memory holds, so a result has just gone when
 * the next launch needs it. */
#include "gmt.h"
#include "kernels.h"

enum { RES0, RES1, WALL };
enum { COLS, WALL_ROWS };
enum { STEPS = 8, LAUNCH_ROWS = STEPS + 2 };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096"),
	{0},
};

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t first = (int64_t)i * STEPS, left = app->p[WALL_ROWS] - first;

	if (left <= 0)
		return false;
	*out = td_gpu_pathfinder(app->p[COLS], first, left < STEPS ? left : STEPS, STEPS, WALL,
				 i % 2 ? RES1 : RES0, i % 2 ? RES0 : RES1);
	return true;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	/* A little: a twentieth, and what the blocks that run together have in hand. */
	int64_t hand = (int64_t)app->machine->sms * app->machine->threads_per_sm;
	int64_t cols = v[TD_GMT_T1].i * TD_GMT_PAGE_BYTES / (4 * LAUNCH_ROWS) * 21 / 20 + hand;
	int64_t rows = td_gmt_count(v, 4 * (double)cols, 1);

	app->p[COLS] = cols;
	app->p[WALL_ROWS] = rows > 1 ? rows - 1 : 1; /* the first is in the result */
	td_gpu_add(app, "res0", (uint64_t)cols * 4);
	td_gpu_add(app, "res1", (uint64_t)cols * 4);
	td_gpu_add(app, "wall", (uint64_t)cols * (uint64_t)app->p[WALL_ROWS] * 4);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_pathfinder = {
	.head =
		{
			.name = "pathfinder",
			.paper = "GMT",
			.type = "Tier-1",
			.summary = "dynamic programming over rows, eight per launch",
			.footprint_bytes = UINT64_C(41254) * 65536,
			.accesses = 55139,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
