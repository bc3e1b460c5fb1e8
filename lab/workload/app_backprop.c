/* Backprop of 16 hidden units as GMT's authors run it, in doubles: 32 epochs, each with an input of
 * its own. An epoch is the two kernels of CPPE's bkp, and between them the sum of what the first
 * left per block. What follows on few values is left out. */
#include "gmt.h"
#include "kernels.h"

enum { WEIGHTS, OLD_WEIGHTS, PARTIAL, SUMS, DELTA, INPUT }; /* an input per epoch */
enum { IN, ITERS };
enum { OWN_ITERS = TD_GMT_OWN };
enum { BYTES = 8, HIDDEN = 16, ADDERS = 512 };
enum { FORWARD, ADD, ADJUST, KERNELS };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("1024", "1.884"),
	{"iters", TIDE_PARAM_INT, "32", 1, TD_GPU_ARRAYS - INPUT, "epochs, of an input each"},
	{0},
};

static struct td_gpu_launch upright(const struct td_gpu_app *app, int64_t adjust, unsigned input)
{
	int64_t in = app->p[IN];

	return adjust ? td_gpu_backprop_adjust(in, BYTES, input, WEIGHTS, DELTA, OLD_WEIGHTS)
		      : td_gpu_backprop_forward(in, BYTES, input, WEIGHTS, PARTIAL);
}

/* The kernels' grid is one block wide and very high. Laid on its side its blocks have the same
 * numbers, and wave mode takes them as one row. */
static bool sideways(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	struct td_gpu_launch up = upright(app, l->arg[0], (unsigned)l->arg[1]);
	bool is_one = up.instr(app, &up, n, out);

	out->per_bx = up.y_step * out->per_y + out->per_by;
	out->per_by = 0;
	return is_one;
}

/* Column by column: y is one of the hidden units, x a block of the forward pass. */
static bool add(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		struct td_gpu_instr *out)
{
	(void)app;
	if (n == 0)
		*out = td_gpu_instr(l, 10, PARTIAL, TD_GPU_READ, 0, HIDDEN * BYTES, BYTES);
	else {
		*out = td_gpu_instr(l, 11, SUMS, TD_GPU_WRITE, 0, 0, (int64_t)l->grid_x * BYTES);
		out->tx_to = 1;
		out->per_bx = BYTES;
	}
	return n < 2;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t blocks = app->p[IN] / HIDDEN;
	unsigned kernel = (unsigned)(i % KERNELS), input = INPUT + (unsigned)(i / KERNELS);

	if (kernel == ADD) {
		*out = td_gpu_grid("add", (uint64_t)(blocks + ADDERS - 1) / ADDERS, HIDDEN, ADDERS,
				   1);
		td_gpu_clip(out, blocks, HIDDEN);
		out->instr = add;
	} else {
		struct td_gpu_launch up = upright(app, kernel == ADJUST, input);
		*out = td_gpu_grid(up.kernel, up.grid_y, 1, up.block_x, up.block_y);
		out->x_step = 0;
		out->arg[0] = kernel == ADJUST;
		out->arg[1] = input;
		out->instr = sideways;
	}
	return i < KERNELS * (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	static const char *const names[] = {"w", "oldw", "partial", "sums", "delta"};
	int64_t epochs = app->p[ITERS] = v[OWN_ITERS].i;
	/* Two arrays of 17 weights, a partial sum and the inputs. */
	double unit_bytes = BYTES * (double)(2 * (HIDDEN + 1) + 1 + epochs);
	uint64_t in = (uint64_t)(app->p[IN] = td_gmt_count(v, unit_bytes, 16));
	uint64_t weights = (in + 1) * (HIDDEN + 1), sums = HIDDEN * (in / HIDDEN / ADDERS + 1);
	const uint64_t elements[] = {weights, weights, in, sums, HIDDEN + 1};

	for (unsigned i = 0; i < INPUT; i++)
		td_gpu_add(app, names[i], elements[i] * BYTES);
	for (int64_t i = 0; i < epochs; i++)
		td_gpu_add(app, "input", (in + 1) * BYTES);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_backprop = {
	.head =
		{
			.name = "backprop",
			.paper = "GMT",
			.type = "Tier-2",
			.summary = "backprop, 32 epochs",
			.footprint_bytes = UINT64_C(9650) * 65536,
			.accesses = 538752,
			.arrays = 37,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
