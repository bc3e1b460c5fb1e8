#include "tiles.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Along the columns of the upper half: block 0 is (0, 0), 1 and 2 are (0, 1) and (1, 1), 3 to 5 are
 * column 2, and so on. */
static uint64_t place_down(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx,
			   uint32_t *by)
{
	uint64_t j = (uint64_t)((sqrt(8 * (double)block + 1) - 1) / 2);

	(void)l;
	/* The root may be off by its last digit. */
	while (j * (j + 1) / 2 > block)
		j--;
	while ((j + 1) * (j + 2) / 2 <= block)
		j++;
	*by = (uint32_t)j;
	*bx = (uint32_t)(block - j * (j + 1) / 2);
	return j + 1 - *bx;
}

/* Along its rows: (0, 0), (0, 1), ..., then (1, 1), (1, 2), ... Counted from the end, row t - 1 has
 * one block, t - 2 has two: columns of the other order. */
static uint64_t place_across(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx,
			     uint32_t *by)
{
	uint32_t last = (uint32_t)l->grid_x - 1;

	place_down(l, l->blocks - 1 - block, by, bx);
	*bx = last - *bx;
	*by = last - *by;
	return 1;
}

enum { N, ALONG_N };

/* Tile (bx, by) reads column block bx of each input, and by of the other one (SYRK has but one). */
static bool multiply(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	unsigned inputs = app->arrays - 1, per_step = 2 * inputs, pc = (unsigned)(n % per_step);
	uint64_t loads = per_step * (uint64_t)app->p[N] * 4 / TD_TILE_SLAB;
	int64_t pitch = app->p[N] * 4, slab = (int64_t)(n / per_step) * TD_TILE_SLAB;

	if (n >= loads)
		*out = td_tile_part(l, per_step, inputs, TD_GPU_WRITE, 0, pitch, n - loads);
	else if (pc % 2 == 0)
		*out = td_tile_columns_of_rows(l, pc, pc / 2, slab, pitch);
	else
		*out = td_tile_columns(l, pc, inputs - 1 - pc / 2, TD_GPU_READ, slab, pitch);
	return n < loads + td_tile_parts(l);
}

/* Tiles (bx, by) with bx <= by. */
static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t tiles = (uint64_t)app->p[N] / TD_TILE;

	*out = td_tile_grid("multiply", tiles, tiles, TD_TILE, 4);
	out->blocks = tiles * (tiles + 1) / 2;
	out->place = app->p[ALONG_N] ? place_across : place_down;
	out->instr = multiply;
	td_gpu_loops(out, 0, 2 * (app->arrays - 1), (uint64_t)app->p[N] * 4 / TD_TILE_SLAB, 1);
	return i < 1;
}

const struct tide_param td_tile_upper_half_params[] = {
	TD_GPU_PARAM_SCALE, TD_TILE_PARAM_ALONG, TD_GPU_PARAM_MODE, TD_GPU_PARAM_JITTER, {0},
};

int td_tile_along(const char *name, const char *along, int64_t *along_n, struct tide_error *err)
{
	*along_n = strcmp(along, "n") == 0;
	if (*along_n || strcmp(along, "m") == 0)
		return 0;
	return tide_fail(err, -EINVAL, "workload %s: along=%s is none: give m or n", name, along);
}

int td_tile_upper_half(struct td_gpu_app *app, unsigned inputs, int64_t full,
		       const union tide_value *v, struct tide_error *err)
{
	static const char *const names[] = {"A", "B"};
	int rc = td_gpu_size(app, &app->p[N], full, v[TD_GPU_SCALE].r, 2, TD_TILE, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	if (!rc)
		rc = td_tile_along(inputs == 1 ? "srk" : "sr2", v[TD_TILE_ALONG].text,
				   &app->p[ALONG_N], err);
	if (!rc)
		rc = td_gpu_fits(app, (double)bytes / (4 * 2 * TD_TILE * TD_TILE), err);
	for (unsigned i = 0; i < inputs; i++)
		td_gpu_add(app, names[i], bytes);
	td_gpu_add(app, "C", bytes);
	app->launch = launch;
	return rc;
}
