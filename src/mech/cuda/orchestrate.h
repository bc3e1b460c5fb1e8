/* Host orchestration: warps post faults, and a thread of the processor serves them by the engine
 * and any policy of `tide policies`. The rest of the runtime calls these where
 * set.host_orchestrated. */
#ifndef TD_MECH_CUDA_ORCHESTRATE_H
#define TD_MECH_CUDA_ORCHESTRATE_H

#include <jansson.h>

#include "runtime.h"

/* Last of all that is opened, first that is closed; sets and clears g->orchestrator. */
int td_cuda_orchestrate_open(struct tide_gpu *g, const struct tide_gpu_options *o,
			     struct tide_error *err);
void td_cuda_orchestrate_close(struct tide_gpu *g);

/* Where an array of so many pages begins, from *first on. -ENOSPC: host memory has no room. */
int td_cuda_orchestrate_place(const struct tide_gpu *g, uint64_t pages, uint64_t *first,
			      struct tide_error *err);

/* Before a kernel starts: is near memory large enough for its pins, and how many pages may a warp
 * ask for at once? After it has ended and the rings are empty: the tables are whole again. */
int td_cuda_orchestrate_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, uint32_t *window,
			      struct tide_error *err);
int td_cuda_orchestrate_end(struct tide_gpu *g, struct tide_error *err);

/* The tables are as at the start; so is the engine afterwards. */
int td_cuda_orchestrate_reset(struct tide_gpu *g, struct tide_error *err);

/* What the engine counted and what was moved, into stats that have the GPU's already. */
void td_cuda_orchestrate_stats(struct tide_gpu *g, struct tide_gpu_stats *stats);
json_t *td_cuda_orchestrate_policy(struct tide_gpu *g); /* what policies want said, or NULL */

#endif
