/* Several elements of each lane at once, and the loop over all of an array. Part of
 * tide/device.cuh. */
#ifndef TIDE_DEVICE_MANY_CUH
#define TIDE_DEVICE_MANY_CUH

#include "element.cuh"

/* ---- a converged warp, several elements of each lane ----
 *
 * If each read waited for its value before the next one began, a lane would have one read under
 * way. These calls first look up all pages and then read all elements. */

template <class T, int K>
TD_DEV_SLOW void td_dev_one_by_one(tide_span a, const uint64_t *i, T *values)
{
	for (int k = 0; k < K; k++)
		values[k] = td_dev_read<T, false>(a, i[k], true);
}

/* Calls td_dev_one_by_one() in the way of td_dev_away(). */
template <class T, int K>
TD_DEV void td_dev_many_away(const tide_span &a, const uint64_t (&i)[K], T (&values)[K])
{
	void (*read)(tide_span, const uint64_t *, T *) = td_dev_one_by_one<T, K>;
	asm volatile("" : "+l"(read));
	uint64_t wanted[K];
	T got[K];
	for (int k = 0; k < K; k++)
		wanted[k] = i[k];
	read(a, wanted, got);
	for (int k = 0; k < K; k++)
		values[k] = got[k];
}

template <class T, int K>
TD_DEV bool td_dev_many_glances(const tide_span &a, const uint64_t (&i)[K], T (&values)[K])
{
	uint64_t e[K], later[K], mask = ((uint64_t)1 << a.page_shift) - 1;
	bool here = true;
#pragma unroll
	for (int k = 0; k < K; k++)
		e[k] = td_dev_peek(&a.entries[i[k] * sizeof(T) >> a.page_shift]);
#pragma unroll
	for (int k = 0; k < K; k++)
		here = here && td_dev_state(e[k]) == TD_DEV_TIER1;
	if (!__all_sync(0xffffffffu, here))
		return false;
#pragma unroll
	for (int k = 0; k < K; k++)
		values[k] = td_dev_get<T>(a.near_memory +
					  ((uint64_t)td_dev_index(e[k]) << a.page_shift) +
					  (i[k] * sizeof(T) & mask));
#pragma unroll
	for (int k = 0; k < K; k++)
		later[k] = td_dev_peek(&a.entries[i[k] * sizeof(T) >> a.page_shift] +
				       td_dev_depends(a, values[k]));
#pragma unroll
	for (int k = 0; k < K; k++)
		here = here && td_dev_same(e[k], later[k]) && later[k] & TD_DEV_REFERENCED;
	return __all_sync(0xffffffffu, here);
}

/* True: all were near, and nothing was counted yet. */
template <class T, int K>
TD_DEV bool td_dev_many(const tide_span &a, bool fits, const uint64_t (&i)[K], T (&values)[K])
{
	if (!TD_DEV_STRICT &&
	    (fits ? td_dev_stay(a, i, true, values) : td_dev_many_glances(a, i, values)))
		return true;
	td_dev_many_away(a, i, values);
	return false;
}

/* Elements i[0] to i[K - 1] of each lane, all within the array. */
template <class T, int K>
TD_DEV void tide_read_many(const tide_span &a, const uint64_t (&i)[K], T (&values)[K])
{
	td_dev_check_warp(a.control, TD_DEV_CALL_READ_MANY);
	for (int k = 0; k < K; k++)
		td_dev_check_index<T>(a, TD_DEV_CALL_READ_MANY, i[k], true);
	td_dev_check_pins(a, TD_DEV_CALL_READ_MANY, 0, 1);
	if (!td_dev_many(a, a.control->fits != 0, i, values))
		return;
	uint32_t pages = 0;
#pragma unroll
	for (int k = 0; k < K; k++)
		pages += td_dev_different(i[k] * sizeof(T) >> a.page_shift, true);
	if (td_dev_warp().rank == 0)
		td_dev_tick(a.control, pages);
}

/* Calls the body of a loop in its form: see tide_each(). */
template <class T, class F> TD_DEV void td_dev_body(F &f, uint64_t i, const T &value, bool active)
{
	if constexpr (std::is_invocable<F &, uint64_t, T, bool>::value)
		f(i, value, active);
	else if (active)
		f(i, value);
}

/* FITS is a constant here: a loop with both ways would need too many registers. Gives the first
 * element that is left. */
template <class T, int K, bool FITS, class F>
TD_DEV uint64_t td_dev_each_loop(const tide_span &a, uint64_t n, uint64_t i, uint64_t step, F &f)
{
	uint32_t rank = td_dev_warp().rank, looks = 0;
	/* As long as the last lane has K elements too, no lane is idle. */
	for (; i - rank + 31 + (K - 1) * step < n; i += K * step) {
		uint64_t at[K];
		T values[K];
#pragma unroll
		for (int k = 0; k < K; k++)
			at[k] = i + k * step;
		td_dev_check_warp(a.control, TD_DEV_CALL_EACH);
		if (td_dev_many(a, FITS, at, values))
			looks += K;
#pragma unroll
		for (int k = 0; k < K; k++)
			td_dev_body<T>(f, at[k], values[k], true);
		if (looks >= 64 && rank == 0)
			td_dev_tick(a.control, looks);
		looks = looks >= 64 ? 0 : looks;
	}
	if (looks && rank == 0)
		td_dev_tick(a.control, looks);
	return i;
}

/* The grid-stride loop over the first n elements, by all warps of the grid (blocks are rows of
 * threads). K elements are under way in every lane. The body has one of two forms:
 *
 *     f(i, value)          is called in lanes that have an element. At the end of the array some
 *                          lanes of a warp have none. So it must not call what all lanes have to
 *                          call together: no tide_read, tide_write, cursor, __shfl_sync and so on.
 *     f(i, value, active)  is called by all 32 lanes together, with active false in lanes that have
 *                          no element. It may call all of these. */
template <class T, int K = 4, class F> TD_DEV void tide_each(const tide_span &a, uint64_t n, F f)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	td_dev_check_index<T>(a, TD_DEV_CALL_EACH, n - 1, n != 0);
	td_dev_check_pins(a, TD_DEV_CALL_EACH, 0, 1);
	if (a.control->fits)
		i = td_dev_each_loop<T, K, true>(a, n, i, step, f);
	else
		i = td_dev_each_loop<T, K, false>(a, n, i, step, f);
	for (; i - td_dev_warp().rank < n; i += step) {
		td_dev_check_warp(a.control, TD_DEV_CALL_EACH);
		T value = td_dev_read<T, false>(a, i, i < n);
		td_dev_body<T>(f, i, value, i < n);
	}
}

#endif
