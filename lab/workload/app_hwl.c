/* HEARTWALL of Rodinia: finds each of 51 points again in every frame, by correlating the frame
 * around it with a template. A block per point; all its matrices are column-major and in memory of
 * its own, the same matrix of all points side by side. */
#include <math.h>

#include "gpu.h"

enum { FRAME, T, IN2, CONV, PADV, SEL, CUMH, CUMHSEL, SUB2, SQR, SQRSUB2, INSQR, TMASK, MCONV };
enum { POINTS, FRAMES };
enum { SCALE, PARAM_FRAMES };
enum { THREADS = 256, INNER = 20, OUTER = 31 };
/* Sides: of the template, of the frame's part that it is sought in, of their correlation; and of
 * that part with room for the template all around. */
enum { SIDE_T = 51, SIDE_IN = 81, SIDE = SIDE_T + SIDE_IN - 1, PADDED = SIDE_IN + 2 * SIDE_T };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"frames", TIDE_PARAM_INT, "20", 1, 1000000, "frames, the first for the templates"},
	TD_GPU_PARAM_JITTER,
	{0},
};

static const struct matrix {
	const char *name;
	int64_t rows, cols;
} matrices[] = {
	[FRAME] = {"frame", 609, 590},       [T] = {"T", SIDE_T, SIDE_T},
	[IN2] = {"in2", SIDE_IN, SIDE_IN},   [CONV] = {"conv", SIDE, SIDE},
	[PADV] = {"padv", PADDED, PADDED},   [SEL] = {"sel", SIDE, PADDED},
	[CUMH] = {"cumh", SIDE, PADDED},     [CUMHSEL] = {"cumhsel", SIDE, SIDE},
	[SUB2] = {"sub2", SIDE, SIDE},       [SQR] = {"sqr", SIDE_IN, SIDE_IN},
	[SQRSUB2] = {"sqrsub2", SIDE, SIDE}, [INSQR] = {"insqr", SIDE_T, SIDE_T},
	[TMASK] = {"tMask", SIDE, SIDE},     [MCONV] = {"mconv", SIDE, SIDE},
};

/* ---- stages ---- */

/* What the threads of a block are: cells of the matrix that the stage is over, 256 at a time; its
 * columns, walking down; or its rows, walking across. */
enum shape { CELLS, COLUMNS, ROWS, WINDOWS };

/* One access of a stage: of the cell so many rows down and columns across from the one that the
 * thread is at, if there is such a cell. In the frame the point's window is meant. */
struct touch {
	uint8_t pc, array;
	bool write;
	int16_t down, across;
};

struct stage {
	uint8_t shape, over; /* a matrix */
	uint8_t n;
	struct touch touch[3];
};

#define R(pc, array) \
	{ \
		pc, array, false, 0, 0 \
	}
#define W(pc, array) \
	{ \
		pc, array, true, 0, 0 \
	}
/* A part of a matrix, from that cell on. */
#define PART(pc, array, down, across) \
	{ \
		pc, array, false, down, across \
	}

/* The body's variables. LEFT: columns that a correlation has still to read. */
enum { STAGE, STEP, TOUCH, LEFT, ROW, COL };

/* The first is the first frame's, the last is every tenth frame's, the others are those of all
 * frames but the first. Sums over rectangles, by sums over columns and then over rows, are made
 * of in2 and later of its squares by the same instructions. */
static const struct stage stages[] = {
	{CELLS, T, 2, {R(0, FRAME), W(1, T)}},
	{CELLS, IN2, 2, {R(2, FRAME), W(3, IN2)}},
	{CELLS, T, 1, {R(4, T)}},
	{WINDOWS, CONV, 2, {R(5, IN2), W(6, CONV)}},
	{CELLS, PADV, 2, {PART(7, IN2, -SIDE_T, -SIDE_T), W(8, PADV)}},
	{COLUMNS, PADV, 2, {R(9, PADV), W(10, PADV)}},
	{CELLS, SEL, 2, {PART(11, PADV, SIDE_T, 0), W(12, SEL)}},
	{CELLS, CUMH, 2, {R(13, PADV), W(14, CUMH)}},
	{CELLS, CUMH, 3, {R(15, SEL), R(16, CUMH), W(17, CUMH)}},
	{ROWS, CUMH, 2, {R(18, CUMH), W(19, CUMH)}},
	{CELLS, CUMHSEL, 2, {PART(20, CUMH, 0, SIDE_T), W(21, CUMHSEL)}},
	{CELLS, SUB2, 2, {R(22, CUMH), W(23, SUB2)}},
	{CELLS, SUB2, 3, {R(24, CUMHSEL), R(25, SUB2), W(26, SUB2)}},
	{CELLS, SQR, 2, {R(27, IN2), W(28, SQR)}},
	{CELLS, PADV, 2, {PART(7, SQR, -SIDE_T, -SIDE_T), W(8, PADV)}},
	{COLUMNS, PADV, 2, {R(9, PADV), W(10, PADV)}},
	{CELLS, SEL, 2, {PART(11, PADV, SIDE_T, 0), W(12, SEL)}},
	{CELLS, CUMH, 2, {R(13, PADV), W(14, CUMH)}},
	{CELLS, CUMH, 3, {R(15, SEL), R(16, CUMH), W(17, CUMH)}},
	{ROWS, CUMH, 2, {R(18, CUMH), W(19, CUMH)}},
	{CELLS, CUMHSEL, 2, {PART(20, CUMH, 0, SIDE_T), W(21, CUMHSEL)}},
	{CELLS, SQRSUB2, 2, {R(29, CUMH), W(30, SQRSUB2)}},
	{CELLS, SQRSUB2, 2, {R(31, CUMHSEL), W(32, SQRSUB2)}},
	{CELLS, SQRSUB2, 2, {R(33, SUB2), W(34, SQRSUB2)}},
	{CELLS, INSQR, 2, {R(35, T), W(36, INSQR)}},
	{COLUMNS, T, 1, {R(37, T)}},
	{COLUMNS, INSQR, 1, {R(38, INSQR)}},
	{CELLS, SQRSUB2, 2, {R(39, SQRSUB2), W(40, SQRSUB2)}},
	{CELLS, CONV, 2, {R(41, SUB2), W(42, CONV)}},
	{CELLS, SQRSUB2, 2, {R(43, CONV), W(44, SQRSUB2)}},
	{CELLS, TMASK, 1, {W(45, TMASK)}},
	{CELLS, MCONV, 3, {R(46, TMASK), R(47, SQRSUB2), W(48, MCONV)}},
	{COLUMNS, MCONV, 1, {R(49, MCONV)}},
	{CELLS, T, 3, {R(50, T), R(51, FRAME), W(52, T)}},
};

enum { STAGES = sizeof stages / sizeof *stages };

static const struct stage *stage_of(const struct td_gpu_warp *w)
{
	int64_t frame = w->launch->arg[0], i = w->v[STAGE] + (frame != 0);
	int64_t end = frame == 0 ? 1 : frame % 10 == 0 ? STAGES : STAGES - 1;

	return i < end ? &stages[i] : NULL;
}

/* ---- accesses ---- */

/* Where a point is: on the inner wall of the heart, or on the outer one. */
static void find_point(const struct td_gpu_app *app, struct td_gpu_warp *w)
{
	int64_t inner = (app->p[POINTS] * INNER + (INNER + OUTER) / 2) / (INNER + OUTER);
	bool is_inner = w->block < inner;
	double all = (double)(is_inner ? inner : app->p[POINTS] - inner);
	double turn = 2 * 3.14159265358979323846 * (double)(is_inner ? w->block : w->block - inner);

	w->v[ROW] =
		lrint(is_inner ? 377.5 + 108.5 * sin(turn / all) : 397.5 + 145.5 * sin(turn / all));
	w->v[COL] = lrint(is_inner ? 323 + 88 * cos(turn / all) : 306 + 151 * cos(turn / all));
}

/* Byte of a cell of the block's own matrix; the frame is everybody's. */
static int64_t cell(const struct td_gpu_warp *w, unsigned array, int64_t row, int64_t col)
{
	const struct matrix *m = &matrices[array];
	int64_t own = array == FRAME ? 0 : w->block * m->rows * m->cols;

	return (own + col * m->rows + row) * 4;
}

static bool is_inside(const struct matrix *m, int64_t row, int64_t col)
{
	return row >= 0 && col >= 0 && row < m->rows && col < m->cols;
}

/* The cells of a warp go on in the next column where one ends. */
static struct td_gpu_access touch_cells(struct td_gpu_warp *w, const struct stage *s,
					const struct touch *t)
{
	const struct matrix *over = &matrices[s->over], *m = &matrices[t->array];
	bool is_frame = t->array == FRAME;
	int64_t down = t->down + (is_frame ? w->v[ROW] - over->rows / 2 : 0);
	int64_t across = t->across + (is_frame ? w->v[COL] - over->cols / 2 : 0);
	int64_t first = w->v[STEP] * THREADS + td_gpu_thread(w, 0), all = over->rows * over->cols;
	int64_t row = first % over->rows, col = first / over->rows;
	int64_t lanes = all - first < w->lanes ? all - first : w->lanes;
	unsigned n = 0;

	if (m->rows == over->rows && !down && lanes > 0)
		return td_gpu_row(t->pc, t->array, t->write,
				  (uint64_t)cell(w, t->array, row, col + across), 4,
				  (unsigned)lanes);
	for (int64_t l = 0; l < lanes; l++) {
		if (is_inside(m, row + down, col + across))
			w->gather[n++] = (uint64_t)cell(w, t->array, row + down, col + across);
		if (++row == over->rows) {
			row = 0;
			col++;
		}
	}
	return td_gpu_gather(t->pc, t->array, t->write, n);
}

/* One cell of each of the warp's columns or rows. */
static struct td_gpu_access touch_line(const struct td_gpu_warp *w, const struct stage *s,
				       const struct touch *t)
{
	const struct matrix *over = &matrices[s->over];
	bool columns = s->shape == COLUMNS;
	int64_t first = td_gpu_thread(w, 0), lines = columns ? over->cols : over->rows;
	int64_t lanes = lines - first < w->lanes ? lines - first : w->lanes;

	if (lanes <= 0)
		return (struct td_gpu_access){0};
	return td_gpu_row(t->pc, t->array, t->write,
			  (uint64_t)(columns ? cell(w, t->array, w->v[STEP], first)
					     : cell(w, t->array, first, w->v[STEP])),
			  columns ? over->rows * 4 : 4, (unsigned)lanes);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A cell (i, j) of the correlation needs rows i - 50 .. i and columns j - 50 .. j of in2. The
 * lanes of a warp, going through them in step, read its columns one after another, the last one
 * first: here at once all that they read of a column, which is less than a page, by its two
 * ends. Lanes may be in two columns of the correlation, from and to. */
static struct td_gpu_access touch_window(struct td_gpu_warp *w, const struct touch *t)
{
	int64_t first = w->v[STEP] * THREADS + td_gpu_thread(w, 0), reach = SIDE_T - 1;
	int64_t last = least(first + w->lanes, SIDE * SIDE) - 1;
	int64_t from = first / SIDE, to = last / SIDE;
	int64_t left = most(0, from - reach), right = least(SIDE_IN - 1, to);

	if (last < first)
		return (struct td_gpu_access){0};
	if (!w->v[LEFT])
		w->v[LEFT] = right - left + 1;
	int64_t col = left + --w->v[LEFT];
	bool top = from != to && col >= to - reach, bottom = from != to && col <= from;
	int64_t low = top ? 0 : most(0, first % SIDE - reach);
	int64_t high = bottom ? SIDE_IN - 1 : least(SIDE_IN - 1, last % SIDE);
	return td_gpu_row(t->pc, t->array, t->write, (uint64_t)cell(w, t->array, low, col),
			  (high - low) * 4, 2);
}

/* ---- the kernel ---- */

static int64_t steps_of(const struct stage *s)
{
	const struct matrix *over = &matrices[s->over];

	switch (s->shape) {
	case COLUMNS: return over->rows;
	case ROWS: return over->cols;
	default: return (over->rows * over->cols + THREADS - 1) / THREADS;
	}
}

static struct td_gpu_access touch(struct td_gpu_warp *w, const struct stage *s)
{
	const struct touch *t = &s->touch[w->v[TOUCH]];

	if (s->shape == COLUMNS || s->shape == ROWS)
		return touch_line(w, s, t);
	if (s->shape == WINDOWS && !t->write)
		return touch_window(w, t);
	return touch_cells(w, s, t);
}

/* All warps of the block end a stage before any begins the next. */
static bool track(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	const struct stage *s = stage_of(w);

	WARP_BEGIN(w)
	find_point(app, w);
	for (; (s = stage_of(w)); w->v[STAGE]++) {
		for (w->v[STEP] = 0; w->v[STEP] < steps_of(s); w->v[STEP]++) {
			for (w->v[TOUCH] = 0; w->v[TOUCH] < s->n; w->v[TOUCH]++) {
				do {
					GIVE(w, out, touch(w, s));
				} while (w->v[LEFT]);
			}
		}
		GIVE(w, out, td_gpu_barrier());
	}
	WARP_END;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_gpu_grid(i ? "track" : "templates", (uint64_t)app->p[POINTS], 1, THREADS, 1);
	out->body = track;
	out->arg[0] = (int64_t)i;
	return i < (uint64_t)app->p[FRAMES];
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[POINTS], INNER + OUTER, v[SCALE].r, 1, 1, err);

	if (rc)
		return rc;
	for (unsigned i = FRAME; i <= MCONV; i++) {
		const struct matrix *m = &matrices[i];
		uint64_t points = i == FRAME ? 1 : (uint64_t)app->p[POINTS];
		td_gpu_add(app, m->name, points * (uint64_t)(m->rows * m->cols) * 4);
	}
	app->p[FRAMES] = v[PARAM_FRAMES].i;
	app->launch = launch;
	return 0;
}

const struct td_gpu_workload td_workload_app_hwl = {
	.head =
		{
			.name = "hwl",
			.paper = "CPPE",
			.type = "V repetitive-thrashing",
			.summary = "tracks points of a heart's wall in ultrasound frames",
			.published_bytes = UINT64_C(408) * 1048576 / 10,
			.footprint_bytes = 42303488,
			.accesses = 63673106,
			.arrays = 14,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
