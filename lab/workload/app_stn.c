/* Stencil of Parboil: every inner cell of a box from its six neighbours and itself. A block is a
 * row of cells. */
#include <errno.h>

#include "gpu.h"

enum { A0, A1 };
enum { NX, NY, NZ, ITERS };
enum { SCALE, MODE, JITTER, PARAM_ITERS };
enum { THREADS_MOST = 1024 }; /* of a block, on any GPU */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{"iters", TIDE_PARAM_INT, "100", 1, 1000000, "launches, a time step each"},
	{0},
};

static bool relax(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	int64_t row = app->p[NX] * 4, plane = app->p[NY] * row, centre = row + plane;
	int64_t away[] = {plane, -plane, row, -row, 4, -4, 0};

	if (n < 7)
		*out = td_gpu_instr(l, (unsigned)n, (unsigned)l->arg[0], TD_GPU_READ,
				    centre + away[n], 4, 0);
	else
		*out = td_gpu_instr(l, 7, (unsigned)l->arg[1], TD_GPU_WRITE, centre, 4, 0);
	out->tx_from = 1;
	out->per_bx = row;
	out->per_by = plane;
	return n < 8;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid("stencil", (uint64_t)app->p[NY] - 2, (uint64_t)app->p[NZ] - 2,
			   (uint32_t)app->p[NX] - 1, 1);
	out->x_step = out->y_step = 0; /* per_bx and per_by say where a block is */
	out->arg[0] = i % 2 ? A1 : A0;
	out->arg[1] = i % 2 ? A0 : A1;
	out->instr = relax;
	return i < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[NX], 128, v[SCALE].r, 3, 8, err);

	if (!rc)
		rc = td_gpu_size(app, &app->p[NY], 128, v[SCALE].r, 3, 8, err);
	if (!rc)
		rc = td_gpu_size(app, &app->p[NZ], 32, v[SCALE].r, 3, 4, err);
	if (rc)
		return rc;
	if (app->p[NX] - 1 > THREADS_MOST)
		return tide_fail(err, -EINVAL,
				 "workload stn: scale=%g makes a block of more than %d threads: "
				 "give a smaller scale",
				 v[SCALE].r, THREADS_MOST);
	app->p[ITERS] = v[PARAM_ITERS].i;
	uint64_t bytes = (uint64_t)(app->p[NX] * app->p[NY] * app->p[NZ] * 4);
	td_gpu_add(app, "A0", bytes);
	td_gpu_add(app, "A1", bytes);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_stn = {
	.head =
		{
			.name = "stn",
			.paper = "CPPE",
			.type = "IV thrashing",
			.summary = "stencil of seven points over a box, time step by time step",
			.published_bytes = UINT64_C(4) << 20,
			.footprint_bytes = 4194304,
			.accesses = 12096000,
			.arrays = 2,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
