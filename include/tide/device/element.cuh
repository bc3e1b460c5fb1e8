/* Elements read by a converged warp, each lane its own, without a pin. Part of tide/device.cuh. */
#ifndef TIDE_DEVICE_ELEMENT_CUH
#define TIDE_DEVICE_ELEMENT_CUH

#include <type_traits>

#include "check.cuh"

/* Reads without a pin depend on an order that NVIDIA's GPUs keep and that PTX does not promise: the
 * second look at an entry comes after the value, because its address is made from it. Kernels that
 * are compiled with TIDE_STRICT rely on nothing but PTX: every read pins its page by an atomic
 * operation with acquire semantics, and unpins it by one with release semantics. docs/gpu.md says
 * what that costs. */
#ifdef TIDE_STRICT
#define TD_DEV_STRICT true
#else
#define TD_DEV_STRICT false
#endif

/* ---- what can be an element ----
 *
 * A page has 4096 bytes or a larger power of two, as the runtime was opened. Elements whose size is
 * a power of two up to 4096 never cross the border of a page, whatever its size. Others do, and
 * their bytes would be on two frames. */

template <class T> TD_DEV void td_dev_is_element(void)
{
	static_assert(std::is_trivially_copyable<T>::value,
		      "tide: elements must be trivially copyable");
	static_assert(
		sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,
		"tide: elements must have 1, 2, 4, 8 or 16 bytes: pad the type, or access its "
		"members one by one");
}

template <class T> TD_DEV void td_dev_is_cursor_element(void)
{
	static_assert(std::is_trivially_copyable<T>::value,
		      "tide: elements must be trivially copyable");
	static_assert(sizeof(T) <= 4096 && (sizeof(T) & (sizeof(T) - 1)) == 0,
		      "tide: the size of a cursor's element must be a power of two up to 4096, "
		      "because pages would cut others in two: pad the type, or use a cursor of its "
		      "members");
}

/* ---- loads of frames: they bypass the first level cache, which does not know that a frame got
 * another page ---- */

template <class T> TD_DEV T td_dev_get(const void *at)
{
	td_dev_is_element<T>();
	union {
		T value;
		uint8_t b1;
		uint16_t b2;
		uint32_t b4;
		uint64_t b8[2];
	} u;
	uint64_t from = td_dev_global(at);
	if constexpr (sizeof(T) == 1) {
		uint32_t v;
		asm volatile("ld.relaxed.gpu.global.u8 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
		u.b1 = (uint8_t)v;
	} else if constexpr (sizeof(T) == 2) {
		asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];"
			     : "=h"(u.b2)
			     : "l"(from)
			     : "memory");
	} else if constexpr (sizeof(T) == 4) {
		asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
			     : "=r"(u.b4)
			     : "l"(from)
			     : "memory");
	} else if constexpr (sizeof(T) == 8) {
		asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
			     : "=l"(u.b8[0])
			     : "l"(from)
			     : "memory");
	} else {
		asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
			     : "=l"(u.b8[0]), "=l"(u.b8[1])
			     : "l"(from)
			     : "memory");
	}
	return u.value;
}

/* Gives zero, but only when the value is there. */
template <class T> TD_DEV uint64_t td_dev_depends(const tide_span &a, T value)
{
	union {
		T value;
		uint8_t first;
	} u;
	u.value = value;
	return (uint64_t)u.first & a.zero;
}

/* ---- where nothing leaves near memory ----
 *
 * One look is enough then, and the cache may answer it: a page that was near once still is. State
 * and frame are in the lower half of an entry. */

TD_DEV uint32_t td_dev_once(const tide_span &a, uint64_t byte)
{
	return ((const uint32_t *)a.entries)[2 * (byte >> a.page_shift)];
}

/* Reads the element that a look at entry e found. */
template <class T> TD_DEV T td_dev_kept(const tide_span &a, uint32_t e, uint64_t byte)
{
	uint32_t bytes = 1u << a.page_shift;
	return *(const T *)(a.near_memory + (uint64_t)td_dev_index(e) * bytes +
			    ((uint32_t)byte & (bytes - 1)));
}

/* All lanes, K elements of each. False: not all are near. */
template <class T, int K>
TD_DEV bool td_dev_stay(const tide_span &a, const uint64_t (&i)[K], bool active, T (&values)[K])
{
	uint32_t e[K];
	bool here = true;
#pragma unroll
	for (int k = 0; k < K; k++)
		e[k] = active ? td_dev_once(a, i[k] * sizeof(T))
			      : (uint32_t)td_dev_entry(TD_DEV_TIER1, 0);
#pragma unroll
	for (int k = 0; k < K; k++)
		here = here && td_dev_state(e[k]) == TD_DEV_TIER1;
	if (!__all_sync(0xffffffffu, here))
		return false;
#pragma unroll
	for (int k = 0; k < K; k++)
		values[k] = active ? td_dev_kept<T>(a, e[k], i[k] * sizeof(T)) : T();
	return true;
}

/* Calls td_dev_refer() in the way of td_dev_away(). */
TD_DEV void td_dev_used(const tide_span &a, uint64_t *at, uint32_t index)
{
	void (*refer)(struct td_dev_control *, uint64_t *, uint32_t) = td_dev_refer;
	asm volatile("" : "+l"(refer));
	refer(a.control, at, a.first_page + index);
}

/* ---- one lane, its own element, without a pin ----
 *
 * The lane looks where the page is, reads, and looks again whether the page was there all the time.
 * The address of the second look depends on the value, so the look is later than the read. An
 * eviction changes the entry before another page comes into the frame. */
template <class T, bool HOST = false>
TD_DEV bool td_dev_glance(const tide_span &a, uint64_t byte, T *value)
{
	uint64_t *at = &a.entries[byte >> a.page_shift];
	if (a.control->fits) {
		uint32_t once = td_dev_once(a, byte);
		if (td_dev_state(once) != TD_DEV_TIER1)
			return false;
		*value = td_dev_kept<T>(a, once, byte);
		return true;
	}
	uint64_t e = td_dev_peek(at);
	unsigned char *memory = a.near_memory;
	if (HOST && td_dev_state(e) == TD_DEV_TIER2)
		memory = a.control->host_memory;
	else if (td_dev_state(e) != TD_DEV_TIER1)
		return false;
	uint64_t inside = byte & (((uint64_t)1 << a.page_shift) - 1);
	*value = td_dev_get<T>(memory + ((uint64_t)td_dev_index(e) << a.page_shift) + inside);
	uint64_t later = td_dev_peek(at + td_dev_depends(a, *value));
	if (!(later & TD_DEV_REFERENCED) && td_dev_state(e) == TD_DEV_TIER1)
		td_dev_used(a, at, (uint32_t)(byte >> a.page_shift));
	return td_dev_same(e, later);
}

/* ---- a converged warp, each lane its own element ---- */

/* Brings and pins the pages that the lanes of `lanes` want, as many at a time as are allowed. Each
 * lane then accesses its element, and the pages are unpinned. */
template <class T, bool WRITE>
TD_DEV_SLOW T td_dev_each(tide_span a, uint64_t byte, uint32_t lanes, T value)
{
	struct td_dev_lanes g = td_dev_warp();
	struct td_dev_control *c = a.control;
	uint64_t index = byte >> a.page_shift, mask = ((uint64_t)1 << a.page_shift) - 1;
	bool on = true;
	while (lanes && on) {
		struct td_dev_load loads[TD_DEV_WINDOW];
		uint32_t n = 0, todo = lanes;
		for (; todo && n < c->window; n++) {
			uint64_t wanted = td_dev_of64(g, index, td_dev_lowest(todo));
			loads[n].page = a.first_page + (uint32_t)wanted;
			todo &= ~td_dev_vote(g, index == wanted);
		}
		on = td_dev_hold(c, g, loads, n, WRITE);
		for (uint32_t k = 0; k < n; k++) {
			bool mine = lanes >> g.rank & 1 &&
				    a.first_page + (uint32_t)index == loads[k].page;
			if (loads[k].got != TD_DEV_HELD)
				continue;
			unsigned char *at = td_dev_frame_memory(c, loads[k].frame) + (byte & mask);
			if (mine && WRITE)
				*(T *)at = value;
			else if (mine)
				value = td_dev_get<T>(at);
			td_dev_release(&a, g, loads[k].page - a.first_page);
			td_dev_accessed(&a, g, loads[k].page);
		}
		lanes = todo;
	}
	return value;
}

/* Calls td_dev_each() by an address that the compiler cannot follow. If it knew the function, it
 * would keep the caller's values in local memory around the call, also on the path without the
 * call. A loop over elements would then take more than twice the time. */
template <class T, bool WRITE>
TD_DEV T td_dev_away(const tide_span &a, uint64_t byte, uint32_t lanes, T value)
{
	T (*each)(tide_span, uint64_t, uint32_t, T) = td_dev_each<T, WRITE>;
	asm volatile("" : "+l"(each));
	return each(a, byte, lanes, value);
}

/* How many pages the lanes access; neighbours on the same page count once. */
TD_DEV uint32_t td_dev_different(uint64_t index, bool active)
{
	uint64_t before = __shfl_up_sync(0xffffffffu, (unsigned long long)index, 1);
	bool first = td_dev_warp().rank == 0 || before != index;
	return (uint32_t)__popc(__ballot_sync(0xffffffffu, active && first));
}

template <class T, bool HOST>
TD_DEV T td_dev_read_unpinned(const tide_span &a, uint64_t i, bool active)
{
	T value = T();
	uint64_t byte = i * sizeof(T);
	bool seen = active && td_dev_glance<T, HOST>(a, byte, &value);
	uint32_t missing = __ballot_sync(0xffffffffu, active && !seen);
	uint32_t pages = td_dev_different(byte >> a.page_shift, active);
	if (td_dev_warp().rank == 0)
		td_dev_tick(a.control, pages);
	if (!missing)
		return value;
	T held = td_dev_away<T, false>(a, byte, missing, T());
	return seen ? value : held;
}

template <class T, bool WRITE>
TD_DEV void td_dev_pinned(const tide_span &a, uint64_t i, bool active, T *value);

template <class T, bool HOST> TD_DEV T td_dev_read(const tide_span &a, uint64_t i, bool active)
{
	if constexpr (TD_DEV_STRICT) {
		T value = T();
		td_dev_pinned<T, false>(a, i, active, &value);
		return value;
	} else {
		return td_dev_read_unpinned<T, HOST>(a, i, active);
	}
}

/* Element i of the array as T's; zero where not active. */
template <class T> TD_DEV T tide_read(const tide_span &a, uint64_t i, bool active = true)
{
	td_dev_check_elements<T>(a, TD_DEV_CALL_READ, i, active);
	return td_dev_read<T, false>(a, i, active);
}

/* The same, but a page of tier 2 stays there and is read over the bus. Use it for a few bytes of
 * many pages, where moving pages would cost more than it saves. */
template <class T> TD_DEV T tide_peek(const tide_span &a, uint64_t i, bool active = true)
{
	td_dev_check_elements<T>(a, TD_DEV_CALL_PEEK, i, active);
	return td_dev_read<T, true>(a, i, active);
}

#endif
