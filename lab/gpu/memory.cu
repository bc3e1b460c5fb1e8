#include "memory.cuh"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

static unsigned shift_of(uint64_t bytes)
{
	return (unsigned)__builtin_ctzll(bytes);
}

static bool is_paged(const struct td_app_running *x, unsigned array)
{
	return x->run.gpu && !(x->shape.array[array].flags & TD_APP_NEAR);
}

/* ---- plain arrays ---- */

/* Unified memory only where it leaves the GPU half of what is free: asking for more may hang it. */
static int get_unified(void **at, uint64_t bytes, struct tide_error *err)
{
	size_t left = 0, all = 0;
	int rc = td_app_cuda(cudaMemGetInfo(&left, &all), "ask for free memory", err);

	if (rc)
		return rc;
	if (bytes > left / 2)
		return tide_fail(err, -ENOMEM,
				 "unified memory of %" PRIu64
				 " bytes is more than half of the %zu that "
				 "the GPU has free: give a smaller size",
				 bytes, left);
	return td_app_cuda(cudaMallocManaged(at, bytes), "get unified memory", err);
}

static int get_memory(struct td_app_running *x, unsigned array, void **at, struct tide_error *err)
{
	const struct td_app_array *a = &x->shape.array[array];
	bool near = (a->flags & TD_APP_NEAR) != 0;

	if (!near && x->job->memory == TD_GPU_APP_ZERO_COPY) {
		x->on_host[array] = true;
		return td_app_cuda(cudaHostAlloc(at, a->bytes, cudaHostAllocMapped),
				   "get pinned memory", err);
	}
	if (!near && x->job->memory == TD_GPU_APP_UNIFIED)
		return get_unified(at, a->bytes, err);
	return td_app_cuda(cudaMalloc(at, a->bytes), "get memory of the GPU", err);
}

/* By way of memory of the host. */
static int copy_in(struct td_app_running *x, unsigned array, struct tide_error *err)
{
	uint64_t bytes = x->shape.array[array].bytes;
	void *buffer = malloc(bytes);
	int rc = buffer ? td_app_load(&x->shape, array, &x->job->setup, buffer, err)
			: tide_fail(err, -ENOMEM, "no memory for %" PRIu64 " bytes", bytes);

	if (!rc)
		rc = td_app_cuda(
			cudaMemcpy(x->run.plain[array].at, buffer, bytes, cudaMemcpyHostToDevice),
			"copy to the GPU", err);
	free(buffer);
	return rc;
}

static int open_plain(struct td_app_running *x, unsigned array, struct tide_error *err)
{
	struct td_plain_span *to = &x->run.plain[array];
	bool near = (x->shape.array[array].flags & TD_APP_NEAR) != 0;
	void *at = NULL;
	int rc = get_memory(x, array, &at, err);

	if (rc)
		return rc;
	to->at = (unsigned char *)at;
	to->page_shift = shift_of(x->shape.page_bytes);
	if (near || x->job->memory == TD_GPU_APP_TIDE || x->job->memory == TD_GPU_APP_RAW)
		return copy_in(x, array, err);
	return td_app_load(&x->shape, array, &x->job->setup, at, err);
}

/* ---- tide arrays ---- */

static void say_bytes(char text[24], uint64_t bytes)
{
	snprintf(text, 24, "%" PRIu64, bytes);
}

static bool by_host(const struct td_gpu_app_job *job)
{
	return job->orchestrate && !strcmp(job->orchestrate, "host");
}

/* The host's memory has all the data then, each array in whole chunks. */
static uint64_t chunks_bytes(const struct td_app_shape *s)
{
	const uint64_t chunk = 2 << 20;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->arrays; i++) {
		if (!(s->array[i].flags & TD_APP_NEAR))
			sum += (s->array[i].bytes + chunk - 1) / chunk * chunk + chunk;
	}
	return sum;
}

/* Tier 1 that holds all the data, with some frames more. */
static uint64_t resident_bytes(const struct td_app_shape *s)
{
	return s->data_bytes + s->data_bytes / 8 + (UINT64_C(64) << 20);
}

static int open_runtime(struct td_app_running *x, struct tide_error *err)
{
	const struct td_gpu_app_job *job = x->job;
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	char near_size[24], host[24], page[24], seed[24];

	if (job->resident)
		x->shape.near_bytes = (resident_bytes(&x->shape) + x->shape.page_bytes - 1) /
				      x->shape.page_bytes * x->shape.page_bytes;
	if (by_host(job))
		x->shape.host_bytes = chunks_bytes(&x->shape);
	if (job->resident)
		x->shape.host_bytes = 0;
	say_bytes(near_size, x->shape.near_bytes);
	say_bytes(host, x->shape.host_bytes);
	say_bytes(page, x->shape.page_bytes);
	say_bytes(seed, x->shape.seed);
	o.near_size = near_size;
	o.host = x->shape.host_bytes ? host : NULL;
	o.page = page;
	o.place = job->place;
	o.transfer = job->transfer;
	o.orchestrate = job->orchestrate;
	o.evict = job->evict;
	o.prefetch = job->prefetch;
	o.timeout = job->timeout;
	o.seed = seed;
	o.device = job->setup.device;
	return tide_gpu_open(&x->run.gpu, &o, err);
}

static int open_span(struct td_app_running *x, unsigned array, struct tide_error *err)
{
	const struct td_app_array *a = &x->shape.array[array];
	struct tide_gpu_array_options how = {};
	how.size = sizeof how;
	char path[TD_GPU_PATH];
	int rc = td_app_path(path, &x->shape, array, &x->job->setup, err);

	if (rc)
		return rc;
	how.path = path;
	how.writable = (a->flags & TD_APP_WRITTEN) != 0;
	return tide_gpu_array(x->run.gpu, &x->run.span[array], a->bytes, &how, err);
}

/* ---- all of them ---- */

static int open_sums(struct td_app_running *x, struct tide_error *err)
{
	size_t bytes = TD_APP_ARRAYS * sizeof *x->sums;
	int rc = td_app_cuda(cudaMalloc((void **)&x->sums, bytes), "get memory of the GPU", err);

	return rc ? rc : td_app_cuda(cudaMemset(x->sums, 0, bytes), "clear memory", err);
}

int td_app_open(struct td_app_running *x, struct tide_error *err)
{
	bool tide = x->job->memory == TD_GPU_APP_TIDE;
	int rc = td_app_cuda(cudaSetDevice(x->job->setup.device), "use the GPU", err);

	x->run.shape = &x->shape;
	x->run.warps = x->job->warps;
	x->run.share = by_host(x->job) ? 8 : 4; /* the host keeps an eighth for what warps hold */
	if (!rc)
		rc = td_app_prepare(&x->shape, &x->job->setup, err);
	if (!rc && tide)
		rc = td_app_make(&x->shape, &x->job->setup, err);
	if (!rc && tide)
		rc = open_runtime(x, err);
	for (unsigned i = 0; i < x->shape.arrays && !rc; i++)
		rc = is_paged(x, i) ? open_span(x, i, err) : open_plain(x, i, err);
	if (!rc)
		rc = open_sums(x, err);
	return rc ? rc : td_app_cuda(cudaDeviceSynchronize(), "wait for the GPU", err);
}

int td_app_close_tide(struct td_app_running *x, struct tide_error *err)
{
	struct tide_gpu *gpu = x->run.gpu;

	x->run.gpu = NULL;
	return gpu ? tide_gpu_close(gpu, err) : 0;
}

/* What goes wrong now was said before. */
void td_app_close(struct td_app_running *x)
{
	(void)td_app_close_tide(x, NULL);
	for (unsigned i = 0; i < TD_APP_ARRAYS; i++) {
		if (x->on_host[i])
			(void)cudaFreeHost(x->run.plain[i].at);
		else
			(void)cudaFree(x->run.plain[i].at);
		x->run.plain[i].at = NULL;
	}
	(void)cudaFree(x->sums);
	x->sums = NULL;
	(void)cudaGetLastError();
}

int td_app_copy_out(struct td_app_running *x, unsigned array, void *to, struct tide_error *err)
{
	uint64_t bytes = x->shape.array[array].bytes;

	if (is_paged(x, array))
		return tide_gpu_read(x->run.gpu, x->run.span[array], 0, to, bytes, err);
	return td_app_cuda(cudaMemcpy(to, x->run.plain[array].at, bytes, cudaMemcpyDefault),
			   "copy from the GPU", err);
}
