/* HotSpot as GMT's authors run it, on a plate of n * n doubles: one time step per launch, which
 * reads and writes the same array. The next launch takes the other one. */
#include "gmt.h"
#include "kernels.h"

enum { POWER, TEMP0, TEMP1 };
enum { N, ITERS };
enum { OWN_ITERS = TD_GMT_OWN };
enum { BYTES = 8 };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096", "1.875"),
	{"iters", TIDE_PARAM_INT, "10", 1, TD_GPU_MOST, "time steps"},
	{0},
};

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	unsigned temp = i % 2 ? TEMP1 : TEMP0;

	*out = td_gpu_hotspot(app->p[N], BYTES, 1, POWER, temp, temp);
	return i < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	uint64_t n = (uint64_t)(app->p[N] = td_gmt_side(v, 3 * BYTES, 16));

	app->p[ITERS] = v[OWN_ITERS].i;
	td_gpu_add(app, "power", n * n * BYTES);
	td_gpu_add(app, "temp0", n * n * BYTES);
	td_gpu_add(app, "temp1", n * n * BYTES);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_hotspot = {
	.head =
		{
			.name = "hotspot",
			.paper = "GMT",
			.type = "Tier-3",
			.summary = "HotSpot in place, ten time steps",
			.footprint_bytes = UINT64_C(38400) * 65536,
			.accesses = 706600,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
