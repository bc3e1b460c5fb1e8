/* Random reads by kernels that rely on nothing that PTX does not promise. */
#define TIDE_STRICT
#include "random.cuh"

int td_gpu_random_strict(struct elements *x, struct tide_error *err)
{
	int rc = time_tide<BY_READ, 4>(*x, "tide_read, TIDE_STRICT", err);
	return rc ? rc : time_tide<BY_READ, 8>(*x, "tide_read, TIDE_STRICT", err);
}
