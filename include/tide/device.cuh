/* Arrays of the GPU runtime in a kernel. The host side is tide/gpu.h.
 *
 *     __global__ void scale(tide_span data, double by)
 *     {
 *             tide_cursor<double> at(data);
 *             for (uint64_t i = first page of this warp; ...; i += at.per_page() * warps)
 *                     for (uint64_t k = lane; k < at.per_page(); k += 32)
 *                             at.write(i)[k] *= by;
 *     }
 *
 * A warp calls these converged, all 32 lanes, unless the name ends in _lane. Blocks are a multiple
 * of 32 threads. A page that is not near is fetched by the warp that wants it, while others go on.
 *
 * After a failure (tide_gpu_end() says it) reads give zero, writes go nowhere, and nothing waits.
 */
#ifndef TIDE_DEVICE_CUH
#define TIDE_DEVICE_CUH

#include "device/access.h"
#include "gpu.h"

/* ---- loads and stores of frames: past the first level cache, which does not know that a frame
 * got another page ---- */

template <class T> TD_DEV T td_dev_get(const void *at)
{
	static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
			      sizeof(T) == 16,
		      "elements are 1, 2, 4, 8 or 16 bytes");
	union {
		T value;
		uint8_t b1;
		uint16_t b2;
		uint32_t b4;
		uint64_t b8[2];
	} u;
	if constexpr (sizeof(T) == 1) {
		uint32_t v;
		asm volatile("ld.relaxed.gpu.u8 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
		u.b1 = (uint8_t)v;
	} else if constexpr (sizeof(T) == 2) {
		asm volatile("ld.relaxed.gpu.u16 %0, [%1];" : "=h"(u.b2) : "l"(at) : "memory");
	} else if constexpr (sizeof(T) == 4) {
		asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(u.b4) : "l"(at) : "memory");
	} else if constexpr (sizeof(T) == 8) {
		asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(u.b8[0]) : "l"(at) : "memory");
	} else {
		asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];"
			     : "=l"(u.b8[0]), "=l"(u.b8[1])
			     : "l"(at)
			     : "memory");
	}
	return u.value;
}

/* Zero, and not known before the value is there. */
template <class T> TD_DEV uint64_t td_dev_depends(const tide_span &a, T value)
{
	union {
		T value;
		uint8_t first;
	} u;
	u.value = value;
	return (uint64_t)u.first & a.zero;
}

/* ---- one lane, its own element, where nothing leaves near memory ----
 *
 * One look is enough then, and may be an old one out of the cache: what was near once still is. */
template <class T>
TD_DEV bool td_dev_stays(const tide_span &a, const uint64_t *at, uint64_t byte, T *value)
{
	uint64_t e = *at;
	if (td_dev_state(e) != TD_DEV_TIER1)
		return false;
	uint64_t inside = byte & (((uint64_t)1 << a.page_shift) - 1);
	*value = *(const T *)(a.near_memory + ((uint64_t)td_dev_index(e) << a.page_shift) + inside);
	return true;
}

/* td_dev_refer(), called as td_dev_away() calls. */
TD_DEV void td_dev_used(const tide_span &a, uint64_t *at, uint32_t index)
{
	void (*refer)(struct td_dev_control *, uint64_t *, uint32_t) = td_dev_refer;
	asm volatile("" : "+l"(refer));
	refer(a.control, at, a.first_page + index);
}

/* ---- one lane, its own element, without a pin ----
 *
 * Look where the page is, read, and look again whether it was there all the time. The second look
 * waits for the value, by its address, so it is later than the read, and an eviction changes the
 * entry before anything else is put into the frame. */
template <class T, bool HOST = false>
TD_DEV bool td_dev_glance(const tide_span &a, uint64_t byte, T *value)
{
	uint64_t *at = &a.entries[byte >> a.page_shift];
	if (a.control->fits)
		return td_dev_stays(a, at, byte, value);
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

/* Pages that the lanes of `lanes` want, brought and held as many at a time as may be; then each
 * does its part, and they are let go. */
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

/* The same by an address that the compiler cannot follow: where it knows what is called, it keeps
 * what the caller has in local memory around the call, on the way that does not call too, and a
 * loop over elements takes twice the time and more. */
template <class T, bool WRITE>
TD_DEV T td_dev_away(const tide_span &a, uint64_t byte, uint32_t lanes, T value)
{
	T (*each)(tide_span, uint64_t, uint32_t, T) = td_dev_each<T, WRITE>;
	asm volatile("" : "+l"(each));
	return each(a, byte, lanes, value);
}

/* How many pages the lanes have, counting neighbours of the same page once. */
TD_DEV uint32_t td_dev_different(uint64_t index, bool active)
{
	uint64_t before = __shfl_up_sync(0xffffffffu, (unsigned long long)index, 1);
	bool first = td_dev_warp().rank == 0 || before != index;
	return (uint32_t)__popc(__ballot_sync(0xffffffffu, active && first));
}

template <class T, bool HOST> TD_DEV T td_dev_read(const tide_span &a, uint64_t i, bool active)
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

/* Element i of the array as T's; zero where not active. */
template <class T> TD_DEV T tide_read(const tide_span &a, uint64_t i, bool active = true)
{
	return td_dev_read<T, false>(a, i, active);
}

/* The same, but a page of tier 2 stays there and is read over the bus: for few bytes of many pages,
 * where moving a page would cost more than it saves. */
template <class T> TD_DEV T tide_peek(const tide_span &a, uint64_t i, bool active = true)
{
	return td_dev_read<T, true>(a, i, active);
}

/* ---- a converged warp, several elements of each lane ----
 *
 * A read that waits for its value before the next one looks has one under way. These look for all,
 * then read all. */

template <class T, int K>
TD_DEV_SLOW void td_dev_one_by_one(tide_span a, const uint64_t *i, T *values)
{
	for (int k = 0; k < K; k++)
		values[k] = td_dev_read<T, false>(a, i[k], true);
}

/* Called as td_dev_away() calls. */
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
TD_DEV bool td_dev_many_stay(const tide_span &a, const uint64_t (&i)[K], T (&values)[K])
{
	uint32_t e[K], bytes = 1u << a.page_shift; /* state and frame: the lower half */
	bool here = true;
#pragma unroll
	for (int k = 0; k < K; k++)
		e[k] = ((const uint32_t *)a.entries)[2 * (i[k] * sizeof(T) >> a.page_shift)];
#pragma unroll
	for (int k = 0; k < K; k++)
		here = here && td_dev_state(e[k]) == TD_DEV_TIER1;
	if (!__all_sync(0xffffffffu, here))
		return false;
#pragma unroll
	for (int k = 0; k < K; k++)
		values[k] = *(const T *)(a.near_memory + (uint64_t)td_dev_index(e[k]) * bytes +
					 ((uint32_t)(i[k] * sizeof(T)) & (bytes - 1)));
	return true;
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

/* True: all were near, and nothing was counted. */
template <class T, int K>
TD_DEV bool td_dev_many(const tide_span &a, bool fits, const uint64_t (&i)[K], T (&values)[K])
{
	if (fits ? td_dev_many_stay(a, i, values) : td_dev_many_glances(a, i, values))
		return true;
	td_dev_many_away(a, i, values);
	return false;
}

/* Elements i[0] to i[K - 1] of each lane, all within the array. */
template <class T, int K>
TD_DEV void tide_read_many(const tide_span &a, const uint64_t (&i)[K], T (&values)[K])
{
	if (!td_dev_many(a, a.control->fits != 0, i, values))
		return;
	uint32_t pages = 0;
#pragma unroll
	for (int k = 0; k < K; k++)
		pages += td_dev_different(i[k] * sizeof(T) >> a.page_shift, true);
	if (td_dev_warp().rank == 0)
		td_dev_tick(a.control, pages);
}

/* FITS is known in the loop: with both ways in it the registers would not do. Gives the first
 * element that is left. */
template <class T, int K, bool FITS, class F>
TD_DEV uint64_t td_dev_each_loop(const tide_span &a, uint64_t n, uint64_t i, uint64_t step, F &f)
{
	uint32_t rank = td_dev_warp().rank, looks = 0;
	/* The last lane has as many as the first: no lane is idle. */
	for (; i - rank + 31 + (K - 1) * step < n; i += K * step) {
		uint64_t at[K];
		T values[K];
#pragma unroll
		for (int k = 0; k < K; k++)
			at[k] = i + k * step;
		if (td_dev_many(a, FITS, at, values))
			looks += K;
#pragma unroll
		for (int k = 0; k < K; k++)
			f(at[k], values[k]);
		if (looks >= 64 && rank == 0)
			td_dev_tick(a.control, looks);
		looks = looks >= 64 ? 0 : looks;
	}
	if (looks && rank == 0)
		td_dev_tick(a.control, looks);
	return i;
}

/* The grid-stride loop over the first n elements, by all warps of the grid (blocks are rows of
 * threads): f(i, value) for each. K of them are under way in every lane. */
template <class T, int K = 4, class F> TD_DEV void tide_each(const tide_span &a, uint64_t n, F f)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (a.control->fits)
		i = td_dev_each_loop<T, K, true>(a, n, i, step, f);
	else
		i = td_dev_each_loop<T, K, false>(a, n, i, step, f);
	for (; i - td_dev_warp().rank < n; i += step) {
		T value = tide_read<T>(a, i, i < n);
		if (i < n)
			f(i, value);
	}
}

/* A pin for loads that go past the first level cache: the address they need comes with it, so that
 * it is before them; and it is taken off with a number that waits for all of them. So neither has
 * to wait for whatever else the warp is doing, as one for plain loads and for stores has. */
template <bool WRITE> TD_DEV uint64_t td_dev_pin_as(uint64_t *at)
{
	if (WRITE)
		return td_dev_pin(at, true);
	uint64_t e = td_dev_add(at, TD_DEV_PIN);
	if (td_dev_state(e) != TD_DEV_TIER1)
		td_dev_add(at, -TD_DEV_PIN);
	else if (!(e & TD_DEV_REFERENCED))
		td_dev_or(at, TD_DEV_REFERENCED);
	return e;
}

template <class T, bool WRITE>
TD_DEV void td_dev_unpin_as(const tide_span &a, uint64_t *at, bool mine, T value)
{
	uint64_t none = 0;
	if (WRITE)
		__syncwarp();
	else
		none = __ballot_sync(0xffffffffu, td_dev_depends(a, value) != 0);
	if (mine && WRITE)
		td_dev_unpin(at);
	else if (mine)
		td_dev_add(at, none - TD_DEV_PIN);
}

/* The same as tide_read() with a pin for the time of the access; WRITE: stores *value. */
template <class T, bool WRITE>
TD_DEV void td_dev_pinned(const tide_span &a, uint64_t i, bool active, T *value)
{
	uint64_t byte = i * sizeof(T), index = byte >> a.page_shift;
	uint32_t rank = td_dev_warp().rank;
	uint32_t key = active ? (uint32_t)index : UINT32_MAX;
	uint64_t e = 0;
	int same;
	__match_all_sync(0xffffffffu, key, &same);
	uint32_t group = same ? 0xffffffffu : __match_any_sync(0xffffffffu, key);
	uint32_t leader = td_dev_lowest(group);
	if (active && rank == leader) {
		e = td_dev_pin_as<WRITE>(&a.entries[index]);
		td_dev_first(a.control, a.first_page + (uint32_t)index, e, WRITE);
	}
	e = __shfl_sync(0xffffffffu, (unsigned long long)e, (int)leader);
	bool here = active && td_dev_state(e) == TD_DEV_TIER1;
	if (here) {
		unsigned char *at = a.near_memory + ((uint64_t)td_dev_index(e) << a.page_shift) +
				    (byte & (((uint64_t)1 << a.page_shift) - 1));
		if (WRITE)
			*(T *)at = *value;
		else
			*value = td_dev_get<T>(at);
	}
	td_dev_unpin_as<T, WRITE>(a, &a.entries[index], here && rank == leader, *value);
	uint32_t missing = __ballot_sync(0xffffffffu, active && !here);
	uint32_t pages = (uint32_t)__popc(__ballot_sync(0xffffffffu, active && rank == leader));
	if (rank == 0)
		td_dev_tick(a.control, pages);
	if (missing) {
		T held = td_dev_away<T, WRITE>(a, byte, missing, *value);
		*value = here ? *value : held;
	}
}

template <class T> TD_DEV T tide_read_pinned(const tide_span &a, uint64_t i, bool active = true)
{
	T value = T();
	td_dev_pinned<T, false>(a, i, active, &value);
	return value;
}

template <class T>
TD_DEV void tide_write(const tide_span &a, uint64_t i, T value, bool active = true)
{
	td_dev_pinned<T, true>(a, i, active, &value);
}

/* Brings the pages of the lanes' elements, all that may be held at a time at once, and lets them
 * go. */
template <class T> TD_DEV void tide_bring(const tide_span &a, uint64_t i, bool active = true)
{
	(void)tide_read<T>(a, i, active);
}

/* ---- one lane alone, whatever the others do: slow, since it copies whole pages alone ---- */

template <class T> TD_DEV T tide_read_lane(const tide_span &a, uint64_t i)
{
	uint64_t byte = i * sizeof(T), index = byte >> a.page_shift;
	T value = T();
	if (td_dev_glance(a, byte, &value)) {
		td_dev_tick(a.control, 1);
		return value;
	}
	unsigned char *at = td_dev_acquire(&a, td_dev_alone(), index, false);
	if (!at)
		return T();
	value = td_dev_get<T>(at + (byte & (((uint64_t)1 << a.page_shift) - 1)));
	td_dev_release(&a, td_dev_alone(), index);
	return value;
}

template <class T> TD_DEV void tide_write_lane(const tide_span &a, uint64_t i, T value)
{
	uint64_t byte = i * sizeof(T), index = byte >> a.page_shift;
	unsigned char *at = td_dev_acquire(&a, td_dev_alone(), index, true);
	if (!at)
		return;
	*(T *)(at + (byte & (((uint64_t)1 << a.page_shift) - 1))) = value;
	td_dev_release(&a, td_dev_alone(), index);
}

/* ---- a cursor: a page that a warp keeps while it works on it ---- */

template <class T> struct tide_cursor {
	tide_span a;
	uint64_t page;   /* within the array; UINT64_MAX: none */
	T *base;         /* its first element */
	uint32_t writes; /* it was acquired for writing */
	uint32_t held;
	uint32_t looks; /* of get(), not yet counted */
	bool fits;      /* control->fits */

	__device__ __forceinline__ explicit tide_cursor(const tide_span &array)
	    : a(array), page(UINT64_MAX), base(NULL), writes(0), held(0), looks(0),
	      fits(array.control->fits != 0)
	{
	}
	tide_cursor(const tide_cursor &) = delete;
	tide_cursor &operator=(const tide_cursor &) = delete;
	__device__ __forceinline__ ~tide_cursor()
	{
		end();
	}

	/* Address of element i, the same for all lanes; good to the end of its page, and until
	 * another page is asked for. */
	__device__ __forceinline__ T *read(uint64_t i)
	{
		return to(i, false);
	}
	__device__ __forceinline__ T *write(uint64_t i)
	{
		return to(i, true);
	}
	/* Elements from i to the end of its page. */
	__device__ __forceinline__ uint64_t left(uint64_t i) const
	{
		uint64_t each = per_page();
		return each - i % each;
	}
	__device__ __forceinline__ uint64_t per_page() const
	{
		return ((uint64_t)1 << a.page_shift) / sizeof(T);
	}

	/* Each lane its own element, without a pin. */
	__device__ __forceinline__ T get(uint64_t i, bool active = true)
	{
		if (++looks == 64)
			count();
		return fits ? get_here(i * sizeof(T), active) : get_anywhere(i * sizeof(T), active);
	}

	__device__ __forceinline__ void end()
	{
		if (held)
			td_dev_release(&a, td_dev_warp(), page);
		held = 0;
		page = UINT64_MAX;
		if (looks)
			count();
	}

      private:
	__device__ __forceinline__ void count()
	{
		if (td_dev_warp().rank == 0)
			td_dev_tick(a.control, looks);
		looks = 0;
	}
	/* Nothing leaves near memory: one look, and if all lanes find their page, one read. State
	 * and frame are in the lower half of an entry. */
	__device__ __forceinline__ T get_here(uint64_t byte, bool active)
	{
		uint32_t bytes = 1u << a.page_shift, index = (uint32_t)(byte >> a.page_shift);
		uint32_t e = (uint32_t)td_dev_entry(TD_DEV_TIER1, 0);
		if (active)
			e = ((const uint32_t *)a.entries)[2 * (uint64_t)index];
		bool here = td_dev_state(e) == TD_DEV_TIER1;
		if (!__all_sync(0xffffffffu, here))
			return td_dev_away<T, false>(a, byte, __ballot_sync(0xffffffffu, active),
						     T());
		const unsigned char *frame = a.near_memory + (uint64_t)td_dev_index(e) * bytes;
		return active ? *(const T *)(frame + ((uint32_t)byte & (bytes - 1))) : T();
	}
	__device__ __forceinline__ T get_anywhere(uint64_t byte, bool active)
	{
		T value = T();
		bool seen = active && td_dev_glance(a, byte, &value);
		uint32_t missing = __ballot_sync(0xffffffffu, active && !seen);
		if (!missing)
			return value;
		T other = td_dev_away<T, false>(a, byte, missing, T());
		return seen ? value : other;
	}
	__device__ __forceinline__ T *to(uint64_t i, bool write)
	{
		uint64_t wanted = i * sizeof(T) >> a.page_shift;
		if (wanted != page || (write && !writes))
			move(wanted, write);
		return base + i % per_page();
	}
	__device__ __forceinline__ void move(uint64_t wanted, bool write)
	{
		end();
		unsigned char *at = td_dev_acquire(&a, td_dev_warp(), wanted, write);
		held = at != NULL;
		base = (T *)(at ? at : a.control->sink);
		page = wanted;
		writes = write;
	}
};

/* ---- the host side ---- */

/* Launches kernel<<<grid, block>>>(args...) and waits for it. pins: pages that a warp of it holds
 * at once: its cursors, and one more where it reads or writes elements (32 with the _lane calls).
 */
template <class... Params, class... Args>
static int tide_launch(struct tide_gpu *g, struct tide_error *err, dim3 grid, dim3 block,
		       unsigned pins, void (*kernel)(Params...), Args... args)
{
	int device = 0, each = 0, processors = 0;
	unsigned threads = block.x * block.y * block.z;
	cudaError_t rc = cudaGetDevice(&device);
	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (rc == cudaSuccess)
		rc = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, 0);
	if (rc != cudaSuccess)
		return tide_fail(err, -EIO, "the GPU cannot take this kernel: %s",
				 cudaGetErrorString(rc));
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z, room = (uint64_t)each * processors;
	int failed = tide_gpu_begin(g, (blocks < room ? blocks : room) * ((threads + 31) / 32),
				    pins, err);
	if (failed)
		return failed;
	kernel<<<grid, block>>>(Params(args)...);
	rc = cudaGetLastError();
	if (rc == cudaSuccess)
		rc = cudaDeviceSynchronize();
	failed = tide_gpu_end(g, err);
	if (rc != cudaSuccess)
		return tide_fail(err, -EIO,
				 "the kernel did not end well: %s: run it under "
				 "compute-sanitizer",
				 cudaGetErrorString(rc));
	return failed;
}

#endif
