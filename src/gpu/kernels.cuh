/* Kernels that several files of this room use: fill, stream, read at random; raw and through tide.
 */
#ifndef TD_GPU_KERNELS_CUH
#define TD_GPU_KERNELS_CUH

#include "cuda.cuh"

/* ---- where a page is: in a plain array, or through a cursor ---- */

struct raw_pages {
	unsigned char *base;
	uint64_t page_bytes;
	__device__ const unsigned char *read(uint64_t page)
	{
		return base + page * page_bytes;
	}
	__device__ unsigned char *write(uint64_t page)
	{
		return base + page * page_bytes;
	}
};

struct tide_pages {
	tide_cursor<unsigned char> cursor;
	uint64_t page_bytes;
	__device__ tide_pages(const struct tide_span &a, uint64_t bytes)
	    : cursor(a), page_bytes(bytes)
	{
	}
	__device__ const unsigned char *read(uint64_t page)
	{
		return cursor.read(page * page_bytes);
	}
	__device__ unsigned char *write(uint64_t page)
	{
		return cursor.write(page * page_bytes);
	}
};

/* ---- by one warp: a page filled, summed ---- */

static __device__ __forceinline__ void fill_page(unsigned char *at, uint64_t page, uint64_t bytes)
{
	uint64_t *words = (uint64_t *)at;
	uint64_t first = page * (bytes / 8);
	for (uint64_t k = lane_id(); k < bytes / 8; k += 32)
		words[k] = td_gpu_word(first + k);
}

static __device__ __forceinline__ unsigned fold(uint4 v)
{
	return v.x + v.y + v.z + v.w;
}

/* Eight loads of 16 bytes under way in every lane. */
static __device__ __forceinline__ unsigned sum_page(const unsigned char *at, uint64_t bytes)
{
	const uint4 *p = (const uint4 *)at;
	unsigned sum = 0;
	for (uint64_t k = lane_id(); k < bytes / 16; k += 8 * 32) {
		uint4 v[8];
#pragma unroll
		for (int j = 0; j < 8; j++)
			v[j] = p[k + 32 * j];
#pragma unroll
		for (int j = 0; j < 8; j++)
			sum += fold(v[j]);
	}
	return sum;
}

template <class P> __device__ void fill_all(P &pages, uint64_t n, uint64_t bytes)
{
	for (uint64_t page = warp_id(); page < n; page += warps_all())
		fill_page(pages.write(page), page, bytes);
}

template <class P> __device__ void sum_all(P &pages, uint64_t n, uint64_t bytes, unsigned *to)
{
	unsigned sum = 0;
	for (uint64_t page = warp_id(); page < n; page += warps_all())
		sum += sum_page(pages.read(page), bytes);
	add_up(sum, to);
}

static __global__ void fill_raw(unsigned char *a, uint64_t n, uint64_t bytes)
{
	raw_pages pages = {a, bytes};
	fill_all(pages, n, bytes);
}

/* The way of a miss takes many registers and so would leave few warps on a multiprocessor; bounded
 * so that BLOCKS blocks fit, it spills where it is slow anyway. */
#define BOUNDED(blocks) __launch_bounds__(256, blocks)

static __global__ void BOUNDED(4) fill_tide(struct tide_span a, uint64_t n, uint64_t bytes)
{
	tide_pages pages(a, bytes);
	fill_all(pages, n, bytes);
}

static __global__ void sum_raw(unsigned char *a, uint64_t n, uint64_t bytes, unsigned *to)
{
	raw_pages pages = {a, bytes};
	sum_all(pages, n, bytes, to);
}

template <int BLOCKS>
static __global__ void BOUNDED(BLOCKS)
	sum_tide(struct tide_span a, uint64_t n, uint64_t bytes, unsigned *to)
{
	tide_pages pages(a, bytes);
	sum_all(pages, n, bytes, to);
}

/* ---- element by element, in a grid-stride loop ---- */

template <class T> __device__ unsigned value_of(T v);
template <> __device__ inline unsigned value_of(uint32_t v)
{
	return v;
}
template <> __device__ inline unsigned value_of(uint4 v)
{
	return fold(v);
}

template <class T> static __global__ void stride_raw(const T *a, uint64_t n, unsigned *to)
{
	unsigned sum = 0;
	uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
		sum += value_of<T>(a[i]);
	add_up(sum, to);
}

/* ---- elements of 4 bytes; which ones depends on nothing but their number ---- */

static __device__ __forceinline__ uint64_t place(uint64_t k, uint64_t mask)
{
	return tide_hash64(k + 1) & mask;
}

static __global__ void random_raw(const uint32_t *a, uint64_t mask, uint64_t reads, unsigned *to)
{
	unsigned sum = 0;
	uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < reads; k += threads)
		sum += a[place(k, mask)];
	add_up(sum, to);
}

/* ---- 64 bytes, 128: several lanes side by side ---- */

/* 16 bytes a lane, `lanes` of them side by side. */
static __device__ __forceinline__ uint64_t part(uint64_t k, uint64_t groups, unsigned lanes)
{
	return tide_hash64(k / lanes + 1) % groups * lanes + k % lanes;
}

static __global__ void blocks_raw(const uint4 *a, uint64_t groups, unsigned lanes, uint64_t reads,
				  unsigned *to)
{
	unsigned sum = 0;
	uint64_t threads = (uint64_t)gridDim.x * blockDim.x, n = reads * lanes;
	for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += threads)
		sum += fold(__ldcg(&a[part(k, groups, lanes)]));
	add_up(sum, to);
}

/* ---- the host's side ---- */

/* A word of the GPU for sums: zero before every kernel, read after it. */
struct sum_word {
	memory at;
	unsigned right = 0;
	bool known = false;

	int make(struct tide_error *err)
	{
		return at.make(DEVICE, 4, err);
	}
	int clear(struct tide_error *err)
	{
		return CUDA(cudaMemset(at.at, 0, 4));
	}
	unsigned *word() const
	{
		return at.as<unsigned>();
	}
	/* All sums of the same things are the same; the first is taken for right. */
	int judge(struct tide_error *err)
	{
		unsigned seen = 0;
		int rc = CUDA(cudaMemcpy(&seen, at.at, 4, cudaMemcpyDeviceToHost));
		if (!rc && !known)
			right = seen;
		known = known || !rc;
		if (!rc && seen != right)
			rc = tide_fail(err, -EILSEQ, "the sum of what was read is %#x, not %#x",
				       seen, right);
		return rc;
	}
};

/* A kernel whose last argument is the sum: its median time, its sum judged every time. */
template <class... P, class... A>
int sum_median(struct tide_gpu *g, struct sum_word &sum, unsigned times, double *ns,
	       struct tide_error *err, struct shape s, void (*kernel)(P...), A... args)
{
	return median_of(times, ns, err, [&](double *once_ns, struct tide_error *e) {
		int rc = sum.clear(e);
		if (!rc)
			rc = run_kernel(g, once_ns, e, s, kernel, args..., sum.word());
		return rc ? rc : sum.judge(e);
	});
}

#endif
