/* LU decomposition of cuSOLVER without pivoting, in place, doubles, column-major, by blocks of nb
 * columns. Step s, of which the first column and row is `at`:
 *
 *     at ->  +-------+-----------------+
 *            | panel | row block U     |   panel   columns at .. at + nb, swept nb / 64 times
 *            |       +-----------------+   row     U by the panel's triangle
 *            |   L   | what is left    |   update  what is left, less L times U, in tiles
 *            +-------+-----------------+ */
#include <errno.h>

#include "tiles.h"

enum { A };
enum { N, NB };
enum { SCALE, COLUMNS };
enum { AT }; /* of a launch */

#define SLAB (TD_TILE_SLAB / 8) /* numbers of the inner dimension in a step */
#define SWEEP 64                /* columns of the panel that a sweep finishes */
#define BLOCK 128

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"nb", TIDE_PARAM_INT, "1024", 64, 65536,
	 "columns of a panel, a multiple of 64; the library's are 512 to 2048"},
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static int64_t number(const struct td_gpu_app *app, int64_t row, int64_t column)
{
	return (column * app->p[N] + row) * 8;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Threads are rows and walk along the columns. */
static bool panel(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	int64_t at = l->arg[AT], column = (int64_t)(n / 2), pc = (int64_t)(n % 2);

	*out = td_gpu_instr(l, (unsigned)pc, A, pc == 1, number(app, at, at + column), 8, 0);
	return column < least(app->p[NB], app->p[N] - at);
}

/* Blocks are columns of tiles of U, which they finish slab by slab from above. */
static bool row(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		struct td_gpu_instr *out)
{
	int64_t at = l->arg[AT], nb = app->p[NB], k = (int64_t)(n / 3) * SLAB,
		pitch = app->p[N] * 8;

	if (n % 3 == 0) { /* the slab's columns of the triangle, from its diagonal down */
		*out = td_tile_rows(l, 2, A, number(app, at + k, at + k), pitch, SLAB);
		out->times = (nb - k) / SLAB;
	} else {
		*out = td_tile_columns(l, 3, A, n % 3 == 2, number(app, at + k, at + nb), pitch);
	}
	return k < nb;
}

static bool update(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	uint64_t loads = 2 * (uint64_t)app->p[NB] / SLAB, parts = td_tile_parts(l);
	int64_t at = l->arg[AT], rest = at + app->p[NB], k = (int64_t)(n / 2) * SLAB;
	int64_t pitch = app->p[N] * 8;

	if (n >= loads) /* all parts are read, then written */
		*out = td_tile_part(l, 6, A, n - loads >= parts, number(app, rest, rest), pitch,
				    (n - loads) % parts);
	else if (n % 2 == 0)
		*out = td_tile_rows(l, 4, A, number(app, rest, at + k), pitch, SLAB);
	else
		*out = td_tile_columns(l, 5, A, TD_GPU_READ, number(app, at + k, rest), pitch);
	return n < loads + 2 * parts;
}

static struct td_gpu_launch panel_launch(const struct td_gpu_app *app, int64_t at)
{
	int64_t rows = app->p[N] - at;
	struct td_gpu_launch l =
		td_gpu_grid("panel", (uint64_t)(rows + BLOCK - 1) / BLOCK, 1, BLOCK, 1);

	td_gpu_clip(&l, rows, 1);
	l.instr = panel;
	td_gpu_loops(&l, 0, 2, (uint64_t)least(app->p[NB], rows), 1);
	return l;
}

/* One column of blocks is enough for the row block. */
static struct td_gpu_launch tile_launch(const struct td_gpu_app *app, int64_t left, bool is_row)
{
	uint64_t tiles = (uint64_t)(left + TD_TILE - 1) / TD_TILE;
	struct td_gpu_launch l =
		td_tile_grid(is_row ? "row" : "update", is_row ? 1 : tiles, tiles, TD_TILE, 8);

	td_gpu_clip(&l, is_row ? INT64_MAX : left * 8 / TD_TILE_LOAD, left);
	l.instr = is_row ? row : update;
	if (!is_row)
		td_gpu_loops(&l, 0, 2, (uint64_t)app->p[NB] / SLAB, 1);
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t sweeps = app->p[NB] / SWEEP, part = (int64_t)i % (sweeps + 2);
	int64_t at = (int64_t)i / (sweeps + 2) * app->p[NB], left = app->p[N] - at - app->p[NB];

	/* The last panel may be narrow, and nothing is left of it. */
	if (at >= app->p[N] || (left <= 0 && part * SWEEP >= app->p[N] - at))
		return false;
	*out = part < sweeps ? panel_launch(app, at) : tile_launch(app, left, part == sweeps);
	out->arg[AT] = at;
	return true;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	/* A thread loads two numbers. */
	int rc = td_gpu_size(app, &app->p[N], 40132, v[SCALE].r, 2, 4, err);

	app->p[NB] = v[COLUMNS].i;
	if (!rc && app->p[NB] % SWEEP)
		rc = tide_fail(err, -EINVAL,
			       "workload lu: nb=%d is no multiple of 64: give one that is",
			       (int)app->p[NB]);
	if (!rc)
		rc = td_gpu_fits(app, (double)app->p[N] * (double)app->p[N] / (TD_TILE * TD_TILE),
				 err);
	td_gpu_add(app, "A", (uint64_t)(app->p[N] * app->p[N] * 8));
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_lu = {
	.head =
		{
			.name = "lu",
			.paper = "ObservUVM",
			.type = "LFU",
			.summary = "LU decomposition of cuSOLVER, by panels",
			.published_bytes = UINT64_C(12) << 30,
			.footprint_bytes = UINT64_C(196604) * 65536,
			.accesses = 45899235,
			.arrays = 1,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.setup = setup,
};
