/* Hotspot3D of Rodinia: the temperature of a stack of layers; a thread walks up its column of
 * cells. At the edges a cell is its own neighbour. Along x its address is then one that the lane
 * beside it reads too, so the lane is left out; along y a row of threads has an address of its own.
 */
#include "gpu.h"

enum { POWER, TEMP0, TEMP1 };
enum { SIDE, LAYERS, ITERS };
enum { SCALE, MODE, JITTER, PARAM_LAYERS, PARAM_ITERS };
enum { SLOTS = 9 }; /* instructions and parts of them, per layer */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{"layers", TIDE_PARAM_INT, "8", 2, 1024, "layers of the stack"},
	{"iters", TIDE_PARAM_INT, "10", 1, 1000000, "launches, a time step each"},
	{0},
};

/* The neighbour by a row before (-1) or behind (1), if there is one; and at the edge. */
static struct td_gpu_instr beside(const struct td_gpu_launch *l, unsigned pc, int64_t at,
				  int64_t row, int64_t by)
{
	struct td_gpu_instr i =
		td_gpu_instr(l, pc, (unsigned)l->arg[0], TD_GPU_READ, at + by * row, 4, row);

	if (by < 0)
		i.y_from = 1;
	else
		i.y_to--;
	return i;
}

static struct td_gpu_instr at_edge(const struct td_gpu_launch *l, unsigned pc, int64_t at,
				   int64_t row, int64_t by)
{
	struct td_gpu_instr i = td_gpu_instr(l, pc, (unsigned)l->arg[0], TD_GPU_READ, at, 4, row);

	if (by < 0)
		i.y_to = 1;
	else
		i.y_from = i.y_to - 1;
	i.more = true;
	return i;
}

static bool climb(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	int64_t row = app->p[SIDE] * 4, plane = app->p[SIDE] * row, layers = app->p[LAYERS];
	/* Nothing lies above the last layer: that one has no slot 0. */
	n += n >= (uint64_t)(layers - 1) * SLOTS;
	int64_t z = (int64_t)(n / SLOTS), at = z * plane;
	unsigned in = (unsigned)l->arg[0];

	switch (n % SLOTS) {
	case 0: *out = td_gpu_instr(l, 0, in, TD_GPU_READ, at + plane, 4, row); break;
	case 1:
		*out = td_gpu_instr(l, 1, in, TD_GPU_READ, at - 4, 4, row);
		out->x_from = 1;
		break;
	case 2:
		*out = td_gpu_instr(l, 2, in, TD_GPU_READ, at + 4, 4, row);
		out->x_to--;
		break;
	case 3: *out = at_edge(l, 3, at, row, 1); break;
	case 4: *out = beside(l, 3, at, row, 1); break;
	case 5: *out = at_edge(l, 4, at, row, -1); break;
	case 6: *out = beside(l, 4, at, row, -1); break;
	case 7: *out = td_gpu_instr(l, 5, POWER, TD_GPU_READ, at, 4, row); break;
	default: *out = td_gpu_instr(l, 6, (unsigned)l->arg[1], TD_GPU_WRITE, at, 4, row); break;
	}
	return z < layers;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	int64_t side = app->p[SIDE];

	*out = td_gpu_grid("hotspot3d", (uint64_t)side / 64, (uint64_t)side / 4, 64, 4);
	td_gpu_clip(out, side, side);
	out->arg[0] = i % 2 ? TEMP1 : TEMP0;
	out->arg[1] = i % 2 ? TEMP0 : TEMP1;
	out->instr = climb;
	return i < (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[SIDE], 512, v[SCALE].r, 2, 64, err);

	if (rc)
		return rc;
	app->p[LAYERS] = v[PARAM_LAYERS].i;
	app->p[ITERS] = v[PARAM_ITERS].i;
	uint64_t bytes = (uint64_t)(app->p[SIDE] * app->p[SIDE] * app->p[LAYERS] * 4);
	td_gpu_add(app, "power", bytes);
	td_gpu_add(app, "temp0", bytes);
	td_gpu_add(app, "temp1", bytes);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_hsd = {
	.head =
		{
			.name = "hsd",
			.paper = "CPPE",
			.type = "IV thrashing",
			.summary = "temperature of a stack of layers, time step by time step",
			.published_bytes = UINT64_C(24) << 20,
			.footprint_bytes = 25165824,
			.accesses = 4505600,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
