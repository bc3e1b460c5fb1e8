/* LavaMD: a block for each of n * n * n boxes of 100 particles works out the forces on its own
 * particles from those of its box and of the boxes around it. */
#include "gmt.h"

enum { BOX, RV, QV, FV };
enum { N };
enum { PARTICLES = 100, THREADS = 128 };
enum { RV_BYTES = 32, QV_BYTES = 8, FV_BYTES = 32 }; /* of a particle */
/* A box's descriptor has a list of neighbours, and in each entry the number of that box. */
enum { BOX_BYTES = 656, LIST_AT = 32, ENTRY_BYTES = 24, NUMBER_AT = 12 };
enum { AROUND = 27, HOME = AROUND / 2 };

static const struct tide_param params[] = {
	TD_GMT_PARAMS("4096", "2"),
	{0},
};

/* bx is a box's x, by its z * n + y; boxes are numbered by * n + bx. */
static struct td_gpu_instr of_box(const struct td_gpu_app *app, const struct td_gpu_launch *l,
				  unsigned pc, int64_t at)
{
	struct td_gpu_instr i = td_gpu_instr(l, pc, BOX, TD_GPU_READ, at, 0, 0);

	i.tx_to = PARTICLES;
	i.per_bx = BOX_BYTES;
	i.per_by = app->p[N] * BOX_BYTES;
	return i;
}

/* Thread t has particle t of a box that lies so many further on than its own. */
static struct td_gpu_instr of_particles(const struct td_gpu_app *app, const struct td_gpu_launch *l,
					unsigned pc, unsigned array, int64_t bytes, int64_t further)
{
	struct td_gpu_instr i =
		td_gpu_instr(l, pc, array, array == FV, further * PARTICLES * bytes, bytes, 0);

	i.tx_to = PARTICLES;
	i.per_by = app->p[N] * PARTICLES * bytes;
	return i;
}

/* Boxes at the rim have no neighbour beyond it. */
static void leave_out_rim(int64_t n, struct td_gpu_instr *i, int64_t dx, int64_t dy, int64_t dz)
{
	i->x_from = dx < 0 ? PARTICLES : 0;
	i->x_to = (dx > 0 ? n - 1 : n) * PARTICLES;
	i->by_period = n;
	i->by_from = dy < 0;
	i->by_to = dy > 0 ? n - 1 : n;
	i->y_from = dz < 0 ? n : 0;
	i->y_to = dz > 0 ? n * (n - 1) : n * n;
}

/* One turn for the box itself, then one for each around it in the order of z, y, x. At the rim a
 * neighbour keeps the entry that it has in other boxes. */
static bool one_turn(const struct td_gpu_app *app, const struct td_gpu_launch *l, int64_t turn,
		     unsigned part, struct td_gpu_instr *out)
{
	int64_t n = app->p[N], way = turn == 0 ? HOME : turn <= HOME ? turn - 1 : turn;
	int64_t dx = way % 3 - 1, dy = way / 3 % 3 - 1, dz = way / 9 - 1;
	int64_t further = (dz * n + dy) * n + dx;

	switch (part) {
	case 0: *out = of_box(app, l, 2, LIST_AT + (turn - 1) * ENTRY_BYTES + NUMBER_AT); break;
	case 1: *out = of_particles(app, l, 3, RV, RV_BYTES, further); break;
	case 2: *out = of_particles(app, l, 4, QV, QV_BYTES, further); break;
	default: *out = of_particles(app, l, 5, FV, FV_BYTES, 0); break;
	}
	leave_out_rim(n, out, dx, dy, dz);
	return turn < AROUND;
}

static bool forces(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	/* A box needs no list to find itself: its particles are read there instead. */
	if (n >= 2)
		return one_turn(app, l, (int64_t)(n - 1) / 4, (n - 1) % 4, out);
	*out = n ? of_particles(app, l, 1, RV, RV_BYTES, 0) : of_box(app, l, 0, 0);
	return true;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t n = (uint64_t)app->p[N];

	*out = td_gpu_grid("forces", n, n * n, THREADS, 1);
	out->x_step = PARTICLES; /* x is a particle's number in its row of boxes */
	out->instr = forces;
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	const int64_t particle = RV_BYTES + QV_BYTES + FV_BYTES;
	double boxes = td_gmt_bytes(v) / (double)(BOX_BYTES + PARTICLES * particle);
	uint64_t n = (uint64_t)(app->p[N] = td_gpu_scaled(1, boxes, 3, 1, 1));
	uint64_t particles = n * n * n * PARTICLES;

	td_gpu_add(app, "box", n * n * n * BOX_BYTES);
	td_gpu_add(app, "rv", particles * RV_BYTES);
	td_gpu_add(app, "qv", particles * QV_BYTES);
	td_gpu_add(app, "fv", particles * FV_BYTES);
	app->launch = launch;
	return td_gmt_check(app, v, err);
}

const struct td_gpu_workload td_workload_app_lavamd = {
	.head =
		{
			.name = "lavamd",
			.paper = "GMT",
			.type = "Tier-1",
			.summary = "forces between particles of neighbouring boxes",
			.footprint_bytes = UINT64_C(41120) * 65536,
			.accesses = 131985,
			.arrays = 4,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_gmt,
	.setup = setup,
};
