/* K-means: turns the table of points into one of features, then assigns points to clusters. */
#include <math.h>

#include "gpu.h"

enum { FLIP, FEAT, MEMB };
enum { N, ITERS, TEX };
enum { SCALE, ITERS_PARAM, TEX_PARAM };
enum { FEATURES = 34, CLUSTERS = 5, THREADS = 256 };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"iters", TIDE_PARAM_INT, "3", 1, 1000000, "iterations of the assignment"},
	{"tex", TIDE_PARAM_INT, "0", 0, 1, "1: reads through textures as well"},
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{0},
};

static bool invert(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	int64_t feature = (int64_t)(n / 2);

	if (n % 2 == 0)
		*out = td_gpu_instr(l, 0, FLIP, TD_GPU_READ, feature * 4, FEATURES * 4, 0);
	else
		*out = td_gpu_instr(l, 1, FEAT, TD_GPU_WRITE, feature * app->p[N] * 4, 4, 0);
	return feature < FEATURES;
}

/* The distances to all clusters, by texture, then the nearest. */
static bool assign(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	uint64_t reads = app->p[TEX] ? CLUSTERS * FEATURES : 0;

	if (n < reads)
		*out = td_gpu_instr(l, 3, FEAT, TD_GPU_READ,
				    (int64_t)(n % FEATURES) * app->p[N] * 4, 4, 0);
	else
		*out = td_gpu_instr(l, 2, MEMB, TD_GPU_WRITE, 0, 4, 0);
	return n <= reads;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t blocks = ((uint64_t)app->p[N] + THREADS - 1) / THREADS;
	uint64_t side = (uint64_t)ceil(sqrt((double)blocks));

	/* The second grid is a square, numbered through: here as one row of as many blocks. */
	*out = td_gpu_grid(i ? "assign" : "invert", i ? side * side : blocks, 1, THREADS, 1);
	td_gpu_clip(out, app->p[N], 1);
	out->instr = i ? assign : invert;
	return i <= (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 494020, v[SCALE].r, 1, 1, err);
	uint64_t n = (uint64_t)app->p[N];

	app->p[ITERS] = v[ITERS_PARAM].i;
	app->p[TEX] = v[TEX_PARAM].i;
	td_gpu_add(app, "flip", n * FEATURES * 4);
	td_gpu_add(app, "feat", n * FEATURES * 4);
	td_gpu_add(app, "memb", n * 4);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_kmn = {
	.head =
		{
			.name = "kmn",
			.paper = "CPPE",
			.type = "II partly repetitive",
			.summary = "k-means: inverts the table of points, then assigns them",
			.published_bytes = UINT64_C(130) * 1048576,
			.footprint_bytes = 136359936,
			.accesses = 1635061,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
