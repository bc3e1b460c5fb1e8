/* The kernel of the self-test under pressure, with nothing that PTX does not promise. */
#define TIDE_STRICT
#include "pressure_ops.cuh"

int td_gpu_press_strict(struct tide_gpu *g, struct shape shape, const struct pressure_job *job,
			struct tide_error *err)
{
	double ns;
	return run_kernel(g, &ns, err, shape, press_kernel, *job);
}
