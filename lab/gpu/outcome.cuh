/* What came out of a run, and whether it is right. */
#ifndef TD_GPU_APPS_OUTCOME_CUH
#define TD_GPU_APPS_OUTCOME_CUH

#include "memory.cuh"

struct td_app_outcome {
	uint64_t time_ns, launches, checksum;
	uint64_t sums[TD_APP_ARRAYS];
	bool has_checksum;
	int verified; /* -1: not asked for */
	char reason[256];
	bool has_stats;
	struct tide_gpu_stats stats;
	char *stats_json;
};

/* Sums of results, on the GPU: those that are read back as part of the application, or all others.
 */
int td_app_sum_results(struct td_app_running *x, bool read_back, struct tide_error *err);
/* All sums as one number, compared with what is expected. */
int td_app_take_checksum(struct td_app_running *x, struct td_app_outcome *o,
			 struct tide_error *err);
/* Every word of the results with the processor's. */
int td_app_compare(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err);
/* After the end: are the results on storage what the GPU had? */
int td_app_check_files(struct td_app_running *x, struct td_app_outcome *o, struct tide_error *err);

#endif
