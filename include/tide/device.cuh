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
 * All 32 lanes of a warp make these calls together, except those whose names end in _lane. Blocks
 * have a multiple of 32 threads. The warp that wants a page which is not near fetches it, while
 * others go on.
 *
 * After a failure, which tide_gpu_end() reports, reads give zero, writes are dropped, and nothing
 * waits.
 *
 * This file has wishes, calls of single lanes, cursors and the launch. Calls for elements are in
 * device/element.cuh (tide_read, tide_peek), many.cuh (tide_read_many, tide_each) and pinned.cuh
 * (tide_read_pinned, tide_write); checks of all calls are in check.cuh. */
#ifndef TIDE_DEVICE_CUH
#define TIDE_DEVICE_CUH

#include "device/layout.h"
#include "device/many.cuh"
#include "device/pinned.cuh"
#include "gpu.h"

/* ---- pages that a warp is about to use ---- */

/* Brings the page of each lane, every page once, as many at a time as are allowed. A lane that
 * wants no page gives TD_DEV_NONE. */
TD_DEV_SLOW void td_dev_bring(struct td_dev_control *c, uint32_t page)
{
	struct td_dev_lanes g = td_dev_warp();
	bool on = true, away = page != TD_DEV_NONE;
	if (away)
		away = td_dev_state(td_dev_peek(&c->entries[page])) != TD_DEV_TIER1;
	for (uint32_t lanes = td_dev_vote(g, away); lanes && on;) {
		struct td_dev_load loads[TD_DEV_WINDOW];
		uint32_t n = 0;
		for (; lanes && n < c->window; n++) {
			loads[n].page = td_dev_of32(g, page, td_dev_lowest(lanes));
			lanes &= ~td_dev_vote(g, page == loads[n].page);
		}
		on = td_dev_hold(c, g, loads, n, false);
		for (uint32_t k = 0; k < n; k++) {
			if (g.rank == 0 && loads[k].got == TD_DEV_HELD)
				td_dev_unpin(&c->entries[loads[k].page]);
		}
	}
	td_dev_meet(g);
}

/* Pages of one or more arrays that a warp asks for all at once: at most 32, one for each lane.
 * bring() fetches them. It leaves no pins, so a page may leave again before it is used, but it has
 * just come. */
struct tide_wishes {
	struct td_dev_control *control;
	uint32_t page; /* of this lane */
	uint32_t n;

	__device__ __forceinline__ tide_wishes() : control(NULL), page(TD_DEV_NONE), n(0)
	{
	}
	/* Adds the page of element i, which is the same in all lanes. */
	template <class T>
	__device__ __forceinline__ void add(const tide_span &a, uint64_t i, bool wanted = true)
	{
		each<T>(a, i, wanted && td_dev_warp().rank == n);
		n++;
	}
	/* Each lane gives an element of its own. It replaces what the lane wished before. */
	template <class T>
	__device__ __forceinline__ void each(const tide_span &a, uint64_t i, bool wanted)
	{
		td_dev_is_cursor_element<T>();
		td_dev_check_index<T>(a, TD_DEV_CALL_BRING, i, wanted);
		control = a.control;
		if (wanted)
			page = a.first_page + (uint32_t)(i * sizeof(T) >> a.page_shift);
	}
	__device__ __forceinline__ void bring()
	{
		if (control)
			td_dev_check_warp(control, TD_DEV_CALL_BRING);
		td_dev_bring(control, page);
		page = TD_DEV_NONE;
		n = 0;
	}
};

/* Brings the pages of the lanes' elements, and holds none. */
template <class T> TD_DEV void tide_bring(const tide_span &a, uint64_t i, bool active = true)
{
	tide_wishes wishes;
	wishes.each<T>(a, i, active);
	wishes.bring();
}

/* ---- one lane alone, whatever the others do: slow, since one lane copies whole pages ---- */

template <class T> TD_DEV T tide_read_lane(const tide_span &a, uint64_t i)
{
	uint64_t byte = i * sizeof(T), index = byte >> a.page_shift;
	T value = T();
	td_dev_check_index<T>(a, TD_DEV_CALL_READ_LANE, i, true);
	if (!TD_DEV_STRICT && td_dev_glance(a, byte, &value)) {
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
	td_dev_is_element<T>();
	td_dev_check_index<T>(a, TD_DEV_CALL_WRITE_LANE, i, true);
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
	uint32_t looks; /* calls of get() that are not yet counted */
	bool fits;      /* control->fits */

	__device__ __forceinline__ explicit tide_cursor(const tide_span &array)
	    : a(array), page(UINT64_MAX), base(NULL), writes(0), held(0), looks(0),
	      fits(array.control->fits != 0)
	{
		td_dev_is_cursor_element<T>();
	}
	tide_cursor(const tide_cursor &) = delete;
	tide_cursor &operator=(const tide_cursor &) = delete;
	__device__ __forceinline__ ~tide_cursor()
	{
		end();
	}

	/* The address of element i, which is the same in all lanes. It is good to the end of its
	 * page, and until the cursor goes to another page. What read() gives cannot be written:
	 * the page would not be marked as changed, and the change would be lost. */
	__device__ __forceinline__ const T *read(uint64_t i)
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

	/* Reads an element of its own in each lane, without a pin. */
	__device__ __forceinline__ T get(uint64_t i, bool active = true)
	{
		td_dev_check_elements<T>(a, TD_DEV_CALL_CURSOR_GET, i, active);
		if constexpr (TD_DEV_STRICT) {
			return td_dev_read<T, false>(a, i, active);
		} else {
			if (++looks == 64)
				count();
			return fits ? get_here(i, active) : get_anywhere(i * sizeof(T), active);
		}
	}

	__device__ __forceinline__ void end()
	{
		if (held || looks)
			td_dev_check_warp(a.control, TD_DEV_CALL_CURSOR_END);
		if (held)
			td_dev_check_pins(a, TD_DEV_CALL_CURSOR_END, -1, 0);
		if (held)
			td_dev_release(&a, td_dev_warp(), page);
		held = 0;
		page = UINT64_MAX;
		if (looks)
			count();
	}

      private:
	static __device__ __forceinline__ enum td_dev_call call(bool write)
	{
		return write ? TD_DEV_CALL_CURSOR_WRITE : TD_DEV_CALL_CURSOR_READ;
	}
	__device__ __forceinline__ void count()
	{
		if (td_dev_warp().rank == 0)
			td_dev_tick(a.control, looks);
		looks = 0;
	}
	__device__ __forceinline__ T get_here(uint64_t i, bool active)
	{
		uint64_t at[1] = {i};
		T value[1];
		if (td_dev_stay(a, at, active, value))
			return value[0];
		uint32_t lanes = __ballot_sync(0xffffffffu, active);
		return td_dev_away<T, false>(a, i * sizeof(T), lanes, T());
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
		td_dev_check_warp(a.control, call(write));
		td_dev_check_same(a, call(write), i);
		td_dev_check_index<T>(a, call(write), i, true);
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
		td_dev_check_pins(a, call(write), (int)held, 0);
		base = (T *)(at ? at : a.control->sink);
		page = wanted;
		writes = write;
	}
};

/* ---- the host side ---- */

/* A type from which nothing is deduced: arguments convert to the kernel's parameters as in a call
 * of a function, and where they do not, the compiler says so. */
template <class T> struct td_dev_as {
	using type = T;
};

/* The GPU that is current in this thread is the given one while this lives. */
struct td_dev_current {
	int before;
	cudaError_t rc;

	explicit td_dev_current(int device) : before(device), rc(cudaGetDevice(&before))
	{
		if (rc == cudaSuccess && before != device)
			rc = cudaSetDevice(device);
		else
			before = -1;
	}
	~td_dev_current()
	{
		if (before >= 0)
			cudaSetDevice(before);
	}
};

/* How many warps of the kernel can be resident at once. */
template <class... Params>
static cudaError_t td_dev_resident(uint64_t *warps, int device, dim3 grid, unsigned threads,
				   void (*kernel)(Params...))
{
	int each = 0, processors = 0;
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
	cudaError_t rc =
		cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (rc == cudaSuccess)
		rc = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, 0);
	uint64_t room = (uint64_t)each * processors;
	*warps = (blocks < room ? blocks : room) * (threads / 32);
	return rc;
}

/* Launches kernel<<<grid, block>>>(args...) on the handle's GPU and waits for it. Blocks have a
 * multiple of 32 threads. pins: pages that a warp of it holds at once: its cursors, and one more if
 * it reads or writes elements (32 with the _lane calls). */
template <class... Params>
static int tide_launch(struct tide_gpu *g, struct tide_error *err, dim3 grid, dim3 block,
		       unsigned pins, void (*kernel)(Params...),
		       typename td_dev_as<Params>::type... args)
{
	int device = 0, failed = tide_gpu_device(g, &device, err);
	unsigned threads = block.x * block.y * block.z;
	uint64_t warps = 0;
	if (failed)
		return failed;
	if (threads % 32)
		return tide_fail(
			err, -EINVAL,
			"blocks of %u threads: give a multiple of 32, since all lanes of a "
			"warp make tide's calls together",
			threads);
	td_dev_current here(device);
	cudaError_t rc = here.rc;
	if (rc == cudaSuccess)
		rc = td_dev_resident(&warps, device, grid, threads, kernel);
	if (rc != cudaSuccess)
		return tide_fail(err, -EIO, "the GPU cannot take this kernel: %s",
				 cudaGetErrorString(rc));
	struct tide_gpu_layout layout = td_dev_layout();
	failed = tide_gpu_kernels(g, &layout, err);
	if (!failed)
		failed = tide_gpu_begin(g, warps, pins, err);
	if (failed)
		return failed;
	kernel<<<grid, block>>>(args...);
	rc = cudaGetLastError();
	failed = tide_gpu_end(g, err);
	if (!failed && rc != cudaSuccess)
		failed = tide_fail(err, -EIO, "the GPU cannot launch this kernel: %s",
				   cudaGetErrorString(rc));
	return failed;
}

#endif
