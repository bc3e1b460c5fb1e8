/* The table behind the door of tide/gpu.h: one function per call of it.
 *
 * libtide_cuda.so exports one, tide_cuda_driver, and libtide finds it there with dlsym(). What it
 * opens begins with the address of the table, so that the door need not remember whose it is. */
#ifndef TD_MECH_CUDA_DRIVER_H
#define TD_MECH_CUDA_DRIVER_H

#include "core/handle.h"
#include "tide/gpu.h"

#define TD_GPU_DRIVER_API 4
#define TD_GPU_DRIVER_SYMBOL "tide_cuda_driver"

struct td_gpu_driver {
	uint32_t api;  /* TD_GPU_DRIVER_API */
	uint32_t size; /* of this struct */
	int (*open)(struct tide_gpu **out, const struct tide_gpu_options *options,
		    struct tide_error *err);
	int (*array)(struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
		     const struct tide_gpu_array_options *how, struct tide_error *err);
	int (*begin)(struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err);
	int (*end)(struct tide_gpu *g, struct tide_error *err);
	int (*sync)(struct tide_gpu *g, struct tide_error *err);
	int (*read)(struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to,
		    uint64_t bytes, struct tide_error *err);
	int (*write)(struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
		     uint64_t bytes, struct tide_error *err);
	int (*reset)(struct tide_gpu *g, struct tide_error *err);
	int (*stats)(struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err);
	int (*stats_json)(struct tide_gpu *g, char **text, struct tide_error *err);
	int (*check)(struct tide_gpu *g, struct tide_error *err);
	int (*close)(struct tide_gpu *g, struct tide_error *err);
	int (*info)(struct tide_gpu_info *info, int device, struct tide_error *err);
	int (*demote)(struct tide_gpu *g, struct tide_span array, struct tide_error *err);
	int (*kernels)(struct tide_gpu *g, const struct tide_gpu_layout *kernels,
		       struct tide_error *err);
	int (*number)(const struct tide_gpu *g); /* of its GPU */
};

/* How a struct tide_gpu begins. */
struct td_gpu_head {
	struct td_handle handle; /* the door's */
	const struct td_gpu_driver *driver;
};

extern const struct td_gpu_driver tide_cuda_driver;

#endif
