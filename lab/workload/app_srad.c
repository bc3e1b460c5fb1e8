/* SRAD v2 as GMT's authors run it, on an image of n * n pixels. A thread has one pixel, and blocks
 * follow one another along the rows. Of ten arrays of doubles the two kernels use six. The other
 * four are for sums over 32 * 32 pixels, and are hardly touched: here not at all. */
#include "gmt.h"

enum { J, C, E, W, S, N_ARRAY, USED };
enum { N, ITERS };
enum { OWN_ITERS = TD_GMT_OWN };
enum { BYTES = 8, THREADS = 128, ARRAYS = 10 };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096", "0.5625"),
	{"iters", TIDE_PARAM_INT, "5", 1, TD_GPU_MOST, "iterations"},
	{0},
};

/* A pixel of its own, or of so many rows below. */
static struct td_gpu_instr pixel(const struct td_gpu_app *app, const struct td_gpu_launch *l,
				 unsigned pc, unsigned array, bool write, int64_t below)
{
	int64_t n = app->p[N];
	struct td_gpu_instr i = td_gpu_instr(l, pc, array, write, below * n * BYTES, BYTES, 0);

	i.x_from = below < 0 ? -below * n : 0;
	i.x_to = n * n - (below > 0 ? below * n : 0);
	return i;
}

static bool gradients(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out)
{
	static const unsigned results[] = {C, E, W, S, N_ARRAY};

	if (n < 3)
		*out = pixel(app, l, (unsigned)n, J, TD_GPU_READ, (int64_t)n - 1);
	else if (n < 8)
		*out = pixel(app, l, (unsigned)n, results[n - 3], TD_GPU_WRITE, 0);
	return n < 8;
}

static bool diffuse(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	static const unsigned read[] = {J, C, C, N_ARRAY, S, W, E};

	if (n < 7)
		*out = pixel(app, l, 10 + (unsigned)n, read[n], TD_GPU_READ, n == 1);
	else if (n == 7)
		*out = pixel(app, l, 17, J, TD_GPU_WRITE, 0);
	return n < 8;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t pixels = (uint64_t)(app->p[N] * app->p[N]);

	*out = td_gpu_grid(i % 2 ? "diffuse" : "gradients", pixels / THREADS, 1, THREADS, 1);
	out->instr = i % 2 ? diffuse : gradients;
	return i / 2 < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	static const char *const names[] = {"J", "C",    "E",    "W",       "S",
					    "N", "sum0", "sum1", "square0", "square1"};
	uint64_t n = (uint64_t)(app->p[N] = td_gmt_side(v, ARRAYS * BYTES, 16));

	app->p[ITERS] = v[OWN_ITERS].i;
	for (unsigned i = 0; i < ARRAYS; i++)
		td_gpu_add(app, names[i], n * n * BYTES);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_srad = {
	.head =
		{
			.name = "srad",
			.paper = "GMT",
			.type = "Tier-2",
			.summary = "SRAD v2, five iterations over six of ten arrays",
			.footprint_bytes = UINT64_C(6912) * 65536,
			.accesses = 92790,
			.arrays = ARRAYS,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
