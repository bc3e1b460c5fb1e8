/* GEMM of cuBLAS, C = A B, column-major: a block makes a tile of C of 128 (or 256) by 128. */
#include <errno.h>

#include "tiles.h"

enum { A, B, C };
enum { N, TILE, SWIZZLE, ALONG_N };
enum { SCALE, TILE_ROWS, SWIZZLED, ALONG };

#define UNIT 256                /* of the side: a tile of either kind */
#define SLAB (TD_TILE_SLAB / 4) /* numbers of the inner dimension in a step */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"tile", TIDE_PARAM_INT, "128", 128, 256, "rows of a tile of C: 128 or 256"},
	{"swizzle", TIDE_PARAM_INT, "1", 1, 1024,
	 "tiles of C side by side that are taken in turn; 1: a column of tiles after the other"},
	TD_TILE_PARAM_ALONG,
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static bool multiply(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	uint64_t loads = 2 * (uint64_t)app->p[N] / SLAB;
	int64_t pitch = app->p[N] * 4, k = (int64_t)(n / 2);

	if (n >= loads)
		*out = td_tile_part(l, 2, C, TD_GPU_WRITE, 0, pitch, n - loads);
	else if (n % 2 == 0)
		*out = td_tile_rows(l, 0, A, k * SLAB * pitch, pitch, SLAB);
	else
		*out = td_tile_columns(l, 1, B, TD_GPU_READ, k * TD_TILE_SLAB, pitch);
	return n < loads + td_tile_parts(l);
}

/* Groups of columns of tiles, or of rows; in a group, along them. */
static uint64_t place(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx, uint32_t *by)
{
	bool along_n = l->arg[1];
	uint64_t most = (uint64_t)l->arg[0], length = along_n ? l->grid_y : l->grid_x;
	uint64_t first = block / (most * length) * most, in_group = block % (most * length);
	uint64_t left = (along_n ? l->grid_x : l->grid_y) - first;
	uint64_t wide = left < most ? left : most;
	uint32_t at = (uint32_t)(in_group / wide), beside = (uint32_t)(first + in_group % wide);

	*bx = along_n ? beside : at;
	*by = along_n ? at : beside;
	return along_n ? wide - in_group % wide : 1;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t n = (uint64_t)app->p[N], rows = (uint64_t)app->p[TILE];

	*out = td_tile_grid("multiply", n / rows, n / TD_TILE, app->p[TILE], 4);
	out->instr = multiply;
	td_gpu_loops(out, 0, 2, n / SLAB, 1);
	out->arg[0] = app->p[SWIZZLE];
	out->arg[1] = app->p[ALONG_N];
	if (app->p[SWIZZLE] > 1 || app->p[ALONG_N])
		out->place = place;
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 32768, v[SCALE].r, 2, UNIT, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	app->p[TILE] = v[TILE_ROWS].i;
	app->p[SWIZZLE] = v[SWIZZLED].i;
	if (!rc && app->p[TILE] % 128)
		rc = tide_fail(err, -EINVAL, "workload gmm: tile=%d is none: give 128 or 256",
			       (int)app->p[TILE]);
	if (!rc)
		rc = td_tile_along("gmm", v[ALONG].text, &app->p[ALONG_N], err);
	if (!rc)
		rc = td_gpu_fits(app, (double)app->p[N] * (double)app->p[N] / (128 * 128), err);
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	td_gpu_add(app, "C", bytes);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_gmm = {
	.head =
		{
			.name = "gmm",
			.paper = "ObservUVM",
			.type = "LRU",
			.summary = "matrix multiply of cuBLAS",
			.published_bytes = UINT64_C(12) << 30,
			.footprint_bytes = UINT64_C(196608) * 65536,
			.accesses = 26462848,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
