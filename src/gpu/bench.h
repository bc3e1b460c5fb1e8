/* Between the files of the micro benches: one function per part, which fills a table. */
#ifndef TD_GPU_BENCH_H
#define TD_GPU_BENCH_H

#include "tools.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0, or why it could not measure on. Rows that were measured before stay in the table. */
typedef int td_gpu_micro(const struct td_gpu_setup *s, struct td_gpu_table *table,
			 struct tide_error *err);

td_gpu_micro td_gpu_bench_hit;
td_gpu_micro td_gpu_bench_random;
td_gpu_micro td_gpu_bench_cached;
td_gpu_micro td_gpu_bench_miss;
td_gpu_micro td_gpu_bench_sweep;
td_gpu_micro td_gpu_bench_storage;
td_gpu_micro td_gpu_bench_methods;
td_gpu_micro td_gpu_bench_skew;
td_gpu_micro td_gpu_bench_batch;
td_gpu_micro td_gpu_bench_serve;
td_gpu_micro td_gpu_bench_pool;
td_gpu_micro td_gpu_bench_signatures;

/* What the hardware gives: copies over the bus, flags, memory of the GPU, the disk. */
td_gpu_micro td_gpu_limits_bus;
td_gpu_micro td_gpu_limits_zero_copy;
td_gpu_micro td_gpu_limits_device;
td_gpu_micro td_gpu_limits_disk;

extern const struct td_gpu_part td_gpu_micros[];
int td_gpu_bench(const struct td_gpu_bench_options *o, struct td_gpu_result **out,
		 struct tide_error *err);
int td_gpu_info(const struct td_gpu_setup *s, struct td_gpu_result **out, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
