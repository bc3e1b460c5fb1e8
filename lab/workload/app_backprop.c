/* Backprop of 16 hidden units: epochs of the two kernels of CPPE's bkp, then the weights are read
 * back. */
#include "gmt.h"
#include "kernels.h"

enum { INPUT, WEIGHTS, PARTIAL, DELTA, OLD_WEIGHTS };
enum { IN, ITERS };
enum { OWN_ITERS = TD_GMT_OWN };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("1024"),
	{"iters", TIDE_PARAM_INT, "10", 1, TD_GPU_MOST, "epochs"},
	{0},
};

static bool read_back(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out)
{
	(void)app;
	*out = td_gpu_instr(l, 10, WEIGHTS, TD_GPU_READ, 0, 4, 0);
	return n < 1;
}

static struct td_gpu_launch upright(const struct td_gpu_app *app, int64_t adjust)
{
	int64_t in = app->p[IN];

	return adjust ? td_gpu_backprop_adjust(in, INPUT, WEIGHTS, DELTA, OLD_WEIGHTS)
		      : td_gpu_backprop_forward(in, INPUT, WEIGHTS, PARTIAL);
}

/* The kernels' grid is one block wide and very high. Laid on its side its blocks have the same
 * numbers, and wave mode takes them as one row. */
static bool sideways(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	struct td_gpu_launch up = upright(app, l->arg[0]);
	bool is_one = up.instr(app, &up, n, out);

	out->per_bx = up.y_step * out->per_y + out->per_by;
	out->per_by = 0;
	return is_one;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t weights = (app->p[IN] + 1) * 17;
	uint64_t kernels = 2 * (uint64_t)app->p[ITERS];

	if (i < kernels) {
		struct td_gpu_launch up = upright(app, (int64_t)(i % 2));
		*out = td_gpu_grid(up.kernel, up.grid_y, 1, up.block_x, up.block_y);
		out->x_step = 0;
		out->arg[0] = (int64_t)(i % 2);
		out->instr = sideways;
	} else {
		*out = td_gpu_grid("read", (uint64_t)(weights + 255) / 256, 1, 256, 1);
		td_gpu_clip(out, weights, 1);
		out->instr = read_back;
	}
	return i <= kernels;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	uint64_t in = (uint64_t)(app->p[IN] = td_gmt_count(v, 136, 16));

	app->p[ITERS] = v[OWN_ITERS].i;
	td_gpu_add(app, "input", (in + 1) * 4);
	td_gpu_add(app, "w", (in + 1) * 17 * 4);
	td_gpu_add(app, "partial", in * 4);
	td_gpu_add(app, "delta", 17 * 4);
	td_gpu_add(app, "oldw", (in + 1) * 17 * 4);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_backprop = {
	.head =
		{
			.name = "backprop",
			.paper = "GMT",
			.type = "Tier-2",
			.summary = "backprop, ten epochs and a read-back",
			.footprint_bytes = UINT64_C(10847) * 65536,
			.accesses = 357131,
			.arrays = 5,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
