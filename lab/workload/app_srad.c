/* SRAD v2 on an image of n * n: the two kernels of CPPE's srd, over and over. */
#include "gmt.h"
#include "kernels.h"

enum { J };
enum { N, ITERS };
enum { OWN_ITERS = TD_GMT_OWN };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("1024"),
	{"iters", TIDE_PARAM_INT, "3", 1, TD_GPU_MOST, "iterations"},
	{0},
};

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = i % 2 ? td_gpu_srad_2(app->p[N], J) : td_gpu_srad_1(app->p[N], J);
	return i / 2 < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	static const char *const names[] = {"J", "C", "E", "W", "S", "N"};
	uint64_t n = (uint64_t)(app->p[N] = td_gmt_side(v, 24, 16));

	app->p[ITERS] = v[OWN_ITERS].i;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		td_gpu_add(app, names[i], n * n * 4);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_srad = {
	.head =
		{
			.name = "srad",
			.paper = "GMT",
			.type = "Tier-2",
			.summary = "SRAD v2, three iterations",
			.footprint_bytes = UINT64_C(10212) * 65536,
			.accesses = 121506,
			.arrays = 6,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
