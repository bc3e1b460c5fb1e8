/* Kernels are written once, for tide arrays (Access is td_paged) and for plain ones (td_plain). */
#ifndef TD_GPU_APPS_ACCESS_CUH
#define TD_GPU_APPS_ACCESS_CUH

#include <cerrno>

#include "apps.h"
#include "tide/device.cuh"

#define TD_FULL 0xffffffffu

/* An array without tiers. It has pages too, so that loops over pages are the same. */
struct td_plain_span {
	unsigned char *at;
	uint32_t page_shift;
};

/* A run, as its launches see it. */
struct td_app_run {
	const struct td_app_shape *shape;
	struct tide_gpu *gpu;                      /* NULL: plain arrays */
	struct tide_span span[TD_APP_ARRAYS];      /* those that are not near */
	struct td_plain_span plain[TD_APP_ARRAYS]; /* near ones, or all */
	uint64_t warps;                            /* as asked for; 0: as fit */
	unsigned share;                            /* pins may take one in so many frames */
	uint64_t launches;                         /* so far */
};

/* -EIO, with what was done and what CUDA says. */
static inline int td_app_cuda(cudaError_t rc, const char *what, struct tide_error *err)
{
	if (rc == cudaSuccess)
		return 0;
	return tide_fail(err, rc == cudaErrorMemoryAllocation ? -ENOMEM : -EIO, "cannot %s: %s",
			 what, cudaGetErrorString(rc));
}

/* Near arrays are the same for both. */
template <class T> static inline T *td_app_near(const struct td_app_run *r, unsigned array)
{
	return (T *)r->plain[array].at;
}

/* ---- arrays ---- */

template <class T> struct td_plain_cursor {
	td_plain_span a;

	__device__ __forceinline__ explicit td_plain_cursor(const td_plain_span &array) : a(array)
	{
	}
	__device__ __forceinline__ const T *read(uint64_t i)
	{
		return (const T *)a.at + i;
	}
	__device__ __forceinline__ T *write(uint64_t i)
	{
		return (T *)a.at + i;
	}
	__device__ __forceinline__ uint64_t per_page() const
	{
		return ((uint64_t)1 << a.page_shift) / sizeof(T);
	}
	__device__ __forceinline__ uint64_t left(uint64_t i) const
	{
		return per_page() - i % per_page();
	}
	__device__ __forceinline__ T get(uint64_t i, bool active = true)
	{
		return active ? ((const T *)a.at)[i] : T();
	}
};

/* As tide_wishes. */
struct td_plain_wishes {
	template <class T>
	__device__ __forceinline__ void add(const td_plain_span &, uint64_t, bool = true)
	{
	}
	template <class T>
	__device__ __forceinline__ void each(const td_plain_span &, uint64_t, bool)
	{
	}
	__device__ __forceinline__ void bring()
	{
	}
};

struct td_plain {
	using span = td_plain_span;
	using wishes = td_plain_wishes;
	template <class T> using cursor = td_plain_cursor<T>;

	template <class T>
	static __device__ __forceinline__ T read(const span &a, uint64_t i, bool active = true)
	{
		return active ? ((const T *)a.at)[i] : T();
	}
	template <class T>
	static __device__ __forceinline__ void write(const span &a, uint64_t i, T value,
						     bool active = true)
	{
		if (active)
			((T *)a.at)[i] = value;
	}
	static span array(const td_app_run *r, unsigned which)
	{
		return r->plain[which];
	}
};

struct td_paged {
	using span = tide_span;
	using wishes = tide_wishes;
	template <class T> using cursor = tide_cursor<T>;

	template <class T>
	static __device__ __forceinline__ T read(const span &a, uint64_t i, bool active = true)
	{
		return tide_read<T>(a, i, active);
	}
	template <class T>
	static __device__ __forceinline__ void write(const span &a, uint64_t i, T value,
						     bool active = true)
	{
		tide_write<T>(a, i, value, active);
	}
	static span array(const td_app_run *r, unsigned which)
	{
		return r->span[which];
	}
};

/* ---- warps ---- */

static __device__ __forceinline__ unsigned td_lane()
{
	return threadIdx.x % 32;
}

static __device__ __forceinline__ uint64_t td_warp()
{
	return ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

static __device__ __forceinline__ uint64_t td_warps()
{
	return (uint64_t)gridDim.x * blockDim.x / 32;
}

static __device__ __forceinline__ uint64_t td_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- launches ---- */

/* How many warps: no more than there are pieces of work, and with tide arrays so few that their
 * pins leave most of tier 1 to the placement. Plain arrays: what a large GPU can have at once. */
static inline uint64_t td_app_warps(const struct td_app_run *r, unsigned pins, uint64_t pieces,
				    unsigned block_warps)
{
	const uint64_t most = 8192;
	uint64_t frames = r->shape->near_bytes / r->shape->page_bytes, fit = most;

	if (r->gpu)
		fit = frames / (r->share * pins);
	if (r->warps)
		fit = r->warps;
	fit = fit < most ? fit : most;
	fit = fit < pieces ? fit : pieces;
	fit = fit / block_warps * block_warps;
	return fit ? fit : block_warps;
}

template <class... Params>
static int td_app_launch(struct td_app_run *r, struct tide_error *err, uint64_t warps,
			 unsigned block_warps, unsigned pins, void (*kernel)(Params...),
			 typename td_dev_as<Params>::type... args)
{
	dim3 grid((unsigned)(warps / block_warps)), block(block_warps * 32);

	r->launches++;
	if (r->gpu)
		return tide_launch(r->gpu, err, grid, block, pins, kernel, args...);
	kernel<<<grid, block>>>(args...);
	int rc = td_app_cuda(cudaGetLastError(), "launch a kernel", err);
	return rc ? rc : td_app_cuda(cudaDeviceSynchronize(), "run a kernel", err);
}

/* The sum of an array's words, added to *sum on the GPU: sum.cu. */
int td_app_sum_tide(struct td_app_run *r, unsigned array, uint64_t *sum, struct tide_error *err);
int td_app_sum_plain(struct td_app_run *r, unsigned array, uint64_t *sum, struct tide_error *err);

#endif
