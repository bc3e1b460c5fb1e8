/* Multiplies every number of a file of doubles on the GPU, with less GPU memory than the file has
 * bytes. usage: gpu_scale FILE FACTOR [NEAR] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <tide/device.cuh>

/* The warps share the pages; the 32 lanes of a warp walk through its page side by side. */
__global__ void scale(tide_span data, double factor)
{
	uint64_t n = data.bytes / sizeof(double), warps = (uint64_t)gridDim.x * blockDim.x / 32;
	uint64_t warp = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	tide_cursor<double> at(data);

	for (uint64_t i = warp * at.per_page(); i < n; i += warps * at.per_page()) {
		double *page = at.write(i);
		for (uint64_t k = threadIdx.x % 32; k < at.per_page() && i + k < n; k += 32)
			page[k] *= factor;
	}
}

int main(int argc, char **argv)
{
	struct tide_gpu_options options = {};
	options.size = sizeof options;
	struct tide_gpu_array_options how = {};
	how.size = sizeof how;
	struct tide_error err = {};
	struct tide_gpu *gpu = NULL;
	struct tide_span data;

	if (argc < 3)
		return fprintf(stderr, "usage: gpu_scale FILE FACTOR [NEAR]\n"), 2;
	options.near_size = argc > 3 ? argv[3] : "256M";
	options.host = "1G";
	how.path = argv[1];
	how.writable = true;
	int rc = tide_gpu_open(&gpu, &options, &err);
	if (!rc)
		rc = tide_gpu_array(gpu, &data, 0, &how, &err);
	if (!rc)
		rc = tide_launch(gpu, &err, 64, 128, 1, scale, data, atof(argv[2]));
	if (!rc)
		rc = tide_gpu_sync(gpu, &err); /* now the file has everything */
	if (rc)
		fprintf(stderr, "gpu_scale: %s\n", err.text);
	tide_gpu_close(gpu, NULL);
	return rc == -ENODEV ? 3 : rc ? 1 : 0;
}
