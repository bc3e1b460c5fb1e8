/* What the CUDA files of this room share: calls that are checked, memory that is freed, kernels
 * that are timed. */
#ifndef TD_GPU_CUDA_CUH
#define TD_GPU_CUDA_CUH

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "tide/device.cuh"
#include "tools.h"

/* Says which call failed; a failure that leaves the context usable is forgotten by CUDA. */
static inline int cuda(cudaError_t code, const char *what, struct tide_error *err)
{
	if (code == cudaSuccess)
		return 0;
	cudaGetLastError();
	int rc = code == cudaErrorMemoryAllocation ? -ENOMEM : -EIO;
	return tide_fail(err, rc, "%.120s failed: %s", what, cudaGetErrorString(code));
}

#define CUDA(call) cuda(call, #call, err)

/* ---- memory ---- */

enum memory_kind { DEVICE, PINNED, MANAGED };

struct memory {
	void *at = nullptr;
	memory_kind kind = DEVICE;

	memory() = default;
	memory(const memory &) = delete;
	memory &operator=(const memory &) = delete;
	~memory()
	{
		free();
	}
	void free()
	{
		if (kind == PINNED)
			cudaFreeHost(at);
		else
			cudaFree(at);
		at = nullptr;
	}
	int make(memory_kind of, uint64_t bytes, struct tide_error *err)
	{
		free();
		kind = of;
		if (of == PINNED)
			return CUDA(cudaHostAlloc(&at, bytes, cudaHostAllocMapped));
		if (of == MANAGED)
			return CUDA(cudaMallocManaged(&at, bytes));
		return CUDA(cudaMalloc(&at, bytes));
	}
	template <class T> T *as() const
	{
		return static_cast<T *>(at);
	}
};

/* Of the device, as much as is asked for or a third of what is free; whole pages of 2 MiB. */
static inline int fitting(uint64_t wanted, uint64_t *bytes, struct tide_error *err)
{
	size_t free_bytes = 0, all_bytes = 0;
	int rc = CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
	uint64_t most = free_bytes / 3 & ~(2 * TD_GPU_MIB - 1);
	*bytes = wanted < most ? wanted : most;
	if (!rc && *bytes < 64 * TD_GPU_MIB)
		return tide_fail(err, -ENOMEM, "%zu MiB of the GPU's memory are free: too few",
				 (size_t)(free_bytes >> 20));
	return rc;
}

/* ---- events ---- */

struct stopwatch {
	cudaEvent_t from = nullptr, to = nullptr;

	stopwatch() = default;
	stopwatch(const stopwatch &) = delete;
	stopwatch &operator=(const stopwatch &) = delete;
	~stopwatch()
	{
		if (from)
			cudaEventDestroy(from);
		if (to)
			cudaEventDestroy(to);
	}
	int start(cudaStream_t stream, struct tide_error *err)
	{
		int rc = CUDA(cudaEventCreate(&from));
		if (!rc)
			rc = CUDA(cudaEventCreate(&to));
		return rc ? rc : CUDA(cudaEventRecord(from, stream));
	}
	int stop(cudaStream_t stream, struct tide_error *err)
	{
		return CUDA(cudaEventRecord(to, stream));
	}
	int read(double *ns, struct tide_error *err)
	{
		float ms = 0;
		int rc = CUDA(cudaEventSynchronize(to));
		if (!rc)
			rc = CUDA(cudaEventElapsedTime(&ms, from, to));
		*ns = (double)ms * 1e6;
		return rc;
	}
};

/* ---- kernels ---- */

static inline int multiprocessors(unsigned *n, struct tide_error *err)
{
	int device = 0, value = 0;
	int rc = CUDA(cudaGetDevice(&device));
	if (!rc)
		rc = CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
	*n = (unsigned)value;
	return rc;
}

/* As many blocks as can be resident at once. */
template <class... P>
int resident_blocks(unsigned *blocks, struct tide_error *err, unsigned threads,
		    void (*kernel)(P...))
{
	int per = 0;
	unsigned sms = 0;
	int rc = multiprocessors(&sms, err);
	if (!rc)
		rc = CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, kernel, (int)threads,
									0));
	*blocks = (unsigned)per * sms;
	return rc;
}

/* blocks 0: as many as can be resident. */
struct shape {
	unsigned blocks, threads;
	unsigned pins; /* of a warp, where the kernel uses the runtime */
};

template <class... P, class... A>
int launch_timed(double *ns, struct tide_error *err, unsigned blocks, unsigned threads,
		 void (*kernel)(P...), A... args)
{
	stopwatch watch;
	int rc = watch.start(nullptr, err);
	if (rc)
		return rc;
	kernel<<<blocks, threads>>>(args...);
	rc = cuda(cudaGetLastError(), "the launch of a kernel", err);
	if (!rc)
		rc = watch.stop(nullptr, err);
	return rc ? rc : watch.read(ns, err);
}

/* Runs a kernel, between begin and end where it uses a runtime (g), and gives its time. */
template <class... P, class... A>
int run_kernel(struct tide_gpu *g, double *ns, struct tide_error *err, struct shape s,
	       void (*kernel)(P...), A... args)
{
	unsigned most = 0;
	struct tide_error late = {};
	int rc = resident_blocks(&most, err, s.threads, kernel);
	unsigned blocks = s.blocks ? s.blocks : most, together = blocks < most ? blocks : most;
	struct tide_gpu_layout layout = td_dev_layout();
	if (!rc && g)
		rc = tide_gpu_kernels(g, &layout, err);
	if (!rc && g)
		rc = tide_gpu_begin(g, (uint64_t)together * (s.threads / 32), s.pins, err);
	if (rc)
		return rc;
	rc = launch_timed(ns, err, blocks, s.threads, kernel, args...);
	int ended = g ? tide_gpu_end(g, &late) : 0;
	/* What the runtime says of a failure is closer to its cause. */
	if (ended && err)
		*err = late;
	return ended ? ended : rc;
}

/* The median of several times of one thing, after one that does not count. */
template <class F> int median_of(unsigned times, double *ns, struct tide_error *err, F once)
{
	double all[32];
	int rc = once(&all[0], err);
	for (unsigned i = 0; i < times && i < 32 && !rc; i++)
		rc = once(&all[i], err);
	if (!rc)
		*ns = td_gpu_median(all, times < 32 ? times : 32);
	return rc;
}

/* ---- a runtime that closes itself ---- */

struct runtime {
	struct tide_gpu *g = nullptr;
	char storage[TD_GPU_PATH] = "";

	runtime() = default;
	runtime(const runtime &) = delete;
	runtime &operator=(const runtime &) = delete;
	~runtime()
	{
		close(nullptr);
	}
	/* Gives o a file for arrays that have none, where it names none. */
	int open(const struct td_gpu_setup *s, struct tide_gpu_options *o, struct tide_error *err)
	{
		int rc = close(err);
		if (!rc && !o->storage)
			rc = td_gpu_path(storage, s, "storage", err);
		if (rc)
			return rc;
		if (!o->storage)
			o->storage = storage;
		o->device = s->device;
		if (!o->seed)
			o->seed = s->seed;
		rc = tide_gpu_open(&g, o, err);
		if (rc)
			g = nullptr;
		return rc;
	}
	int close(struct tide_error *err)
	{
		int rc = g ? tide_gpu_close(g, err) : 0;
		g = nullptr;
		if (*storage)
			unlink(storage);
		storage[0] = '\0';
		return rc;
	}
	/* One without a file: all zero. */
	int array(struct tide_span *out, uint64_t bytes, struct tide_error *err)
	{
		struct tide_gpu_array_options how = {};
		how.size = sizeof how;
		how.writable = true;
		return tide_gpu_array(g, out, bytes, &how, err);
	}
	/* The first so many bytes of a file, or all (0). */
	int file(struct tide_span *out, const char *path, bool writable, uint64_t bytes,
		 struct tide_error *err)
	{
		struct tide_gpu_array_options how = {};
		how.size = sizeof how;
		how.path = path;
		how.writable = writable;
		return tide_gpu_array(g, out, bytes, &how, err);
	}
};

/* A size as options take it. */
struct size_text {
	char text[32];
	explicit size_text(uint64_t bytes)
	{
		snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
	}
	operator const char *() const
	{
		return text;
	}
};

/* ---- in kernels ---- */

static __device__ __forceinline__ unsigned lane_id()
{
	return threadIdx.x % 32;
}

static __device__ __forceinline__ uint64_t warp_id()
{
	return ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

static __device__ __forceinline__ uint64_t warps_all()
{
	return (uint64_t)gridDim.x * blockDim.x / 32;
}

/* The warp's sum goes to one word, so that nothing that was read can be left out. */
static __device__ __forceinline__ void add_up(unsigned sum, unsigned *to)
{
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	if (lane_id() == 0)
		atomicAdd(to, sum);
}

#endif
