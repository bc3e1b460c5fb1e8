/* HotSpot of Rodinia: the temperature of a plate, two time steps in one launch. */
#include "kernels.h"

enum { POWER, TEMP0, TEMP1 };
enum { N };
enum { ARG_N, ARG_BYTES, ARG_STEPS, ARG_POWER, ARG_FROM, ARG_TO };

static bool steps_of_time(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
			  struct td_gpu_instr *out)
{
	const int64_t *arg = l->arg;
	int64_t bytes = arg[ARG_BYTES], row = arg[ARG_N] * bytes, border = arg[ARG_STEPS];
	static const unsigned which[] = {ARG_FROM, ARG_POWER, ARG_TO};

	(void)app;
	if (n == 3)
		return false;
	*out = td_gpu_instr(l, (unsigned)n, (unsigned)arg[which[n]], n == 2, 0, bytes, row);
	if (n == 2) { /* What lies outside was read to be computed upon, and is another block's. */
		out->tx_from = out->ty_from = border;
		out->tx_to = out->ty_to = 16 - border;
	}
	return true;
}

struct td_gpu_launch td_gpu_hotspot(int64_t n, int64_t bytes, int64_t steps, unsigned power,
				    unsigned from, unsigned to)
{
	int64_t inner = 16 - 2 * steps;
	uint64_t blocks = (uint64_t)((n + inner - 1) / inner);
	struct td_gpu_launch l = td_gpu_grid("hotspot", blocks, blocks, 16, 16);

	l.x_step = l.y_step = inner;
	l.x_first = l.y_first = -steps;
	td_gpu_clip(&l, n, n);
	l.arg[ARG_N] = n;
	l.arg[ARG_BYTES] = bytes;
	l.arg[ARG_STEPS] = steps;
	l.arg[ARG_POWER] = power;
	l.arg[ARG_FROM] = from;
	l.arg[ARG_TO] = to;
	l.instr = steps_of_time;
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_hotspot(app->p[N], 4, 2, POWER, TEMP0, TEMP1);
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 1024, v[TD_GPU_SCALE].r, 2, 16, err);

	if (rc)
		return rc;
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);
	td_gpu_add(app, "power", bytes);
	td_gpu_add(app, "temp0", bytes);
	td_gpu_add(app, "temp1", bytes);
	app->launch = launch;
	int64_t side = (app->p[N] + 11) / 12;
	return td_gpu_fits(app, (double)side * (double)side, err);
}

const struct td_gpu_workload td_workload_app_hot = {
	.head =
		{
			.name = "hot",
			.paper = "CPPE",
			.type = "I streaming",
			.summary = "temperature of a plate, two steps in one launch",
			.published_bytes = UINT64_C(12) << 20,
			.footprint_bytes = 12582912,
			.accesses = 322672,
			.arrays = 3,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
