/* BlackScholes of the CUDA samples: prices of options, two per thread, again and again. */
#include "gpu.h"

enum { CALL, PUT, PRICE, STRIKE, YEARS };
enum { N, ITERS };
enum { SCALE, ITERATIONS };

#define BLOCK 128
#define EACH 2 /* options of a thread, which loads them together */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"iters", TIDE_PARAM_INT, "10", 1, 1000000, "launches of the kernel"},
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static bool price(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	static const unsigned array[] = {PRICE, STRIKE, YEARS, CALL, PUT};

	(void)app;
	if (n < 5)
		*out = td_gpu_instr(l, (unsigned)n, array[n], n >= 3, 0, 4 * EACH, 0);
	return n < 5;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid("price", (uint64_t)app->p[N] / (BLOCK * EACH), 1, BLOCK, 1);
	out->instr = price;
	return i < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	static const char *const names[] = {"call", "put", "price", "strike", "years"};
	int rc = td_gpu_size(app, &app->p[N], INT64_C(1) << 29, v[SCALE].r, 1, BLOCK * EACH, err);

	if (!rc)
		rc = td_gpu_fits(app, (double)app->p[N] / (BLOCK * EACH), err);
	app->p[ITERS] = v[ITERATIONS].i;
	for (unsigned i = 0; i < 5; i++)
		td_gpu_add(app, names[i], (uint64_t)app->p[N] * 4);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_blk = {
	.head =
		{
			.name = "blk",
			.paper = "ObservUVM",
			.type = "CP",
			.summary = "option prices, a stream again and again",
			.published_bytes = UINT64_C(10) << 30,
			.footprint_bytes = UINT64_C(163840) * 65536,
			.accesses = 1731650,
			.arrays = 5,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
