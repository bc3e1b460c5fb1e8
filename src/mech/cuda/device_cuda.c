/* The GPU by CUDA's runtime library. */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/clock.h"
#include "device.h"

struct td_cuda_stream {
	cudaStream_t stream;
	cudaEvent_t event[TD_CUDA_MARKS];
	uint64_t marks, reached;
	unsigned events_n;
};

/* ---- errors ---- */

static int code_of(cudaError_t e)
{
	switch (e) {
	case cudaSuccess: return 0;
	case cudaErrorMemoryAllocation: return -ENOMEM;
	case cudaErrorNoDevice:
	case cudaErrorInvalidDevice:
	case cudaErrorInsufficientDriver:
	case cudaErrorInitializationError:
	case cudaErrorCudartUnloading:
	case cudaErrorSystemDriverMismatch:
	case cudaErrorCompatNotSupportedOnDevice:
	case cudaErrorDevicesUnavailable:
	case cudaErrorSystemNotReady:
	case cudaErrorNoKernelImageForDevice: return -ENODEV;
	case cudaErrorInvalidValue: return -EINVAL;
	case cudaErrorNotReady: return -EAGAIN;
	default: return -EIO;
	}
}

/* An error of one call is not also that of the next one. */
static int fail(cudaError_t e, const char *what, struct tide_error *err)
{
	if (e == cudaSuccess)
		return 0;
	cudaGetLastError();
	return tide_fail(err, code_of(e), "the GPU cannot %s: %s (%s)", what, cudaGetErrorString(e),
			 cudaGetErrorName(e));
}

/* ---- what there is ---- */

static int count_devices(int *n, struct tide_error *err)
{
	cudaError_t e = cudaGetDeviceCount(n);
	if (e == cudaSuccess && *n > 0)
		return 0;
	cudaGetLastError();
	if (e == cudaErrorInsufficientDriver)
		return tide_fail(err, -ENODEV,
				 "no NVIDIA driver of CUDA %d or later: install one, or run this "
				 "where a GPU is",
				 CUDART_VERSION / 1000);
	if (e == cudaErrorNoDevice || e == cudaSuccess)
		return tide_fail(err, -ENODEV,
				 "no GPU: run this where one is (nvidia-smi lists them)");
	return tide_fail(err, -ENODEV, "no GPU can be used: %s (%s)", cudaGetErrorString(e),
			 cudaGetErrorName(e));
}

static int choose(int device, struct tide_error *err)
{
	int n = 0, rc = count_devices(&n, err);
	if (rc)
		return rc;
	if (device < 0 || device >= n)
		return tide_fail(err, -ENODEV, "there is no GPU %d: give 0 to %d", device, n - 1);
	cudaError_t e = cudaSetDevice(device);
	if (e == cudaSuccess)
		return 0;
	cudaGetLastError();
	return tide_fail(err, -ENODEV, "GPU %d cannot be used: %s (%s)", device,
			 cudaGetErrorString(e), cudaGetErrorName(e));
}

static int enter(struct td_cuda_current *thread, int device, struct tide_error *err)
{
	td_cuda_current_get(thread);
	return choose(device, err);
}

static void leave(const struct td_cuda_current *thread)
{
	td_cuda_current_set(thread);
}

static void write_version(char *text, size_t size, int version)
{
	snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static int info(struct tide_gpu_info *i, int device, struct tide_error *err)
{
	struct cudaDeviceProp p;
	size_t free_bytes = 0, memory_bytes = 0;
	int driver = 0, runtime = 0;
	*i = (struct tide_gpu_info){.device = device};
	int rc = count_devices(&i->devices, err);
	if (!rc)
		rc = fail(cudaGetDeviceProperties(&p, device), "say what it is", err);
	if (!rc)
		rc = fail(cudaMemGetInfo(&free_bytes, &memory_bytes), "say its memory", err);
	if (!rc)
		rc = fail(cudaDriverGetVersion(&driver), "say its driver", err);
	if (!rc)
		rc = fail(cudaRuntimeGetVersion(&runtime), "say its runtime", err);
	if (rc)
		return rc;
	snprintf(i->name, sizeof i->name, "%.127s", p.name);
	write_version(i->driver, sizeof i->driver, driver);
	write_version(i->runtime, sizeof i->runtime, runtime);
	i->major = p.major;
	i->minor = p.minor;
	i->multiprocessors = p.multiProcessorCount;
	i->memory_bytes = memory_bytes;
	i->free_bytes = free_bytes;
	i->l2_bytes = (uint64_t)p.l2CacheSize;
	i->warps = (unsigned)(p.multiProcessorCount * (p.maxThreadsPerMultiProcessor / 32));
	return 0;
}

/* ---- memory ---- */

static int memory(void **out, uint64_t bytes, struct tide_error *err)
{
	cudaError_t e = cudaMalloc(out, bytes);
	size_t free_bytes = 0, all = 0;
	if (e != cudaErrorMemoryAllocation)
		return fail(e, "give memory", err);
	cudaGetLastError();
	if (cudaMemGetInfo(&free_bytes, &all) != cudaSuccess)
		cudaGetLastError();
	return tide_fail(err, -ENOMEM,
			 "the GPU has no %" PRIu64 " bytes for this, %zu are free: give less near "
			 "memory or address range",
			 bytes, free_bytes);
}

static void memory_free(void *at, uint64_t bytes)
{
	(void)bytes;
	if (cudaFree(at) != cudaSuccess)
		cudaGetLastError();
}

/* Mapped by us and then registered: direct I/O wants plain pages. Large ones, where there are: that
 * pins several times as fast. */
static int pinned(void **out, uint64_t bytes, struct tide_error *err)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return tide_fail(
			err, -ENOMEM,
			"no memory for %" PRIu64 " bytes: give less host memory or staging", bytes);
	(void)madvise(at, bytes, MADV_HUGEPAGE);
	cudaError_t e =
		cudaHostRegister(at, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
	void *there = NULL;
	if (e == cudaSuccess)
		e = cudaHostGetDevicePointer(&there, at, 0);
	if (e == cudaSuccess && there == at) {
		*out = at;
		return 0;
	}
	cudaGetLastError();
	munmap(at, bytes);
	if (e == cudaSuccess)
		return tide_fail(
			err, -ENODEV,
			"the GPU sees memory of the host at other addresses: it is too old");
	return tide_fail(err, e == cudaErrorMemoryAllocation ? -ENOMEM : code_of(e),
			 "cannot pin %" PRIu64 " bytes of host memory: %s (%s): give less host "
			 "memory or staging, or raise the limit of locked memory",
			 bytes, cudaGetErrorString(e), cudaGetErrorName(e));
}

static void pinned_free(void *at, uint64_t bytes)
{
	if (cudaHostUnregister(at) != cudaSuccess)
		cudaGetLastError();
	munmap(at, bytes);
}

/* ---- work ---- */

static int copy(void *to, const void *from, uint64_t bytes, struct tide_error *err)
{
	return bytes ? fail(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy", err) : 0;
}

static int fill(void *at, int byte, uint64_t bytes, struct tide_error *err)
{
	int rc = bytes ? fail(cudaMemset(at, byte, bytes), "fill its memory", err) : 0;
	return rc ? rc : fail(cudaStreamSynchronize(0), "fill its memory", err);
}

/* Until the default stream, where kernels run, has come to the event. */
static cudaError_t await(cudaEvent_t event, uint64_t limit_ns)
{
	static const struct timespec pause = {.tv_nsec = 50000};
	uint64_t since = td_clock_ns();
	cudaError_t e;
	while ((e = cudaEventQuery(event)) == cudaErrorNotReady && td_clock_ns() - since < limit_ns)
		nanosleep(&pause, NULL);
	return e;
}

static cudaError_t watch(uint64_t limit_ns)
{
	cudaEvent_t event;
	cudaError_t e = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	if (e != cudaSuccess)
		return e;
	e = cudaEventRecord(event, 0);
	if (e == cudaSuccess)
		e = await(event, limit_ns);
	cudaEventDestroy(event);
	return e;
}

static int synchronize(uint64_t limit_ns, struct tide_error *err)
{
	cudaError_t launch = cudaGetLastError(), e = limit_ns ? watch(limit_ns) : cudaSuccess;
	if (e == cudaErrorNotReady) {
		cudaGetLastError();
		return tide_fail(err, -ETIMEDOUT, "the kernel runs still: wait for it");
	}
	e = cudaDeviceSynchronize();
	e = e != cudaSuccess ? e : launch;
	if (e == cudaSuccess)
		return 0;
	cudaGetLastError();
	return tide_fail(err, code_of(e),
			 "the kernel did not end well: %s (%s): run it under compute-sanitizer, or "
			 "compile it with TIDE_DEVICE_CHECK",
			 cudaGetErrorString(e), cudaGetErrorName(e));
}

/* ---- streams ---- */

static void stream_close(struct td_cuda_stream *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->events_n; i++)
		cudaEventDestroy(s->event[i]);
	if (s->stream)
		cudaStreamDestroy(s->stream);
	cudaGetLastError();
	free(s);
}

static int stream_open(struct td_cuda_stream **out, struct tide_error *err)
{
	struct td_cuda_stream *s = calloc(1, sizeof *s);
	if (!s)
		return tide_fail(err, -ENOMEM, "out of memory");
	/* Beside the default stream, where kernels run, not after it. */
	cudaError_t e = cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking);
	while (e == cudaSuccess && s->events_n < TD_CUDA_MARKS) {
		e = cudaEventCreateWithFlags(&s->event[s->events_n], cudaEventDisableTiming);
		s->events_n += e == cudaSuccess;
	}
	int rc = fail(e, "make a stream", err);
	if (rc)
		stream_close(s);
	else
		*out = s;
	return rc;
}

static int stream_copy(struct td_cuda_stream *s, void *to, const void *from, uint64_t bytes)
{
	return code_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s->stream));
}

static int stream_mark(struct td_cuda_stream *s)
{
	if (s->marks - s->reached == TD_CUDA_MARKS)
		return -EAGAIN;
	cudaError_t e = cudaEventRecord(s->event[s->marks % TD_CUDA_MARKS], s->stream);
	s->marks += e == cudaSuccess;
	return code_of(e);
}

static int stream_reached(struct td_cuda_stream *s, uint64_t *marks)
{
	cudaError_t e = cudaSuccess;
	while (s->reached < s->marks && e == cudaSuccess) {
		e = cudaEventQuery(s->event[s->reached % TD_CUDA_MARKS]);
		s->reached += e == cudaSuccess;
	}
	*marks = s->reached;
	return e == cudaErrorNotReady ? 0 : code_of(e);
}

static int stream_wait(struct td_cuda_stream *s)
{
	return code_of(cudaStreamSynchronize(s->stream));
}

const struct td_cuda_device td_cuda_device = {
	.name = "cuda",
	.info = info,
	.choose = choose,
	.enter = enter,
	.leave = leave,
	.memory = memory,
	.memory_free = memory_free,
	.pinned = pinned,
	.pinned_free = pinned_free,
	.copy = copy,
	.fill = fill,
	.synchronize = synchronize,
	.stream_open = stream_open,
	.stream_close = stream_close,
	.stream_copy = stream_copy,
	.stream_mark = stream_mark,
	.stream_reached = stream_reached,
	.stream_wait = stream_wait,
};
