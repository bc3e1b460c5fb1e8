/* Leukocyte: scores every pixel by the gradients on circles around it (GICOV), dilates the scores,
 * then tracks the cells that were found from frame to frame. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "gpu.h"

enum { GRADX, GRADY, GICOV, DILATED, FRAME_ARRAYS };
enum { ROWS, COLUMNS, CELLS, FRAMES, ITERS, TEX };
enum { SCALE, FRAMES_PARAM, ITERS_PARAM, TEX_PARAM };

#define MARGIN 22     /* pixels at the edges that no circle fits around */
#define CIRCLES 7     /* of radius 8, 10 .. 20 */
#define POINTS 150    /* on each */
#define BOX (41 * 81) /* pixels around a cell */
#define BOX_THREADS 320
#define BOX_STEPS ((BOX + BOX_THREADS - 1) / BOX_THREADS)
enum { FRAMES_MOST = (TD_GPU_ARRAYS - FRAME_ARRAYS) / 2 };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"frames", TIDE_PARAM_INT, "5", 1, FRAMES_MOST, "frames through which cells are tracked"},
	{"iters", TIDE_PARAM_INT, "10", 1, 1000000, "iterations of a cell's flow field per frame"},
	{"tex", TIDE_PARAM_INT, "0", 0, 1, "1: reads through textures as well"},
	TD_GPU_PARAM_JITTER,
	{0},
};

struct leu {
	struct td_gpu_app app;
	int64_t point[CIRCLES * POINTS]; /* bytes from a pixel to the points around it */
	char names[2 * FRAMES_MOST][4];
};

/* A block is a column of the image, which lies column by column; edges are left out. */
static bool gicov(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	const struct leu *leu = (const struct leu *)app;
	uint64_t reads = app->p[TEX] ? 2 * CIRCLES * POINTS : 0;
	int64_t first = (MARGIN * app->p[ROWS] + MARGIN) * 4;

	if (n < reads)
		*out = td_gpu_instr(l, 5 + n % 2, n % 2 ? GRADY : GRADX, TD_GPU_READ,
				    first + leu->point[n / 2], 4, 0);
	else
		*out = td_gpu_instr(l, 0, GICOV, TD_GPU_WRITE, first, 4, 0);
	return n <= reads;
}

/* The dilated image lies row by row: neighbouring threads write a row apart. */
static bool dilate(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	uint64_t rows = (uint64_t)app->p[ROWS], columns = (uint64_t)app->p[COLUMNS];
	unsigned lanes = 0;

	WARP_BEGIN(w)
	for (; lanes < w->lanes; lanes++) {
		uint64_t g = td_gpu_global(w, lanes);
		if (g >= rows * columns)
			break;
		w->gather[lanes] = (g % rows * columns + g / rows) * 4;
	}
	GIVE(w, out, td_gpu_gather(1, DILATED, TD_GPU_WRITE, lanes));
	WARP_END;
}

/* A block is a cell: its flow field V comes into shared memory, is iterated there with the image I,
 * and goes back. arg: I, V. */
static bool track(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	int64_t step = (int64_t)(n % (BOX_STEPS + 1)), phase = (int64_t)(n / (BOX_STEPS + 1));
	int64_t last = app->p[ITERS] + 1, left = BOX - step * BOX_THREADS;
	bool image = phase > 0 && phase < last;

	*out = td_gpu_instr(l,
			    phase == 0 ? 2
			    : image    ? 3
				       : 4,
			    (unsigned)l->arg[image ? 0 : 1], phase == last, step * BOX_THREADS * 4,
			    4, 0);
	out->tx_to = left < BOX_THREADS ? left : BOX_THREADS;
	out->barrier = step == BOX_STEPS;
	return phase <= last;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t rows = (uint64_t)app->p[ROWS], columns = (uint64_t)app->p[COLUMNS];
	int64_t frame = (int64_t)i - 2;

	if (i == 0) {
		*out = td_gpu_grid("gicov", columns - 2 * MARGIN, 1, (uint32_t)(rows - 2 * MARGIN),
				   1);
		out->x_step = (int64_t)rows;
		out->instr = gicov;
	} else if (i == 1) { /* the number of blocks is rounded, not rounded up */
		*out = td_gpu_grid("dilate", (rows * columns + 88) / 176, 1, 176, 1);
		out->body = dilate;
	} else {
		*out = td_gpu_grid("track", (uint64_t)app->p[CELLS], 1, BOX_THREADS, 1);
		out->x_step = BOX;
		out->instr = track;
		out->arg[0] = FRAME_ARRAYS + 2 * frame;
		out->arg[1] = out->arg[0] + 1;
	}
	return frame < app->p[FRAMES];
}

static void set_points(struct leu *leu)
{
	for (int k = 0; k < CIRCLES * POINTS; k++) {
		int circle = k / POINTS;
		double angle = 2 * M_PI * (k % POINTS) / POINTS, radius = 8 + 2 * circle;
		int64_t x = (int64_t)(cos(angle) * radius), y = (int64_t)(sin(angle) * radius);
		leu->point[k] = (x * leu->app.p[ROWS] + y) * 4;
	}
}

static void add_arrays(struct leu *leu)
{
	struct td_gpu_app *app = &leu->app;
	uint64_t image = (uint64_t)(app->p[ROWS] * app->p[COLUMNS] * 4);

	td_gpu_add(app, "gradx", image);
	td_gpu_add(app, "grady", image);
	td_gpu_add(app, "gicov", image);
	td_gpu_add(app, "dilated", image);
	for (int k = 0; k < 2 * app->p[FRAMES]; k++) {
		snprintf(leu->names[k], sizeof leu->names[k], "%c%u", k % 2 ? 'V' : 'I',
			 (unsigned)k / 2 % 100);
		td_gpu_add(app, leu->names[k], (uint64_t)app->p[CELLS] * BOX * 4);
	}
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	double scale = v[SCALE].r;
	int rc = td_gpu_size(app, &app->p[CELLS], 36, scale, 1, 1, err);

	app->p[ROWS] = td_gpu_scaled(219, scale, 2, 1, 1);
	app->p[COLUMNS] = td_gpu_scaled(640, scale, 2, 1, 1);
	/* A column of the image is a block of threads. */
	if (!rc && (app->p[ROWS] <= 2 * MARGIN || app->p[ROWS] > 2 * MARGIN + 1024))
		rc = tide_fail(err, -EINVAL,
			       "workload leu: scale=%g makes an image %" PRId64
			       " pixels high: give a scale from 0.05 to 20",
			       scale, app->p[ROWS]);
	if (rc)
		return rc;
	app->p[FRAMES] = v[FRAMES_PARAM].i;
	app->p[ITERS] = v[ITERS_PARAM].i;
	app->p[TEX] = v[TEX_PARAM].i;
	add_arrays((struct leu *)app);
	set_points((struct leu *)app);
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_leu = {
	.head =
		{
			.name = "leu",
			.paper = "CPPE",
			.type = "I streaming",
			.summary = "leukocyte: finds cells in an image, tracks them through frames",
			.published_bytes = UINT64_C(563) * 1048576 / 100,
			.footprint_bytes = 5881856,
			.accesses = 178721,
			.arrays = 14,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.app_bytes = sizeof(struct leu),
	.setup = setup,
};
