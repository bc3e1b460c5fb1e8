/* Wavelet transform of a colour image (5/3, three levels): takes its pixels apart into components,
 * then turns each component into bands, and the low band into bands again. */
#include "gpu.h"

enum { OUT_R, OUT_G, OUT_B, C_R, C_G, C_B, SRC };
enum { SIDE };
enum { SCALE };
enum { LEVELS = 3, COMPONENTS = 3, WINDOW_ROWS = 8 };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_JITTER,
	{0},
};

/* 192 threads bring the 768 bytes of 256 pixels into shared memory, 4 bytes each. */
static bool split(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	(void)app;
	*out = td_gpu_instr(l, (unsigned)n, SRC, TD_GPU_READ, 0, 4, 0);
	if (n == 0) {
		out->per_bx = 768 - 256 * 4;
		out->tx_to = 192;
	} else if (n == 1) {
		out->barrier = true;
	} else {
		*out = td_gpu_instr(l, (unsigned)n - 1, C_R + (unsigned)n - 2, TD_GPU_WRITE, 0, 4,
				    0);
	}
	return n < 5;
}

/* A launch transforms a square of `side`; a block is a strip of columns, as wide as it has threads,
 * and steps * 8 rows high. */
enum { COMPONENT, LEVEL_SIDE, STEPS };

static uint64_t first_column(const struct td_gpu_warp *w)
{
	return (uint64_t)w->bx * w->launch->block_x + td_gpu_thread(w, 0);
}

/* Row of the strip, from its top; those above the image are mirrored. */
static uint64_t row_at(const struct td_gpu_warp *w, int64_t row)
{
	int64_t y = w->by * w->launch->arg[STEPS] * WINDOW_ROWS + row;

	return (uint64_t)(y < 0 ? -y : y);
}

static struct td_gpu_access read_row(const struct td_gpu_warp *w, int64_t row)
{
	const int64_t *arg = w->launch->arg;
	uint64_t at = row_at(w, row) * (uint64_t)arg[LEVEL_SIDE] + first_column(w);

	return td_gpu_row(4, C_R + (unsigned)arg[COMPONENT], TD_GPU_READ, at * 4, 4, TD_GPU_LANES);
}

/* Three threads also read the column right of the strip and two left of it. */
static struct td_gpu_access read_edges(struct td_gpu_warp *w, int64_t row)
{
	const int64_t *arg = w->launch->arg;
	int64_t width = w->launch->block_x, left = w->bx * width;
	int64_t column[] = {left + width, left - 2, left - 1};
	unsigned lanes = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (column[i] >= 0 && column[i] < arg[LEVEL_SIDE])
			w->gather[lanes++] =
				(row_at(w, row) * (uint64_t)arg[LEVEL_SIDE] + (uint64_t)column[i]) *
				4;
	}
	return td_gpu_gather(4, C_R + (unsigned)arg[COMPONENT], TD_GPU_READ, lanes);
}

/* The four bands follow one another, each of half the side: even rows go to the first two, odd ones
 * to the others, and of a row the even columns to the left band, the odd ones to the right. A
 * warp's 16 columns of each never cross a page. */
static struct td_gpu_access write_row(const struct td_gpu_warp *w, int64_t row)
{
	const int64_t *arg = w->launch->arg;
	uint64_t half = (uint64_t)arg[LEVEL_SIDE] / 2, y = row_at(w, row);
	uint64_t at = y % 2 * 2 * half * half + y / 2 * half + first_column(w) / 2;
	struct td_gpu_access a = td_gpu_row(y % 2 ? 6 : 5, OUT_R + (unsigned)arg[COMPONENT],
					    TD_GPU_WRITE, at * 4, 4, TD_GPU_LANES / 2);

	a.rows = 2;
	a.row_bytes = (int64_t)(half * half * 4);
	return a;
}

static bool transform(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	int64_t side = w->launch->arg[LEVEL_SIDE], steps = w->launch->arg[STEPS];
	int64_t *step = &w->v[0], *row = &w->v[1];

	(void)app;
	if (first_column(w) >= (uint64_t)side)
		return false;
	WARP_BEGIN(w)
	for (*row = -3; *row < 0; (*row)++)
		GIVE(w, out, read_row(w, *row));
	for (*row = -3; w->warp == 0 && *row < 0; (*row)++)
		GIVE(w, out, read_edges(w, *row));
	for (*step = 0; *step < steps; (*step)++) {
		if (row_at(w, *step * WINDOW_ROWS) >= (uint64_t)side)
			break;
		for (*row = 0; *row < WINDOW_ROWS; (*row)++)
			GIVE(w, out, read_row(w, *step * WINDOW_ROWS + *row));
		for (*row = 0; w->warp == 0 && *row < WINDOW_ROWS; (*row)++)
			GIVE(w, out, read_edges(w, *step * WINDOW_ROWS + *row));
		GIVE(w, out, td_gpu_barrier());
		for (*row = 0; *row < WINDOW_ROWS; (*row)++)
			GIVE(w, out, write_row(w, *step * WINDOW_ROWS + *row));
		GIVE(w, out, td_gpu_barrier());
	}
	WARP_END;
}

static struct td_gpu_launch level(int64_t component, int64_t side)
{
	int64_t width = side >= 960 ? 192 : side >= 480 ? 128 : 64;
	int64_t steps = (side + 15 * WINDOW_ROWS - 1) / (15 * WINDOW_ROWS);
	int64_t height = WINDOW_ROWS * steps;
	struct td_gpu_launch l =
		td_gpu_grid("transform", (uint64_t)((side + width - 1) / width),
			    (uint64_t)((side + height - 1) / height), (uint32_t)width, 1);

	l.body = transform;
	l.arg[COMPONENT] = component;
	l.arg[LEVEL_SIDE] = side;
	l.arg[STEPS] = steps;
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	if (i == 0) {
		*out = td_gpu_grid("split", (uint64_t)(app->p[SIDE] * app->p[SIDE] / 256), 1, 256,
				   1);
		out->instr = split;
	} else {
		*out = level((int64_t)(i - 1) / LEVELS, app->p[SIDE] >> (i - 1) % LEVELS);
	}
	return i <= LEVELS * COMPONENTS;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	/* Of whole warps at every level. */
	int rc = td_gpu_size(app, &app->p[SIDE], 1024, v[SCALE].r, 2, 128, err);
	uint64_t side = (uint64_t)app->p[SIDE];

	td_gpu_add(app, "out_r", side * side * 4);
	td_gpu_add(app, "out_g", side * side * 4);
	td_gpu_add(app, "out_b", side * side * 4);
	td_gpu_add(app, "c_r", side * side * 4);
	td_gpu_add(app, "c_g", side * side * 4);
	td_gpu_add(app, "c_b", side * side * 4);
	td_gpu_add(app, "src", side * side * 3);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_dwt = {
	.head =
		{
			.name = "dwt",
			.paper = "CPPE",
			.type = "II partly repetitive",
			.summary = "wavelet transform of a colour image, three levels",
			.published_bytes = UINT64_C(27) * 1048576,
			.footprint_bytes = 28311552,
			.accesses = 522210,
			.arrays = 7,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
