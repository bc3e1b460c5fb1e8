/* HotSpot on a plate of n * n cells: one time step per launch, then the result is read back. */
#include "gmt.h"
#include "kernels.h"

enum { POWER, TEMP0, TEMP1 };
enum { N, ITERS };
enum { OWN_ITERS = TD_GMT_OWN };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096"),
	{"iters", TIDE_PARAM_INT, "5", 1, TD_GPU_MOST, "time steps"},
	{0},
};

static bool read_back(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out)
{
	(void)app;
	*out = td_gpu_instr(l, 3, (unsigned)l->arg[0], TD_GPU_READ, 0, 4, 0);
	return n < 1;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t iters = (uint64_t)app->p[ITERS], cells = (uint64_t)(app->p[N] * app->p[N]);
	unsigned from = i % 2 ? TEMP1 : TEMP0, to = i % 2 ? TEMP0 : TEMP1;

	if (i < iters)
		*out = td_gpu_hotspot(app->p[N], 1, POWER, from, to);
	else {
		*out = td_gpu_grid("read", (cells + 255) / 256, 1, 256, 1);
		td_gpu_clip(out, (int64_t)cells, 1);
		out->instr = read_back;
		out->arg[0] = from;
	}
	return i <= iters;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	uint64_t n = (uint64_t)(app->p[N] = td_gmt_side(v, 12, 16));

	app->p[ITERS] = v[OWN_ITERS].i;
	td_gpu_add(app, "power", n * n * 4);
	td_gpu_add(app, "temp0", n * n * 4);
	td_gpu_add(app, "temp1", n * n * 4);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_hotspot = {
	.head =
		{
			.name = "hotspot",
			.paper = "GMT",
			.type = "Tier-3",
			.summary = "HotSpot, five time steps and a read-back",
			.footprint_bytes = UINT64_C(40980) * 65536,
			.accesses = 498161,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
