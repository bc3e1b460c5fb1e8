/* Rows of a square of cells, as a warp walks over them: 128 cells a step, four of each lane. A warp
 * owns pages of what it writes; pages are cut without regard to rows, but a row is a whole number
 * of steps, and so is a page.
 *
 *     .. | step | step | step | ..      at i, the lanes' cells; at i - n and i + n those above and
 *         b                    e        below; beside, those of the next lane, and at both ends one
 *                                       cell more, which may lie in another page
 */
#ifndef TD_GPU_APPS_STENCIL_CUH
#define TD_GPU_APPS_STENCIL_CUH

#include "access.cuh"

enum { TD_STEP = 128 };

static __device__ __forceinline__ float4 td_cells(const float *at)
{
	return ((const float4 *)at)[td_lane()];
}

static __device__ __forceinline__ void td_put_cells(float *at, float4 cells)
{
	((float4 *)at)[td_lane()] = cells;
}

/* The cells before b and after e - 1, in the first and the last lane. */
template <class Access>
static __device__ __forceinline__ float td_rim(const typename Access::span &a, uint64_t b,
					       uint64_t e, uint64_t cells)
{
	bool first = td_lane() == 0 && b > 0, last = td_lane() == 31 && e < cells;

	return Access::template read<float>(a, last ? e : b - first, first || last);
}

/* The cells b up to e of an array, and the row above and below them. */
template <class Access>
static __device__ __forceinline__ void td_wish_rows(typename Access::wishes &wishes,
						    const typename Access::span &a, uint64_t b,
						    uint64_t e, uint64_t n, uint64_t cells)
{
	wishes.template add<float>(a, b);
	wishes.template add<float>(a, b - n, b >= n);
	wishes.template add<float>(a, e - 1 - n, e > n);
	wishes.template add<float>(a, b + n, b + n < cells);
	wishes.template add<float>(a, td_least(e - 1 + n, cells - 1));
}

struct td_beside {
	float4 west, east;
};

/* The cells beside those of the step at i, column x of a row of n; at is where they lie, and in the
 * page from b up to e. */
static __device__ __forceinline__ td_beside td_look_beside(const float *at, float4 c, float rim,
							   uint64_t i, uint64_t b, uint64_t e,
							   uint64_t x, uint64_t n)
{
	float before = __shfl_up_sync(TD_FULL, c.w, 1), after = __shfl_down_sync(TD_FULL, c.x, 1);

	if (td_lane() == 0)
		before = x == 0 ? c.x : i == b ? rim : at[-1];
	if (td_lane() == 31)
		after = x + TD_STEP == n ? c.w : i + TD_STEP == e ? rim : at[TD_STEP];
	return {make_float4(before, c.x, c.y, c.z), make_float4(c.y, c.z, c.w, after)};
}

#endif
