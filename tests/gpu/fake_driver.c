/* A libtide_cuda.so without CUDA, for the tests of what loads it: it has one GPU, or says why not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mech/cuda/driver.h"
#include "pool/device.h"

#ifndef API
#define API TD_GPU_DRIVER_API
#endif
#ifndef POOL_API
#define POOL_API TD_POOL_MODULE_API
#endif

static int info(struct tide_gpu_info *info, int device, struct tide_error *err)
{
	const char *missing = getenv("FAKE_MISSING");

	if (missing)
		return tide_fail(err, -ENODEV, "%s", missing);
	if (device > 0)
		return tide_fail(err, -ENODEV, "no GPU %d, there is one: give --device 0", device);
	*info = (struct tide_gpu_info){.size = sizeof(struct tide_gpu_info),
				       .devices = 1,
				       .multiprocessors = 2,
				       .memory_bytes = 1u << 30};
	strcpy(info->name, "Fake GPU");
	return 0;
}

extern const struct td_gpu_driver tide_cuda_driver;
const struct td_gpu_driver tide_cuda_driver = {
	.api = API, .size = sizeof(struct td_gpu_driver), .info = info};

/* Device memory of the pool: there is none left. */
static int alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	(void)state;
	return tide_fail(err, -ENOMEM, "no %llu bytes on the fake GPU",
			 (unsigned long long)want->slots * want->slot_bytes);
}

static void give_back(void *state)
{
	(void)state;
}

static const struct td_pool_device device = {.name = "cuda", .alloc = alloc, .free = give_back};

const struct td_pool_module tide_cuda_pool = {
	.api = POOL_API, .size = sizeof device, .device = &device};
