/* Backprop of Rodinia: a layer's weights read, then adjusted. Rows of 17 weights, the first of each
 * row and the first row being the bias. */
#include "kernels.h"

enum { INPUT, WEIGHTS, PARTIAL, DELTA, OLD_WEIGHTS };
enum { IN };
enum { ARG_BYTES = OLD_WEIGHTS + 1 }; /* before it, the numbers of the arrays */

/* weight[y + 1][tx + 1]; the grid is one block wide. */
static struct td_gpu_instr weight(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				  bool write)
{
	int64_t bytes = l->arg[ARG_BYTES];

	return td_gpu_instr(l, pc, (unsigned)array, write, (17 + 1) * bytes, bytes, 17 * bytes);
}

/* One value per row of threads, from value `first` on, by the first thread of each. */
static struct td_gpu_instr per_row(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				   bool write, int64_t first)
{
	int64_t bytes = l->arg[ARG_BYTES];
	struct td_gpu_instr i =
		td_gpu_instr(l, pc, (unsigned)array, write, first * bytes, 0, bytes);

	i.tx_to = 1;
	return i;
}

static bool forward(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	(void)app;
	switch (n) {
	case 0: *out = per_row(l, 0, l->arg[INPUT], TD_GPU_READ, 1); break;
	case 1: *out = weight(l, 1, l->arg[WEIGHTS], TD_GPU_READ); break;
	case 2: *out = weight(l, 2, l->arg[WEIGHTS], TD_GPU_WRITE); break;
	default: *out = per_row(l, 3, l->arg[PARTIAL], TD_GPU_WRITE, 0); break;
	}
	return n < 4;
}

static bool adjust(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	int64_t bytes = l->arg[ARG_BYTES];
	unsigned delta = (unsigned)l->arg[DELTA], input = (unsigned)l->arg[INPUT];

	(void)app;
	switch (n) {
	case 0: *out = td_gpu_instr(l, 4, delta, TD_GPU_READ, bytes, bytes, 0); break;
	case 1: *out = td_gpu_instr(l, 5, input, TD_GPU_READ, bytes, 0, bytes); break;
	case 2: *out = weight(l, 6, l->arg[OLD_WEIGHTS], TD_GPU_READ); break;
	case 3: *out = weight(l, 7, l->arg[WEIGHTS], TD_GPU_READ); break;
	case 4: *out = weight(l, 8, l->arg[WEIGHTS], TD_GPU_WRITE); break;
	default: *out = weight(l, 9, l->arg[OLD_WEIGHTS], TD_GPU_WRITE); break;
	}
	return n < 6;
}

struct td_gpu_launch td_gpu_backprop_forward(int64_t in, int64_t bytes, unsigned input,
					     unsigned weights, unsigned partial)
{
	struct td_gpu_launch l = td_gpu_grid("forward", 1, (uint64_t)in / 16, 16, 16);

	l.arg[ARG_BYTES] = bytes;
	l.arg[INPUT] = input;
	l.arg[WEIGHTS] = weights;
	l.arg[PARTIAL] = partial;
	l.instr = forward;
	return l;
}

struct td_gpu_launch td_gpu_backprop_adjust(int64_t in, int64_t bytes, unsigned input,
					    unsigned weights, unsigned delta, unsigned old_weights)
{
	struct td_gpu_launch l = td_gpu_grid("adjust", 1, (uint64_t)in / 16, 16, 16);

	l.arg[ARG_BYTES] = bytes;
	l.arg[INPUT] = input;
	l.arg[WEIGHTS] = weights;
	l.arg[DELTA] = delta;
	l.arg[OLD_WEIGHTS] = old_weights;
	l.instr = adjust;
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = i ? td_gpu_backprop_adjust(app->p[IN], 4, INPUT, WEIGHTS, DELTA, OLD_WEIGHTS)
		 : td_gpu_backprop_forward(app->p[IN], 4, INPUT, WEIGHTS, PARTIAL);
	return i < 2;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[IN], 65536, v[TD_GPU_SCALE].r, 1, 16, err);

	if (rc)
		return rc;
	uint64_t in = (uint64_t)app->p[IN];
	td_gpu_add(app, "input", (in + 1) * 4);
	td_gpu_add(app, "weights", (in + 1) * 17 * 4);
	td_gpu_add(app, "partial", in * 4);
	td_gpu_add(app, "delta", 17 * 4);
	td_gpu_add(app, "old-weights", (in + 1) * 17 * 4);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_bkp = {
	.head =
		{
			.name = "bkp",
			.paper = "CPPE",
			.type = "II partly repetitive",
			.summary = "a layer of a neural network forward, then its weights adjusted",
			.published_bytes = UINT64_C(9) << 20,
			.footprint_bytes = 9453568,
			.accesses = 333952,
			.arrays = 5,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
