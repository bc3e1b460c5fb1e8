/* SRAD v2 of Rodinia: speckle-reducing diffusion of an image, two launches an iteration. A block of
 * 16 * 16 pixels reads the rows and columns beside it; where it is at the image's edge, the edge
 * itself, so these instructions come in two parts. */
#include "gpu.h"

enum { J, C, E, W, S, N };
enum { SIDE, ITERS };
enum { SCALE, MODE, JITTER, PARAM_ITERS };
enum { ARG_SIDE };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{"iters", TIDE_PARAM_INT, "2", 1, 1000000, "iterations of both launches"},
	{0},
};

static struct td_gpu_instr pixel(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				 bool write)
{
	return td_gpu_instr(l, pc, (unsigned)array, write, 0, 4, l->arg[ARG_SIDE] * 4);
}

static struct td_gpu_instr above(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				 bool edge)
{
	struct td_gpu_instr i = pixel(l, pc, array, TD_GPU_READ);
	int64_t row = i.per_y;

	i.more = edge;
	i.per_y = 0;
	if (edge) {
		i.y_to = 16;
		return i;
	}
	i.y_from = 16;
	i.first = -row;
	i.per_by = 16 * row;
	return i;
}

static struct td_gpu_instr below(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				 bool edge)
{
	struct td_gpu_instr i = pixel(l, pc, array, TD_GPU_READ);
	int64_t row = i.per_y, last = l->arg[ARG_SIDE] - 16;

	i.more = edge;
	i.per_y = 0;
	if (edge) {
		i.y_from = last;
		i.first = (last + 15) * row;
		return i;
	}
	i.y_to = last;
	i.first = i.per_by = 16 * row;
	return i;
}

static struct td_gpu_instr left(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				bool edge)
{
	struct td_gpu_instr i = pixel(l, pc, array, TD_GPU_READ);

	i.more = edge;
	i.per_x = 0;
	if (edge) {
		i.x_to = 16;
		return i;
	}
	i.x_from = 16;
	i.first = -4;
	i.per_bx = 16 * 4;
	return i;
}

static struct td_gpu_instr right(const struct td_gpu_launch *l, unsigned pc, int64_t array,
				 bool edge)
{
	struct td_gpu_instr i = pixel(l, pc, array, TD_GPU_READ);
	int64_t last = l->arg[ARG_SIDE] - 16;

	i.more = edge;
	i.per_x = 0;
	if (edge) {
		i.x_from = last;
		i.first = (last + 15) * 4;
		return i;
	}
	i.x_to = last;
	i.first = i.per_bx = 16 * 4;
	return i;
}

static bool gradients(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out)
{
	(void)app;
	switch (n) {
	case 0:
	case 1: *out = above(l, 0, J, n == 0); break;
	case 2:
	case 3: *out = below(l, 1, J, n == 2); break;
	case 4:
	case 5: *out = left(l, 2, J, n == 4); break;
	case 6:
	case 7: *out = right(l, 3, J, n == 6); break;
	case 8: *out = pixel(l, 4, J, TD_GPU_READ); break;
	default: *out = pixel(l, (unsigned)n - 4, C + (int64_t)n - 9, TD_GPU_WRITE); break;
	}
	return n < 14;
}

static bool diffuse(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	(void)app;
	switch (n) {
	case 0: *out = pixel(l, 10, J, TD_GPU_READ); break;
	case 1:
	case 2: *out = below(l, 11, C, n == 1); break;
	case 3:
	case 4: *out = right(l, 12, C, n == 3); break;
	case 5: *out = pixel(l, 13, C, TD_GPU_READ); break;
	case 10: *out = pixel(l, 18, J, TD_GPU_WRITE); break;
	default: *out = pixel(l, (unsigned)n + 8, N + 6 - (int64_t)n, TD_GPU_READ); break;
	}
	return n < 11;
}

static struct td_gpu_launch over_image(const char *kernel, int64_t n)
{
	struct td_gpu_launch l = td_gpu_grid(kernel, (uint64_t)n / 16, (uint64_t)n / 16, 16, 16);

	l.arg[ARG_SIDE] = n;
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = over_image(i % 2 ? "diffuse" : "gradients", app->p[SIDE]);
	out->instr = i % 2 ? diffuse : gradients;
	return i < 2 * (uint64_t)app->p[ITERS];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[SIDE], 2048, v[SCALE].r, 2, 16, err);

	if (rc)
		return rc;
	static const char *const names[] = {"J", "C", "E", "W", "S", "N"};
	for (unsigned i = 0; i < 6; i++)
		td_gpu_add(app, names[i], (uint64_t)(app->p[SIDE] * app->p[SIDE] * 4));
	app->p[ITERS] = v[PARAM_ITERS].i;
	app->launch = launch;
	return td_gpu_fits(app, (double)app->p[SIDE] * (double)app->p[SIDE] / (16 * 16), err);
}

const struct td_gpu_workload td_workload_app_srd = {
	.head =
		{
			.name = "srd",
			.paper = "CPPE",
			.type = "IV thrashing",
			.summary = "diffusion of an image, passes over six arrays",
			.published_bytes = UINT64_C(96) << 20,
			.footprint_bytes = 100663296,
			.accesses = 9175040,
			.arrays = 6,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
