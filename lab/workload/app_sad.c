/* Sums of absolute differences between a frame and another moved by up to 16 pixels each way: for
 * blocks of 4 * 4 pixels, then added up to larger ones. */
#include "gpu.h"

enum { CUR, SADS, REF };
enum { WIDE, HIGH, TEX }; /* in macroblocks of 16 * 16 pixels */
enum { SCALE, TEX_PARAM };

enum {
	REACH = 16,
	DIAMETER = 2 * REACH + 1,
	POSITIONS = DIAMETER * DIAMETER,
	VECTOR = 1096, /* sums of all positions, rounded up; 16 bits each */
	WORDS = (POSITIONS + 1) / 2,
	PER_THREAD = 18,
	THREADS = (POSITIONS + PER_THREAD - 1) / PER_THREAD,
};

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"tex", TIDE_PARAM_INT, "0", 0, 1, "1: reads through textures as well"},
	TD_GPU_PARAM_JITTER,
	{0},
};

/* Sizes of block, from 16 * 16 down to 4 * 4: how many vectors a macroblock has, and how many those
 * before it have. */
enum { T1, T2, T3, T4, T5, T6, T7, TYPES };
static const struct {
	uint64_t vectors, before;
} types[TYPES] = {{1, 0}, {2, 1}, {2, 3}, {4, 5}, {8, 9}, {8, 17}, {16, 25}};

static uint64_t macroblocks(const struct td_gpu_app *app)
{
	return (uint64_t)(app->p[WIDE] * app->p[HIGH]);
}

/* Byte of a vector of a macroblock. */
static uint64_t vector(const struct td_gpu_app *app, unsigned type, uint64_t macroblock,
		       uint64_t vector)
{
	return (types[type].before * macroblocks(app) + types[type].vectors * macroblock + vector) *
	       VECTOR * 2;
}

/* ---- 4 * 4 pixels: a block of threads each, a thread 18 positions ---- */

static uint64_t pixel(const struct td_gpu_app *app, int64_t x, int64_t y)
{
	int64_t wide = app->p[WIDE] * 16, high = app->p[HIGH] * 16;

	x = x < 0 ? 0 : x < wide ? x : wide - 1;
	y = y < 0 ? 0 : y < high ? y : high - 1;
	return (uint64_t)(y * wide + x) * 2;
}

/* Lanes whose position there is. */
static unsigned positions(const struct td_gpu_warp *w, int64_t p)
{
	unsigned last = (POSITIONS - 1 - (unsigned)p) / PER_THREAD,
		 end = last + 1 - td_gpu_thread(w, 0);

	return end < w->lanes ? end : w->lanes;
}

/* All threads look at the same four pixels of a row of the frame, one after another. */
static struct td_gpu_access read_frame(const struct td_gpu_app *app, const struct td_gpu_warp *w,
				       int64_t p, int64_t row)
{
	uint64_t at = (w->by * 4 + (uint64_t)row) * (uint64_t)app->p[WIDE] * 16 + w->bx * 4;
	struct td_gpu_access a = td_gpu_row(0, CUR, TD_GPU_READ, at * 2, 0, positions(w, p));

	a.again = 3;
	return a;
}

/* And each at the one moved to its position. */
static struct td_gpu_access read_moved(const struct td_gpu_app *app, struct td_gpu_warp *w,
				       int64_t p, int64_t i)
{
	unsigned lanes = positions(w, p);

	for (unsigned l = 0; l < lanes; l++) {
		int64_t at = td_gpu_thread(w, l) * PER_THREAD + p;
		w->gather[l] = pixel(app, w->bx * 4 + i % 4 + at % DIAMETER - REACH,
				     w->by * 4 + i / 4 + at / DIAMETER - REACH);
	}
	return td_gpu_gather(20, REF, TD_GPU_READ, lanes);
}

static struct td_gpu_access write_sum(const struct td_gpu_app *app, const struct td_gpu_warp *w,
				      int64_t p)
{
	uint64_t macroblock = w->by / 4 * (uint64_t)app->p[WIDE] + w->bx / 4;
	uint64_t first = vector(app, T7, macroblock, w->by % 4 * 4 + w->bx % 4) +
			 (td_gpu_thread(w, 0) * PER_THREAD + (uint64_t)p) * 2;

	return td_gpu_row(1, SADS, TD_GPU_WRITE, first, PER_THREAD * 2, positions(w, p));
}

static bool sums(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	int64_t *p = &w->v[0], *i = &w->v[1];

	WARP_BEGIN(w)
	for (*p = 0; *p < PER_THREAD; (*p)++) {
		for (*i = 0; *i < 4; (*i)++)
			GIVE(w, out, read_frame(app, w, *p, *i));
		for (*i = 0; app->p[TEX] && *i < 16; (*i)++)
			GIVE(w, out, read_moved(app, w, *p, *i));
		GIVE(w, out, write_sum(app, w, *p));
	}
	WARP_END;
}

/* ---- larger blocks: a block of threads is a macroblock, a lane two positions ---- */

static struct td_gpu_access words(const struct td_gpu_app *app, const struct td_gpu_warp *w,
				  int64_t pc, unsigned type, bool write, int64_t number)
{
	uint64_t first = vector(app, type, w->block, (uint64_t)number) + (uint64_t)w->v[0] * 4;
	int64_t left = WORDS - w->v[0];

	return td_gpu_row((unsigned)pc, SADS, write, first, 4,
			  left < TD_GPU_LANES ? (unsigned)left : TD_GPU_LANES);
}

/* A warp is a quarter of a macroblock: it adds its four blocks of 4 * 4. */
static bool larger(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	static const int64_t four[] = {0, 1, 4, 5};
	int64_t x = w->warp % 2, y = w->warp / 2, *word = &w->v[0], *i = &w->v[1];

	WARP_BEGIN(w)
	for (*word = 0; *word < WORDS; *word += TD_GPU_LANES) {
		for (*i = 0; *i < 4; (*i)++)
			GIVE(w, out, words(app, w, 2 + *i, T7, false, 8 * y + 2 * x + four[*i]));
		for (*i = 0; *i < 2; (*i)++)
			GIVE(w, out, words(app, w, 6 + *i, T6, true, 4 * y + 2 * x + *i));
		for (*i = 0; *i < 2; (*i)++)
			GIVE(w, out, words(app, w, 8 + *i, T5, true, 4 * y + x + 2 * *i));
		GIVE(w, out, words(app, w, 10, T4, true, 2 * y + x));
	}
	WARP_END;
}

static bool largest(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	int64_t *word = &w->v[0], *i = &w->v[1];

	WARP_BEGIN(w)
	for (*word = 0; *word < WORDS; *word += TD_GPU_LANES) {
		for (*i = 0; *i < 4; (*i)++)
			GIVE(w, out, words(app, w, 11 + *i, T4, false, *i));
		for (*i = 0; *i < 2; (*i)++)
			GIVE(w, out, words(app, w, 15 + *i, T3, true, *i));
		for (*i = 0; *i < 2; (*i)++)
			GIVE(w, out, words(app, w, 17 + *i, T2, true, *i));
		/* From the halves and from the other halves: stored twice. */
		for (*i = 0; *i < 2; (*i)++)
			GIVE(w, out, words(app, w, 19, T1, true, 0));
	}
	WARP_END;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	uint64_t wide = (uint64_t)app->p[WIDE], high = (uint64_t)app->p[HIGH];

	if (i == 0) {
		*out = td_gpu_grid("sums", 4 * wide, 4 * high, THREADS, 1);
		out->body = sums;
	} else {
		*out = td_gpu_grid(i == 1 ? "larger" : "largest", wide, high, 32, i == 1 ? 4 : 1);
		out->body = i == 1 ? larger : largest;
	}
	return i < 3;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[WIDE], 11, v[SCALE].r, 2, 1, err);

	if (!rc)
		rc = td_gpu_size(app, &app->p[HIGH], 9, v[SCALE].r, 2, 1, err);
	app->p[TEX] = v[TEX_PARAM].i;
	td_gpu_add(app, "cur", macroblocks(app) * 256 * 2);
	td_gpu_add(app, "sads", macroblocks(app) * 41 * VECTOR * 2);
	if (app->p[TEX])
		td_gpu_add(app, "ref", macroblocks(app) * 256 * 2);
	app->launch = launch;
	return rc;
}

const struct td_gpu_workload td_workload_app_sad = {
	.head =
		{
			.name = "sad",
			.paper = "CPPE",
			.type = "II partly repetitive",
			.summary = "sums of absolute differences for motion estimation",
			.published_bytes = UINT64_C(853) * 1048576 / 100,
			.footprint_bytes = 8953856,
			.accesses = 224580,
			.arrays = 2,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.setup = setup,
};
