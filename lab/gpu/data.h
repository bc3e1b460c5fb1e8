/* First contents on storage, and what is read from there. A file per array, made once and used by
 * every run of the process; what kernels write is made again for each, so that nothing of the run
 * before, which had the same results, can stand in for what got lost. */
#ifndef TD_GPU_APPS_DATA_H
#define TD_GPU_APPS_DATA_H

#include "gpu/tools.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

int td_app_path(char path[TD_GPU_PATH], const struct td_app_shape *s, unsigned array,
		const struct td_gpu_setup *setup, struct tide_error *err);

/* Makes the graph, and the dimensions that depend on it. Call it before anything is filled. */
int td_app_prepare(struct td_app_shape *s, const struct td_gpu_setup *setup,
		   struct tide_error *err);
/* Files of all arrays that are not near. */
int td_app_make(const struct td_app_shape *s, const struct td_gpu_setup *setup,
		struct tide_error *err);
/* Removes them all; with `graph` also those of the graph. */
void td_app_remove(const struct td_app_shape *s, const struct td_gpu_setup *setup, bool graph);

/* The first content of a whole array. */
int td_app_load(const struct td_app_shape *s, unsigned array, const struct td_gpu_setup *setup,
		void *to, struct tide_error *err);

/* Of the file of an array, as it is now on storage. */
int td_app_file_sum(const struct td_app_shape *s, unsigned array, const struct td_gpu_setup *setup,
		    uint64_t *sum, struct tide_error *err);

/* All results by the processor alone: array[k] for k below s->arrays, each to be freed. */
int td_app_refer(const struct td_app_shape *s, const struct td_gpu_setup *setup,
		 void *array[TD_APP_ARRAYS], struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
