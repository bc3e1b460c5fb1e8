/* The kernel of the self-test under pressure, with checks of its calls, none of which may fail. */
#define TIDE_DEVICE_CHECK
#include "pressure_ops.cuh"

int td_gpu_press_checked(struct tide_gpu *g, struct shape shape, const struct pressure_job *job,
			 struct tide_error *err)
{
	double ns;
	return run_kernel(g, &ns, err, shape, press_kernel, *job);
}
