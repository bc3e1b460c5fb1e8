/* What libtide finds behind the door. */
#include "runtime.h"

static int info(struct tide_gpu_info *i, int device, struct tide_error *err)
{
	return td_cuda_device.info(i, device, err);
}

const struct td_gpu_driver tide_cuda_driver = {
	.api = TD_GPU_DRIVER_API,
	.size = sizeof(struct td_gpu_driver),
	.open = td_cuda_open,
	.array = td_cuda_array,
	.begin = td_cuda_begin,
	.end = td_cuda_end,
	.sync = td_cuda_sync,
	.read = td_cuda_read,
	.write = td_cuda_write,
	.reset = td_cuda_reset,
	.stats = td_cuda_stats,
	.stats_json = td_cuda_stats_json,
	.check = td_cuda_check,
	.close = td_cuda_close,
	.info = info,
	.demote = td_cuda_demote,
	.kernels = td_cuda_kernels,
};
