/* Pathfinder of Rodinia: the cheapest way through a wall, up to 20 rows in one launch. */
#include "kernels.h"

enum { RESULT0, RESULT1, WALL };
enum { COLS, ROWS };
enum { SCALE, MODE, JITTER, PARAM_ROWS };
enum { ARG_COLS, ARG_BYTES, ARG_FIRST, ARG_STEPS, ARG_PYRAMID, ARG_WALL, ARG_FROM, ARG_TO };
enum { THREADS = 256, PYRAMID = 20 };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{"rows", TIDE_PARAM_INT, "100", 2, 1000000, "rows of the wall"},
	{0},
};

static bool descend(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	const int64_t *arg = l->arg;
	int64_t step = (int64_t)n - 1, threads = l->block_x, bytes = arg[ARG_BYTES];

	(void)app;
	if (n == 0)
		*out = td_gpu_instr(l, 0, (unsigned)arg[ARG_FROM], TD_GPU_READ, 0, bytes, 0);
	else if (step < arg[ARG_STEPS]) {
		*out = td_gpu_instr(l, 1, (unsigned)arg[ARG_WALL], TD_GPU_READ,
				    (arg[ARG_FIRST] + step) * arg[ARG_COLS] * bytes, bytes, 0);
		/* Each step needs the one before on both sides: a column less at either end. */
		out->tx_from = step + 1;
		out->tx_to = threads - 1 - step;
	} else {
		*out = td_gpu_instr(l, 2, (unsigned)arg[ARG_TO], TD_GPU_WRITE, 0, bytes, 0);
		out->tx_from = arg[ARG_PYRAMID];
		out->tx_to = threads - arg[ARG_PYRAMID];
	}
	return step <= arg[ARG_STEPS];
}

struct td_gpu_launch td_gpu_pathfinder(const struct td_gpu_wall *wall, int64_t first, int64_t steps,
				       unsigned from, unsigned to)
{
	int64_t inner = wall->threads - 2 * wall->pyramid;
	struct td_gpu_launch l = td_gpu_grid(
		"pathfinder", (uint64_t)((wall->cols + inner - 1) / inner), 1, wall->threads, 1);

	l.x_step = inner;
	l.x_first = -wall->pyramid;
	td_gpu_clip(&l, wall->cols, 1);
	l.arg[ARG_COLS] = wall->cols;
	l.arg[ARG_BYTES] = wall->bytes;
	l.arg[ARG_FIRST] = first;
	l.arg[ARG_STEPS] = steps;
	l.arg[ARG_PYRAMID] = wall->pyramid;
	l.arg[ARG_WALL] = wall->array;
	l.arg[ARG_FROM] = from;
	l.arg[ARG_TO] = to;
	l.instr = descend;
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t first = (int64_t)i * PYRAMID, left = app->p[ROWS] - 1 - first;

	struct td_gpu_wall wall = {app->p[COLS], 4, PYRAMID, THREADS, WALL};
	*out = td_gpu_pathfinder(&wall, first, left < PYRAMID ? left : PYRAMID,
				 i % 2 ? RESULT1 : RESULT0, i % 2 ? RESULT0 : RESULT1);
	return left > 0;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[COLS], 100000, v[SCALE].r, 1, 32, err);

	if (rc)
		return rc;
	app->p[ROWS] = v[PARAM_ROWS].i;
	uint64_t row = (uint64_t)app->p[COLS] * 4;
	td_gpu_add(app, "result0", row);
	td_gpu_add(app, "result1", row);
	td_gpu_add(app, "wall", row * (uint64_t)(app->p[ROWS] - 1));
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_pat = {
	.head =
		{
			.name = "pat",
			.paper = "CPPE",
			.type = "II partly repetitive",
			.summary = "cheapest way through a wall, up to 20 rows in one launch",
			.published_bytes = UINT64_C(385) * 1048576 / 10,
			.footprint_bytes = 40402944,
			.accesses = 415273,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
