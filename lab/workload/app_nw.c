/* Needleman-Wunsch: fills a matrix of scores from its upper left corner, tile by tile along the
 * diagonals. */
#include "gpu.h"

enum { REFERENCE, MATRIX };
enum { N };
enum { TILE = 16 };
enum { FIRST, NEXT }; /* arg: the first tile's corner, and from a tile to the next; bytes */

static int64_t pitch(const struct td_gpu_app *app)
{
	return (app->p[N] + 1) * 4;
}

/* One warp of 16 lanes fills a tile: it needs the tile of the reference, and the corner, the column
 * and the row of the matrix next to its own tile. at: bytes from the corner. */
static struct td_gpu_instr next_to(const struct td_gpu_launch *l, unsigned pc, unsigned array,
				   bool write, int64_t at, int64_t per_lane)
{
	struct td_gpu_instr i = td_gpu_instr(l, pc, array, write, l->arg[FIRST] + at, per_lane, 0);

	i.per_bx = l->arg[NEXT];
	return i;
}

static struct td_gpu_instr corner(const struct td_gpu_launch *l)
{
	struct td_gpu_instr i = next_to(l, 0, MATRIX, TD_GPU_READ, 0, 0);

	i.tx_to = 1;
	return i;
}

/* What follows the reading of corner and reference. */
static bool rest(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		 struct td_gpu_instr *out)
{
	int64_t row = pitch(app), inside = row + 4;

	if (n == 0)
		*out = next_to(l, 2, MATRIX, TD_GPU_READ, row, row);
	else if (n == 1)
		*out = next_to(l, 3, MATRIX, TD_GPU_READ, 4, 4);
	else
		*out = next_to(l, 4, MATRIX, TD_GPU_WRITE, inside + row * ((int64_t)n - 2), 4);
	return n < 2 + TILE;
}

static bool upper(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	int64_t row = pitch(app);

	if (n > TILE)
		return rest(app, l, n - TILE - 1, out);
	*out = n == 0 ? corner(l)
		      : next_to(l, 1, REFERENCE, TD_GPU_READ, row + 4 + row * ((int64_t)n - 1), 4);
	return true;
}

static bool lower(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	int64_t row = pitch(app);

	if (n > TILE)
		return rest(app, l, n - TILE - 1, out);
	*out = n == TILE ? corner(l)
			 : next_to(l, 1, REFERENCE, TD_GPU_READ, row + 4 + row * (int64_t)n, 4);
	return true;
}

/* A diagonal of tiles, from its lower left end: growing ones down to the corner, then shrinking. */
static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t tiles = app->p[N] / TILE, d = (int64_t)i;
	bool grows = d < tiles;
	int64_t x = grows ? 0 : d - tiles + 1, y = grows ? d : tiles - 1;
	uint64_t blocks = (uint64_t)(grows ? d + 1 : 2 * tiles - 1 - d);

	*out = td_gpu_grid(grows ? "upper" : "lower", blocks, 1, TILE, 1);
	out->x_step = 0;
	out->instr = grows ? upper : lower;
	out->arg[FIRST] = y * TILE * pitch(app) + x * TILE * 4;
	out->arg[NEXT] = TILE * 4 - TILE * pitch(app);
	return d < 2 * tiles - 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 2048, v[TD_GPU_SCALE].r, 2, TILE, err);
	uint64_t bytes = (uint64_t)(pitch(app) * (app->p[N] + 1));

	td_gpu_add(app, "ref", bytes);
	td_gpu_add(app, "mat", bytes);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_nw = {
	.head =
		{
			.name = "nw",
			.paper = "CPPE",
			.type = "III mostly repetitive",
			.summary = "Needleman-Wunsch: a matrix of scores along its diagonals",
			.published_bytes = UINT64_C(32) * 1048576,
			.footprint_bytes = 33587200,
			.accesses = 827136,
			.arrays = 2,
			.params = td_gpu_params_exact,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
