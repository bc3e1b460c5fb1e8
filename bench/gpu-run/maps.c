/* What the driver's calls cost by which `tide run --gpu-near` swaps a chunk, alone and beside other
 * work: microseconds, medians.
 *
 *     cc -O2 -Isrc -Iinclude bench/gpu-run/maps.c build/release/gpu_chunk.c -o maps -ldl -lpthread
 *     ./maps 32 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mech/vmm/cuda.h"

extern const unsigned char td_gpu_image[];

static struct td_cuda cuda;
static cu_result (*init)(unsigned), (*retain)(cu_context *, cu_device);
static cu_result (*new_context)(cu_context *, unsigned, cu_device);
static size_t bytes;
static cu_function hash;

#define MUST(call) \
	do { \
		cu_result rc_ = (call); \
		if (rc_) { \
			fprintf(stderr, "%s: error %d\n", #call, rc_); \
			exit(1); \
		} \
	} while (0)

static void load(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver)
		exit(77);
#define TD_CUDA(name, arguments) *(void **)&cuda.name = dlsym(driver, #name);
#include "mech/vmm/cuda.def"
#undef TD_CUDA
	*(void **)&init = dlsym(driver, "cuInit");
	*(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
	*(void **)&new_context = dlsym(driver, "cuCtxCreate_v2");
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static cu_piece make(int type)
{
	struct cu_piece_of what = {.type = CU_ALLOCATION_PINNED, .location = {type, 0}};
	cu_piece piece;
	MUST(cuda.cuMemCreate(&piece, bytes, &what, 0));
	return piece;
}

static void show(cu_ptr at, cu_piece piece)
{
	struct cu_access who = {{CU_LOCATION_DEVICE, 0}, CU_ACCESS_READ_WRITE};
	MUST(cuda.cuMemMap(at, bytes, 0, piece, 0));
	MUST(cuda.cuMemSetAccess(at, bytes, &who, 1));
}

static cu_ptr reserve(size_t size)
{
	cu_ptr at;
	MUST(cuda.cuMemAddressReserve(&at, size, 2 << 20, 0, 0));
	return at;
}

/* ---- what goes on beside ---- */

enum beside { NOTHING, ENGINE_IN, PINNED_IN, ENGINE_OUT, OTHER_IN, KERNEL_IN, LAUNCHES, BESIDES };
static const char *const beside_names[] = {"nothing",
					   "copies in by the engine",
					   "copies in of pinned memory",
					   "copies out by the engine",
					   "copies in, other context",
					   "a kernel reads host memory",
					   "small launches"};
static _Atomic int stop;
static cu_context context, other;
static cu_ptr other_card, other_host, pinned, result;

static void read_by_kernel(cu_ptr from, size_t n, cu_stream stream)
{
	uint64_t words = n / 8;
	void *params[] = {&from, &words, &result};
	MUST(cuda.cuLaunchKernel(hash, 32, 1, 1, 512, 1, 1, 0, stream, params, NULL));
}

static void *work_beside(void *arg)
{
	enum beside what = *(enum beside *)arg;
	cu_stream stream;
	cuda.cuCtxSetCurrent(what == OTHER_IN ? other : context);
	MUST(cuda.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
	while (!stop) {
		for (int i = 0; i < (what == LAUNCHES ? 64 : 2); i++) {
			if (what == ENGINE_IN || what == OTHER_IN)
				MUST(cuda.cuMemcpyDtoDAsync_v2(other_card, other_host, bytes,
							       stream));
			else if (what == PINNED_IN)
				MUST(cuda.cuMemcpyDtoDAsync_v2(other_card, pinned, bytes, stream));
			else if (what == ENGINE_OUT)
				MUST(cuda.cuMemcpyDtoDAsync_v2(other_host, other_card, bytes,
							       stream));
			else if (what == KERNEL_IN)
				read_by_kernel(other_host, bytes, stream);
			else
				read_by_kernel(other_card, 4096, stream);
		}
		MUST(cuda.cuStreamSynchronize(stream));
	}
	cuda.cuStreamDestroy_v2(stream);
	return NULL;
}

/* ---- swaps ---- */

enum { UNMAP_CARD, MAP_HOST, OPEN_HOST, UNMAP_HOST, MAP_CARD, OPEN_CARD, CALLS };
#define ROUNDS 40

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static void half(cu_ptr at, cu_piece piece, double *took)
{
	struct cu_access who = {{CU_LOCATION_DEVICE, 0}, CU_ACCESS_READ_WRITE};
	double t0 = now();
	MUST(cuda.cuMemUnmap(at, bytes));
	double t1 = now();
	MUST(cuda.cuMemMap(at, bytes, 0, piece, 0));
	double t2 = now();
	MUST(cuda.cuMemSetAccess(at, bytes, &who, 1));
	took[0] = t1 - t0;
	took[1] = t2 - t1;
	took[2] = now() - t2;
}

struct swaps {
	cu_ptr at;
	cu_piece card, host;
	double took[CALLS][ROUNDS];
	double seconds;
};

static void *swap(void *arg)
{
	struct swaps *s = arg;
	cuda.cuCtxSetCurrent(context);
	double since = now();
	for (int i = 0; i < ROUNDS; i++) {
		double took[3];
		half(s->at, s->host, took);
		for (int k = 0; k < 3; k++)
			s->took[k][i] = took[k];
		half(s->at, s->card, took);
		for (int k = 0; k < 3; k++)
			s->took[3 + k][i] = took[k];
	}
	s->seconds = (now() - since) / 1e6;
	return NULL;
}

static void measure(const char *what, cu_ptr at, bool home, int threads, enum beside beside)
{
	struct swaps s[2] = {{0}};
	pthread_t worker, thread[2];
	cu_ptr homes[2];
	for (int i = 0; i < threads; i++) {
		s[i].at = at + (size_t)i * bytes;
		s[i].card = make(CU_LOCATION_DEVICE);
		s[i].host = make(CU_LOCATION_HOST_NUMA);
		if (home)
			show(homes[i] = reserve(bytes), s[i].host);
		show(s[i].at, s[i].card);
	}
	stop = 0;
	if (beside)
		pthread_create(&worker, NULL, work_beside, &beside);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, swap, &s[i]);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	stop = 1;
	if (beside)
		pthread_join(worker, NULL);
	printf("%-12s %-9s %d %-27s", what, home ? "two maps" : "one map", threads,
	       beside_names[beside]);
	for (int k = 0; k < CALLS; k++) {
		qsort(s[0].took[k], ROUNDS, sizeof(double), ascending);
		printf(" %6.0f", s[0].took[k][ROUNDS / 2]);
	}
	printf("  %6.0f per swap\n", s[0].seconds * 1e6 / ROUNDS / threads);
	for (int i = 0; i < threads; i++) {
		cuda.cuMemUnmap(s[i].at, bytes);
		cuda.cuMemRelease(s[i].card);
		if (home)
			cuda.cuMemUnmap(homes[i], bytes);
		cuda.cuMemRelease(s[i].host);
	}
}

int main(int n, char **args)
{
	cu_module module;
	bytes = (size_t)(n > 1 ? atoi(args[1]) : 32) << 20;
	load();
	MUST(init(0));
	MUST(retain(&context, 0));
	MUST(cuda.cuCtxSetCurrent(context));
	MUST(cuda.cuModuleLoadData(&module, td_gpu_image));
	MUST(cuda.cuModuleGetFunction(&hash, module, "td_hash"));
	MUST(new_context(&other, 0, 0));
	MUST(cuda.cuCtxSetCurrent(context));
	other_card = reserve(bytes);
	show(other_card, make(CU_LOCATION_DEVICE));
	other_host = reserve(bytes);
	show(other_host, make(CU_LOCATION_HOST_NUMA));
	void *host;
	MUST(cuda.cuMemHostAlloc(&host, bytes, 0));
	pinned = (cu_ptr)(uintptr_t)host;
	result = reserve(bytes);
	show(result, make(CU_LOCATION_DEVICE));
	printf("%-12s %-9s %s %-27s %6s %6s %6s %6s %6s %6s\n", "addresses of", "host", "n",
	       "beside", "unmapC", "mapH", "openH", "unmapH", "mapC", "openC");
	cu_ptr small = reserve(2 * bytes), large = reserve((size_t)1 << 40);
	measure("two chunks", small, false, 1, NOTHING);
	measure("two chunks", small, true, 1, NOTHING);
	measure("1 TiB", large, true, 1, NOTHING);
	measure("1 TiB", large, true, 2, NOTHING);
	for (enum beside b = ENGINE_IN; b < BESIDES; b++)
		measure("1 TiB", large, true, 1, b);
	measure("1 TiB", large, true, 2, ENGINE_IN);
	measure("1 TiB", large, true, 2, OTHER_IN);
	measure("1 TiB", large, false, 1, OTHER_IN);
	measure("1 TiB", large, false, 1, ENGINE_IN);
	return 0;
}
