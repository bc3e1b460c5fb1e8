/* MRI-Q of Parboil: magnitudes of the samples, then a pass over all voxels per 1024 samples, which
 * it has in constant memory. */
#include "gpu.h"

enum { PHI_R, PHI_I, PHI_MAG, X, Y, Z, QR, QI };
enum { N, LAUNCHES };
enum { SCALE, MODE, JITTER, PARAM_LAUNCHES };
enum { SAMPLES = 1024 }; /* of one launch */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{"launches", TIDE_PARAM_INT, "2", 1, 1000000, "passes, 1024 samples each"},
	{0},
};

static bool magnitudes(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		       struct td_gpu_instr *out)
{
	(void)app;
	*out = td_gpu_instr(l, 7 + (unsigned)n, PHI_R + (unsigned)n, n == 2, 0, 4, 0);
	return n < 3;
}

static bool voxels(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	(void)app;
	if (n < 5)
		*out = td_gpu_instr(l, (unsigned)n, X + (unsigned)n, TD_GPU_READ, 0, 4, 0);
	else
		*out = td_gpu_instr(l, (unsigned)n, QR + (unsigned)n - 5, TD_GPU_WRITE, 0, 4, 0);
	return n < 7;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t launches = (uint64_t)app->p[LAUNCHES];

	*out = i ? td_gpu_grid("voxels", (uint64_t)app->p[N] / 256, 1, 256, 1)
		 : td_gpu_grid("magnitudes", launches * SAMPLES / 512, 1, 512, 1);
	out->instr = i ? voxels : magnitudes;
	return i <= launches;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 262144, v[SCALE].r, 1, 256, err);

	if (rc)
		return rc;
	static const char *const names[] = {"phiR", "phiI", "phiMag", "x", "y", "z", "Qr", "Qi"};
	app->p[LAUNCHES] = v[PARAM_LAUNCHES].i;
	for (unsigned i = 0; i < 8; i++)
		td_gpu_add(app, names[i],
			   4 * (uint64_t)(i < X ? app->p[LAUNCHES] * SAMPLES : app->p[N]));
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_mrq = {
	.head =
		{
			.name = "mrq",
			.paper = "CPPE",
			.type = "IV thrashing",
			.summary = "passes over the voxels of an image",
			.published_bytes = UINT64_C(5) << 20,
			.footprint_bytes = 5267456,
			.accesses = 114880,
			.arrays = 8,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
