/* C += A1, C += A2, .. C += A5, one launch each. Few warps, each the owner of consecutive pages,
 * of which it finishes one before it turns to the next. */
#include "gmt.h"

enum { INPUTS = 5, C = INPUTS };
enum { ELEMENTS, WARP_PAGES };
enum { PAGE_ELEMENTS = TD_GMT_PAGE_BYTES / 8 };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096", "2"),
	{0},
};

/* Page n / 3 of every warp: A is read, then C is read and written. */
static bool add(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		struct td_gpu_instr *out)
{
	int64_t page = (int64_t)(n / 3), pc = (int64_t)(n % 3);
	unsigned array = pc == 0 ? (unsigned)l->arg[0] : C;

	*out = td_gpu_instr(l, (unsigned)pc, array, pc == 2, page * TD_GMT_PAGE_BYTES, 8, 0);
	out->times = PAGE_ELEMENTS / TD_GPU_LANES;
	out->x_per_time = TD_GPU_LANES;
	out->x_to = app->p[ELEMENTS] - page * PAGE_ELEMENTS;
	return page < app->p[WARP_PAGES];
}

/* One warp per multiprocessor: as many pages in use at a time, for the size of the near memory, as
 * with all warps and the paper's sizes. */
static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid("add", app->machine->sms, 1, TD_GPU_LANES, 1);
	out->x_step = app->p[WARP_PAGES] * PAGE_ELEMENTS;
	out->arg[0] = (int64_t)i;
	out->instr = add;
	return i < INPUTS;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	static const char *const names[] = {"A1", "A2", "A3", "A4", "A5", "C"};
	int64_t elements = td_gmt_count(v, 8 * (INPUTS + 1), PAGE_ELEMENTS);
	int64_t pages = elements / PAGE_ELEMENTS;

	app->p[ELEMENTS] = elements;
	app->p[WARP_PAGES] = (pages + app->machine->sms - 1) / app->machine->sms;
	for (unsigned i = 0; i < INPUTS + 1; i++)
		td_gpu_add(app, names[i], (uint64_t)elements * 8);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_multivectoradd = {
	.head =
		{
			.name = "multivectoradd",
			.paper = "GMT",
			.type = "Tier-2",
			.summary = "five vectors added to a sixth, one after another",
			.footprint_bytes = UINT64_C(40962) * 65536,
			.accesses = 102405,
			.arrays = 6,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
