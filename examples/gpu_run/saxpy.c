/* Adds vectors on the GPU, again and again, in arrays that are together larger than the GPU memory
 * that tide gives it. It knows nothing of tide, and needs no CUDA toolkit: it opens the driver's
 * library itself, and its kernel is text that the driver translates.
 *
 *     cc -O2 -o saxpy examples/gpu_run/saxpy.c -ldl
 *     ./saxpy 8 3                                    # 8 GiB, three passes
 *     tide run --gpu-near 4G -- ./saxpy 8 3          # the same sums in half the memory
 *
 * usage: saxpy [GIB [PASSES]] */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ARRAY_BYTES ((size_t)256 << 20)
#define ARRAY_FLOATS (ARRAY_BYTES / sizeof(float))
#define ARRAYS_MOST 1024
#define THREADS 256

typedef uint64_t address;
typedef struct driver_thing *handle;

/* What is used of the driver, by the names that its library exports. */
#define DRIVER(CALL) \
	CALL(cuInit, (unsigned)) \
	CALL(cuDeviceGet, (int *, int)) \
	CALL(cuDevicePrimaryCtxRetain, (handle *, int)) \
	CALL(cuCtxSetCurrent, (handle)) \
	CALL(cuCtxSynchronize, (void)) \
	CALL(cuModuleLoadData, (handle *, const void *)) \
	CALL(cuModuleGetFunction, (handle *, handle, const char *)) \
	CALL(cuMemAlloc_v2, (address *, size_t)) \
	CALL(cuMemFree_v2, (address)) \
	CALL(cuMemsetD32_v2, (address, unsigned, size_t)) \
	CALL(cuMemcpyDtoH_v2, (void *, address, size_t)) \
	CALL(cuLaunchKernel, (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
			      unsigned, handle, void **, void **))

static struct {
#define CALL(name, arguments) int(*name) arguments;
	DRIVER(CALL)
#undef CALL
} cu;

/* y[i] += a * x[i], a thread for each i. */
static const char ptx[] = ".version 6.4\n"
			  ".target sm_75\n"
			  ".address_size 64\n"
			  ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a)\n"
			  "{\n"
			  ".reg .b32 %r<4>;\n"
			  ".reg .b64 %d<4>;\n"
			  ".reg .f32 %f<4>;\n"
			  "mov.u32 %r0, %ctaid.x;\n"
			  "mov.u32 %r1, %ntid.x;\n"
			  "mov.u32 %r2, %tid.x;\n"
			  "mad.lo.u32 %r3, %r0, %r1, %r2;\n"
			  "mul.wide.u32 %d0, %r3, 4;\n"
			  "ld.param.u64 %d1, [y];\n"
			  "ld.param.u64 %d2, [x];\n"
			  "cvta.to.global.u64 %d1, %d1;\n"
			  "cvta.to.global.u64 %d2, %d2;\n"
			  "add.u64 %d1, %d1, %d0;\n"
			  "add.u64 %d2, %d2, %d0;\n"
			  "ld.param.f32 %f0, [a];\n"
			  "ld.global.f32 %f1, [%d1];\n"
			  "ld.global.f32 %f2, [%d2];\n"
			  "fma.rn.f32 %f3, %f0, %f2, %f1;\n"
			  "st.global.f32 [%d1], %f3;\n"
			  "ret;\n"
			  "}\n";

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "saxpy: %s: CUDA error %d%s\n", what, error,
		error == 2 ? ", out of memory" : "");
	exit(1);
}

#define MUST(call) must(cu.call, #call)

static void load_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!library) {
		fprintf(stderr, "saxpy: %s\n", dlerror());
		exit(1);
	}
#define CALL(name, arguments) \
	cu.name = (int(*) arguments)dlsym(library, #name); \
	must(!cu.name, "no " #name);
	DRIVER(CALL)
#undef CALL
}

static handle load_kernel(void)
{
	handle context, module, kernel;
	int device;

	MUST(cuInit(0));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	MUST(cuModuleLoadData(&module, ptx));
	MUST(cuModuleGetFunction(&kernel, module, "saxpy"));
	return kernel;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Every array but the first gets a * the one before it. */
static void pass(handle kernel, address *arrays, size_t n, float a)
{
	for (size_t i = 1; i < n; i++) {
		void *arguments[] = {&arrays[i], &arrays[i - 1], &a};
		MUST(cuLaunchKernel(kernel, ARRAY_FLOATS / THREADS, 1, 1, THREADS, 1, 1, 0, NULL,
				    arguments, NULL));
	}
	MUST(cuCtxSynchronize());
}

/* The same with one number for each array, since all numbers of an array are the same. */
static void pass_here(float *values, size_t n, float a)
{
	for (size_t i = 1; i < n; i++)
		values[i] += a * values[i - 1];
}

static size_t count_wrong(const address *arrays, const float *values, size_t n)
{
	float *got = malloc(ARRAY_BYTES);
	size_t wrong = 0;

	must(!got, "no memory for an array");
	for (size_t i = 0; i < n; i++) {
		MUST(cuMemcpyDtoH_v2(got, arrays[i], ARRAY_BYTES));
		for (size_t k = 0; k < ARRAY_FLOATS; k++)
			wrong += got[k] != values[i];
	}
	free(got);
	return wrong;
}

int main(int argc, char **argv)
{
	static address arrays[ARRAYS_MOST];
	static float values[ARRAYS_MOST];
	size_t n = (size_t)(argc > 1 ? atoi(argv[1]) : 8) * 4, wrong;
	int passes = argc > 2 ? atoi(argv[2]) : 3;
	handle kernel;

	if (n < 4 || n > ARRAYS_MOST || passes < 1 || passes > 20)
		return fprintf(stderr, "usage: saxpy [GIB [PASSES]]\n"), 2;
	load_driver();
	kernel = load_kernel();
	for (size_t i = 0; i < n; i++) {
		MUST(cuMemAlloc_v2(&arrays[i], ARRAY_BYTES));
		MUST(cuMemsetD32_v2(arrays[i], 0x3f800000, ARRAY_FLOATS)); /* 1.0f */
		values[i] = 1;
	}
	for (int p = 0; p < passes; p++) {
		double begun = seconds();
		pass(kernel, arrays, n, 0.5f);
		pass_here(values, n, 0.5f);
		printf("pass %d: %.3f s\n", p, seconds() - begun);
	}
	wrong = count_wrong(arrays, values, n);
	printf("%zu wrong numbers of %zu\n", wrong, n * ARRAY_FLOATS);
	for (size_t i = 0; i < n; i++)
		MUST(cuMemFree_v2(arrays[i]));
	return wrong ? 1 : 0;
}
