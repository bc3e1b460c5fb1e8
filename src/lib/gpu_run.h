/* The options of tide run for GPU memory, checked before a program starts. */
#ifndef TD_LIB_GPU_RUN_H
#define TD_LIB_GPU_RUN_H

#include <stdint.h>

#include "tide/error.h"

/* Chunks consist of pages of this size, the smallest that the driver maps. */
#define TD_GPU_PAGE_BYTES (UINT64_C(2) << 20)

/* What an option that is not given means. */
#define TD_GPU_EVICT "recur"
#define TD_GPU_PREFETCH "follow"
#define TD_GPU_TRUST "none"
#define TD_GPU_CHUNK "32M"
#define TD_GPU_THRESHOLD "1M"

/* As people write them. NULL: not given. */
struct td_lib_gpu_run {
	const char *near_size, *host, *evict, *prefetch, *chunk, *threshold, *seed;
};

/* The same as numbers. */
struct td_lib_gpu_sizes {
	uint64_t near_bytes, chunk_bytes, threshold_bytes;
	uint64_t host_bytes; /* UINT64_MAX: as much as there is */
};

/* Are the sizes right, and can the policies live on a GPU run? */
int td_lib_gpu_run_check(const struct td_lib_gpu_run *run, struct td_lib_gpu_sizes *sizes,
			 struct tide_error *err);

#endif
