/* A libtide_cuda.so without CUDA, for the tests of what loads it: it has one GPU, or says why not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mech/cuda/driver.h"

#ifndef API
#define API TD_GPU_DRIVER_API
#endif

static int info(struct tide_gpu_info *info, int device, struct tide_error *err)
{
	const char *missing = getenv("FAKE_MISSING");

	if (missing)
		return tide_fail(err, -ENODEV, "%s", missing);
	if (device > 0)
		return tide_fail(err, -ENODEV, "no GPU %d, there is one: give --device 0", device);
	*info = (struct tide_gpu_info){
		.devices = 1, .multiprocessors = 2, .memory_bytes = 1u << 30};
	strcpy(info->name, "Fake GPU");
	return 0;
}

extern const struct td_gpu_driver tide_cuda_driver;
const struct td_gpu_driver tide_cuda_driver = {
	.api = API, .size = sizeof(struct td_gpu_driver), .info = info};
