/* Where the arrays of a run are, and how they get there. */
#ifndef TD_GPU_APPS_MEMORY_CUH
#define TD_GPU_APPS_MEMORY_CUH

#include "access.cuh"
#include "data.h"

struct td_app_running {
	const struct td_gpu_app_job *job;
	struct td_app_shape shape;
	struct td_app_run run;
	bool on_host[TD_APP_ARRAYS]; /* pinned memory */
	uint64_t *sums;              /* of results, on the GPU */
};

/* Makes files, opens the runtime, and fills what is not in files. What a failure leaves is for
 * td_app_close() too. */
int td_app_open(struct td_app_running *x, struct tide_error *err);
/* The runtime alone: everything is in the files then. */
int td_app_close_tide(struct td_app_running *x, struct tide_error *err);
void td_app_close(struct td_app_running *x);

/* A whole array, as it is now. */
int td_app_copy_out(struct td_app_running *x, unsigned array, void *to, struct tide_error *err);

#endif
