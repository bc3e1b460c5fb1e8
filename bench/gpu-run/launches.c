/* What a launch costs the processor, in nanoseconds: the median of ten times 20,000 launches of a
 * kernel with three arguments, all memory on the card. Prints one JSON line.
 *
 *     cc -O2 -Isrc -Iinclude bench/gpu-run/launches.c build/release/gpu_chunk.c -o launches -ldl
 *     ./launches; tide run --gpu-near 8G -- ./launches */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mech/vmm/cuda.h"

#define BUFFERS 256
#define ROUNDS 10
#define LAUNCHES 20000

extern const unsigned char td_gpu_image[];

static void *driver;

#define CALL(name, types, ...) \
	do { \
		cu_result(*f_) types = (cu_result(*) types)dlsym(driver, #name); \
		cu_result rc_ = f_(__VA_ARGS__); \
		if (rc_) { \
			fprintf(stderr, "%s: error %d\n", #name, rc_); \
			exit(1); \
		} \
	} while (0)

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

int main(void)
{
	cu_context context;
	cu_module module;
	cu_function hash;
	cu_ptr buffer[BUFFERS], result;
	uint64_t words = 16;
	double took[ROUNDS];
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver)
		return 77;
	CALL(cuInit, (unsigned), 0);
	CALL(cuDevicePrimaryCtxRetain, (cu_context *, cu_device), &context, 0);
	CALL(cuCtxSetCurrent, (cu_context), context);
	CALL(cuModuleLoadData, (cu_module *, const void *), &module, td_gpu_image);
	CALL(cuModuleGetFunction, (cu_function *, cu_module, const char *), &hash, module, "td_hash");
	for (int i = 0; i < BUFFERS; i++)
		CALL(cuMemAlloc_v2, (cu_ptr *, size_t), &buffer[i], 4 << 20);
	CALL(cuMemAlloc_v2, (cu_ptr *, size_t), &result, 4096);
	cu_result (*launch)(cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			    unsigned, cu_stream, void **, void **);
	*(void **)&launch = dlsym(driver, "cuLaunchKernel");
	for (int r = 0; r < ROUNDS; r++) {
		double since = now_ns();
		for (int i = 0; i < LAUNCHES; i++) {
			void *params[] = {&buffer[i % BUFFERS], &words, &result};
			if (launch(hash, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL))
				return 1;
			if (i % 500 == 499)
				CALL(cuCtxSynchronize, (void), );
		}
		took[r] = (now_ns() - since) / LAUNCHES;
	}
	qsort(took, ROUNDS, sizeof *took, ascending);
	printf("{\"launch_ns\": %.0f}\n", took[ROUNDS / 2]);
	return 0;
}
