/* A warp works on a strip of columns, and on as many beside it as its rows may reach into. Column
 * k * 32 + lane of the strip is cell[k] of a lane. All rows begin at a multiple of 32, so 32
 * columns are always in one page. */
#include "access.cuh"
#include "app_pathfinder.h"

enum { HALO = 1, COLUMNS = TD_PATHFINDER_STRIP / 32 + 2 * HALO }; /* of 32 each */
enum { AHEAD = 3 };      /* strips of the warp whose pages are asked for at once */
#define BEYOND (1 << 29) /* more than any way costs: there are no columns beyond the wall */

static_assert(AHEAD * (TD_PATHFINDER_STEPS + 2) <= 32, "a lane for each page");
static_assert(HALO * 32 >= TD_PATHFINDER_STEPS, "a launch must not see the end of the halo");

/* Do the k-th 32 columns exist? */
static __device__ __forceinline__ bool is_inside(uint64_t strip, unsigned k, uint64_t cols)
{
	return strip + k * 32 >= HALO * 32 && strip + k * 32 - HALO * 32 < cols;
}

template <class Cursor>
static __device__ __forceinline__ void read_row(Cursor &from, uint64_t row, uint64_t strip,
						uint64_t cols, int32_t cell[COLUMNS])
{
#pragma unroll
	for (unsigned k = 0; k < COLUMNS; k++) {
		cell[k] = BEYOND;
		if (is_inside(strip, k, cols))
			cell[k] = from.read(row + strip + k * 32 - HALO * 32)[td_lane()];
	}
}

/* cell becomes wall plus the least of itself and the two beside. */
static __device__ __forceinline__ void step(int32_t cell[COLUMNS], const int32_t wall[COLUMNS],
					    uint64_t strip, uint64_t cols)
{
	int32_t end = BEYOND; /* the last of the columns before, as they were */

#pragma unroll
	for (unsigned k = 0; k < COLUMNS; k++) {
		int32_t next = k + 1 < COLUMNS ? cell[k + 1 < COLUMNS ? k + 1 : k] : BEYOND;
		int32_t left = __shfl_up_sync(TD_FULL, cell[k], 1);
		int32_t right = __shfl_down_sync(TD_FULL, cell[k], 1);
		int32_t begin = __shfl_sync(TD_FULL, next, 0);
		int32_t last = __shfl_sync(TD_FULL, cell[k], 31);
		left = td_lane() == 0 ? end : left;
		right = td_lane() == 31 ? begin : right;
		if (is_inside(strip, k, cols))
			cell[k] = wall[k] + min(cell[k], min(left, right));
		end = last;
	}
}

/* What this strip and the next ones of the warp need: many warps have strips of the same page. */
template <class Access>
static __device__ __forceinline__ void bring_ahead(const typename Access::span &wall,
						   const typename Access::span &from,
						   const typename Access::span &to, uint64_t strip,
						   uint64_t cols, uint64_t first, unsigned steps)
{
	typename Access::wishes wishes;

	for (unsigned k = 0; k < AHEAD && strip < cols; k++) {
		wishes.template add<int32_t>(from, strip);
		for (unsigned s = 0; s < steps; s++)
			wishes.template add<int32_t>(wall, (first + s) * cols + strip);
		wishes.template add<int32_t>(to, strip);
		strip += td_warps() * TD_PATHFINDER_STRIP;
	}
	wishes.bring();
}

template <class Access>
static __global__ void find(typename Access::span wall, typename Access::span from,
			    typename Access::span to, uint64_t cols, uint64_t first, unsigned steps)
{
	typename Access::template cursor<int32_t> rows(wall), before(from), after(to);

	for (uint64_t strip = td_warp() * TD_PATHFINDER_STRIP; strip < cols;
	     strip += td_warps() * TD_PATHFINDER_STRIP) {
		int32_t cell[COLUMNS], row[COLUMNS];
		bring_ahead<Access>(wall, from, to, strip, cols, first, steps);
		read_row(before, 0, strip, cols, cell);
		for (unsigned s = 0; s < steps; s++) {
			read_row(rows, (first + s) * cols, strip, cols, row);
			step(cell, row, strip, cols);
		}
#pragma unroll
		for (unsigned k = HALO; k < COLUMNS - HALO; k++)
			after.write(strip + (k - HALO) * 32)[td_lane()] = cell[k];
	}
}

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	enum { PINS = 3 };
	uint64_t cols = r->shape->size[TD_PATHFINDER_COLS],
		 rows = r->shape->size[TD_PATHFINDER_ROWS];
	uint64_t warps = td_app_warps(r, PINS, cols / TD_PATHFINDER_STRIP, 1);
	int rc = 0;

	for (uint64_t i = 0; i < td_pathfinder_launches(rows) && !rc; i++) {
		uint64_t first = i * TD_PATHFINDER_STEPS, left = rows - first;
		unsigned from = i % 2 ? TD_PATHFINDER_RESULT1 : TD_PATHFINDER_RESULT0;
		unsigned to = i % 2 ? TD_PATHFINDER_RESULT0 : TD_PATHFINDER_RESULT1;
		unsigned steps =
			left < TD_PATHFINDER_STEPS ? (unsigned)left : (unsigned)TD_PATHFINDER_STEPS;
		rc = td_app_launch(r, err, warps, 1, PINS, find<Access>,
				   Access::array(r, TD_PATHFINDER_WALL), Access::array(r, from),
				   Access::array(r, to), cols, first, steps);
	}
	return rc;
}

const struct td_gpu_kernels td_gpu_kernels_pathfinder = {&td_app_plan_pathfinder, run<td_paged>,
							 run<td_plain>};
