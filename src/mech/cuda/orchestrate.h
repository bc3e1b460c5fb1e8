/* Host orchestration: warps post faults, and a thread of the processor serves them with the engine
 * and any policy of `tide policies`. The rest of the runtime calls these functions if
 * set.host_orchestrated is set. */
#ifndef TD_MECH_CUDA_ORCHESTRATE_H
#define TD_MECH_CUDA_ORCHESTRATE_H

#include <jansson.h>

#include "runtime.h"

/* Opened after everything else, and closed first. They set and clear g->orchestrator. */
int td_cuda_orchestrate_open(struct tide_gpu *g, const struct tide_gpu_options *o,
			     struct tide_error *err);
void td_cuda_orchestrate_close(struct tide_gpu *g);
/* Before that: completes the log, and says what a policy did wrong. */
int td_cuda_orchestrate_finish(struct tide_gpu *g, struct tide_error *err);

/* Finds the place of an array of so many pages, from *first on. -ENOSPC: host memory has no room.
 * */
int td_cuda_orchestrate_place(const struct tide_gpu *g, uint64_t pages, uint64_t *first,
			      struct tide_error *err);

/* begin: is near memory large enough for the kernel's pins, and how many pages may a warp ask for
 * at once? end: after the kernel has ended and the rings are empty, the tables are complete again.
 * */
int td_cuda_orchestrate_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, uint32_t *window,
			      struct tide_error *err);
int td_cuda_orchestrate_end(struct tide_gpu *g, struct tide_error *err);

/* Called when the tables are as at the start. Afterwards the engine is too. */
int td_cuda_orchestrate_reset(struct tide_gpu *g, struct tide_error *err);

/* Adds what the engine counted and what was moved to stats that already have the GPU's counts. */
void td_cuda_orchestrate_stats(struct tide_gpu *g, struct tide_gpu_stats *stats);
/* Adds what policies want said. */
int td_cuda_orchestrate_policy(struct tide_gpu *g, json_t *to, struct tide_error *err);

/* look: whoever waits calls it again and again. -ETIMEDOUT: a policy has not returned for the
 * runtime's timeout; g->stuck is set. late: says so again; 0: none was late. */
int td_cuda_orchestrate_look(struct tide_gpu *g, struct tide_error *err);
int td_cuda_orchestrate_late(const struct tide_gpu *g, struct tide_error *err);

#endif
