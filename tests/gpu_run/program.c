/* What the programs of this folder share. */
#include <string.h>

#include "program.h"

const struct driver *cu;

void program_begin(void)
{
	cu_device device;
	cu_context context;
	cu = driver();
	MUST(cuInit(0));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
}

void program_end(void)
{
	fprintf(stderr, "peak %llu\n", (unsigned long long)cu->fake_cuda_peak());
}

cu_module program_module(const struct fake_kernel *kernels, size_t n)
{
	struct fake_image *image = calloc(1, sizeof *image);
	if (!image)
		abort();
	memcpy(image->magic, FAKE_IMAGE, sizeof FAKE_IMAGE);
	image->kernels = kernels;
	image->kernels_n = n;
	cu_module module;
	MUST(cuModuleLoadData(&module, image));
	return module;
}

uint64_t program_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 27;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

uint64_t program_sum(uint64_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t word;
		memcpy(&word, at + i, sizeof word);
		sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
		sum ^= sum >> 29;
	}
	for (size_t i = bytes & ~(size_t)7; i < bytes; i++)
		sum = program_mix(sum + at[i]);
	return sum;
}
