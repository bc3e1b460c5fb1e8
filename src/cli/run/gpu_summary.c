/* What came of a run on a GPU. */
#include "run.h"

void td_run_gpu_summary(struct td_run *r)
{
	if (!atomic_load(&r->gpu.slots->used))
		fprintf(stderr, "tide %s: no GPU memory was managed\n", r->verb);
}
