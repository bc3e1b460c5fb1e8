/* What libtide finds behind the door. Every call makes its GPU current in the caller's thread, and
 * leaves the thread as it was. A GPU that cannot be made current is lost: the call itself says so,
 * and better. */
#include "runtime.h"

#define CALL(name, given, passed) \
	static int name given \
	{ \
		td_cuda_device.enter(&g->thread, g->set.device, NULL); \
		int rc = td_cuda_##name passed; \
		td_cuda_device.leave(&g->thread); \
		return rc; \
	}

/* clang-format off */
CALL(array, (struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
	     const struct tide_gpu_array_options *how, struct tide_error *err),
     (g, out, bytes, how, err))
CALL(begin, (struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err),
     (g, warps, pins, err))
CALL(end, (struct tide_gpu *g, struct tide_error *err), (g, err))
CALL(sync, (struct tide_gpu *g, struct tide_error *err), (g, err))
CALL(read, (struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to, uint64_t bytes,
	    struct tide_error *err), (g, array, offset, to, bytes, err))
CALL(write, (struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
	     uint64_t bytes, struct tide_error *err), (g, array, offset, from, bytes, err))
CALL(reset, (struct tide_gpu *g, struct tide_error *err), (g, err))
CALL(stats, (struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err),
     (g, stats, err))
CALL(stats_json, (struct tide_gpu *g, char **text, struct tide_error *err), (g, text, err))
CALL(check, (struct tide_gpu *g, struct tide_error *err), (g, err))
CALL(demote, (struct tide_gpu *g, struct tide_span array, struct tide_error *err), (g, array, err))
/* clang-format on */

static int info(struct tide_gpu_info *i, int device, struct tide_error *err)
{
	struct td_cuda_current thread = {0};
	int rc = td_cuda_device.enter(&thread, device, err);
	if (!rc)
		rc = td_cuda_device.info(i, device, err);
	td_cuda_device.leave(&thread);
	return rc;
}

static int number(const struct tide_gpu *g)
{
	return g->set.device;
}

const struct td_gpu_driver tide_cuda_driver = {
	.api = TD_GPU_DRIVER_API,
	.size = sizeof(struct td_gpu_driver),
	.open = td_cuda_open,
	.array = array,
	.begin = begin,
	.end = end,
	.sync = sync,
	.read = read,
	.write = write,
	.reset = reset,
	.stats = stats,
	.stats_json = stats_json,
	.check = check,
	.close = td_cuda_close,
	.info = info,
	.demote = demote,
	.kernels = td_cuda_kernels,
	.number = number,
};
