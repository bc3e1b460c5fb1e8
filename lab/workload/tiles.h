/* Matrix products of libraries, whose kernels are not public, as tiles: matrices are column-major,
 * 256 threads make a tile of the result and walk along the inner dimension in slabs of 128 bytes.
 *
 *     x   of the launch: 16 bytes, what a thread loads, down the rows of the tile
 *     y   columns of the tile
 *
 * Threads are 8 by 32, so that an instruction takes 128 bytes of 32 columns. */
#ifndef TD_WORKLOAD_TILES_H
#define TD_WORKLOAD_TILES_H

#include "gpu.h"

enum {
	TD_TILE = 128,      /* columns of a tile, and rows unless said otherwise */
	TD_TILE_SLAB = 128, /* bytes of the inner dimension that a step takes */
	TD_TILE_LOAD = 16,  /* bytes that a thread loads */
	TD_TILE_X = 8,      /* threads down the rows */
	TD_TILE_Y = 32,     /* and along the columns */
};

/* Blocks of `rows` rows, of number_bytes each, by TD_TILE columns; registers let two of them run on
 * a multiprocessor. */
static inline struct td_gpu_launch td_tile_grid(const char *kernel, uint64_t grid_x,
						uint64_t grid_y, int64_t rows, int64_t number_bytes)
{
	struct td_gpu_launch l = td_gpu_grid(kernel, grid_x, grid_y, TD_TILE_X, TD_TILE_Y);

	l.x_step = rows * number_bytes / TD_TILE_LOAD;
	l.y_step = TD_TILE;
	l.per_sm = 2;
	return l;
}

/* Rows of the block's tile in the `columns` columns of a slab, the first of which is at `first`. */
static inline struct td_gpu_instr td_tile_rows(const struct td_gpu_launch *l, unsigned pc,
					       unsigned array, int64_t first, int64_t pitch,
					       int64_t columns)
{
	struct td_gpu_instr i = td_gpu_instr(l, pc, array, TD_GPU_READ, first, TD_TILE_LOAD, pitch);

	i.ty_to = columns;
	i.per_by = -l->y_step * pitch; /* whichever columns the tile has */
	i.y_from = INT64_MIN;
	i.y_to = INT64_MAX;
	i.times = l->x_step / TD_TILE_X;
	i.x_per_time = TD_TILE_X;
	return i;
}

/* A slab of the columns of the block's tile; that of column 0 is at `first`. */
static inline struct td_gpu_instr td_tile_columns(const struct td_gpu_launch *l, unsigned pc,
						  unsigned array, bool write, int64_t first,
						  int64_t pitch)
{
	struct td_gpu_instr i = td_gpu_instr(l, pc, array, write, first, TD_TILE_LOAD, pitch);

	i.per_bx = -l->x_step * TD_TILE_LOAD; /* whichever rows the tile has */
	i.x_from = INT64_MIN;
	i.x_to = INT64_MAX;
	i.times = TD_TILE / TD_TILE_Y;
	i.y_per_time = TD_TILE_Y;
	return i;
}

/* The same of the columns whose numbers are the tile's rows: for the product of a transposed
 * matrix. */
static inline struct td_gpu_instr td_tile_columns_of_rows(const struct td_gpu_launch *l,
							  unsigned pc, unsigned array,
							  int64_t first, int64_t pitch)
{
	struct td_gpu_instr i = td_tile_columns(l, pc, array, TD_GPU_READ, first, pitch);

	i.per_bx += TD_TILE * pitch;
	i.per_by = -l->y_step * pitch;
	i.y_from = INT64_MIN;
	i.y_to = INT64_MAX;
	return i;
}

/* How many instructions like the following one make a whole tile. */
static inline uint64_t td_tile_parts(const struct td_gpu_launch *l)
{
	return (uint64_t)l->x_step / TD_TILE_X;
}

/* A part of the tile itself: 128 bytes of all of its columns. */
static inline struct td_gpu_instr td_tile_part(const struct td_gpu_launch *l, unsigned pc,
					       unsigned array, bool write, int64_t first,
					       int64_t pitch, uint64_t part)
{
	int64_t x = (int64_t)part * TD_TILE_X;
	struct td_gpu_instr i =
		td_gpu_instr(l, pc, array, write, first + x * TD_TILE_LOAD, TD_TILE_LOAD, pitch);

	if (i.x_to != INT64_MAX)
		i.x_to -= x;
	i.times = TD_TILE / TD_TILE_Y;
	i.y_per_time = TD_TILE_Y;
	return i;
}

/* In which order the tiles of C are made. */
#define TD_TILE_PARAM_ALONG \
	{ \
		"along", TIDE_PARAM_TEXT, "m", 0, 0, \
			"tiles of C: m, columns of them after each other; n, rows of them" \
	}

/* Says which order it is, or -EINVAL: there is no such one. */
int td_tile_along(const char *name, const char *along, int64_t *along_n, struct tide_error *err);

/* Sets up C = A' A (SYRK: one input), or C = A' B + B' A (SYR2K: two inputs), matrices of n * n
 * floats of which the upper half of C is made; full is n at scale 1. pc: as the loads of a step
 * follow each other, then the write of C. */
enum { TD_TILE_ALONG = TD_GPU_SCALE + 1 };
extern const struct tide_param td_tile_upper_half_params[];
int td_tile_upper_half(struct td_gpu_app *app, unsigned inputs, int64_t full,
		       const union tide_value *v, struct tide_error *err);

#endif
