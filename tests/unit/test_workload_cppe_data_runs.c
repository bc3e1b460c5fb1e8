/* CPPE's hwl against its formulas; and of all that depend on data, the sizes, runs that begin
 * again, and parameters that cannot be. */
#include <math.h>

#define PCS 64
#include "gpu_data.h"

/* ---- hwl ---- */

enum { FRAME, T, IN2, CONV, PADV, SEL, CUMH, CUMHSEL, SUB2, SQR, SQRSUB2, INSQR, TMASK, MCONV };

static const int sides[][2] = {
	{609, 590}, {51, 51},   {81, 81}, {131, 131}, {183, 183}, {131, 183}, {131, 183},
	{131, 131}, {131, 131}, {81, 81}, {131, 131}, {51, 51},   {131, 131}, {131, 131},
};

/* Where the i-th of n points is. */
static void place(int i, int n, int *row, int *col)
{
	int inner = (int)lrint(n * 20 / 51.0);
	bool is_inner = i < inner;
	double angle = 2 * M_PI * (is_inner ? i : i - inner) / (is_inner ? inner : n - inner);

	*row = (int)lrint(is_inner ? 377.5 + 108.5 * sin(angle) : 397.5 + 145.5 * sin(angle));
	*col = (int)lrint(is_inner ? 323 + 88 * cos(angle) : 306 + 151 * cos(angle));
}

struct hwl_model {
	struct model *m;
	int point, row, col; /* where the point is */
};

static void hwl_lane(const struct hwl_model *x, unsigned array, int row, int col)
{
	int rows = sides[array][0], cols = sides[array][1];
	int own = array == FRAME ? 0 : x->point * rows * cols;

	if (row >= 0 && col >= 0 && row < rows && col < cols)
		lane(x->m, array, (uint64_t)(own + col * rows + row) * 4);
}

/* A thread per cell of one matrix accesses a cell of another, so far from its own. */
static void cells(const struct hwl_model *x, unsigned pc, unsigned over, unsigned array, int down,
		  int across)
{
	int rows = sides[over][0], all = rows * sides[over][1];
	int row = array == FRAME ? x->row - rows / 2 : down;
	int col = array == FRAME ? x->col - rows / 2 : across;

	for (int e = 0; e < all; e++) {
		hwl_lane(x, array, e % rows + row, e / rows + col);
		end_lane(x->m, pc, (uint64_t)e, (uint64_t)all);
	}
}

/* Instructions pc, pc + 1 .. of which the last writes: all over the matrix that it writes to. */
static void stage(const struct hwl_model *x, unsigned pc, int from, int from_too, unsigned to)
{
	if (from >= 0)
		cells(x, pc++, to, (unsigned)from, 0, 0);
	if (from_too >= 0)
		cells(x, pc++, to, (unsigned)from_too, 0, 0);
	cells(x, pc, to, to, 0, 0);
}

static void lines(const struct hwl_model *x, unsigned pc, unsigned array, bool columns)
{
	int threads = sides[array][columns], steps = sides[array][!columns];

	for (int i = 0; i < steps; i++) {
		for (int t = 0; t < threads; t++) {
			hwl_lane(x, array, columns ? i : t, columns ? t : i);
			end_lane(x->m, pc, (uint64_t)t, (uint64_t)threads);
		}
	}
}

/* A warp reads each column that any of its cells needs once. */
static void windows(const struct hwl_model *x)
{
	for (int first = 0; first < 131 * 131; first += 32) {
		for (int c = 0; c < 81; c++) {
			for (int e = first; e < first + 32 && e < 131 * 131; e++) {
				int i = e % 131, j = e / 131;
				for (int r = i - 50; r <= i && c <= j && c >= j - 50; r++)
					hwl_lane(x, IN2, r < 81 ? r : -1, c);
			}
			end_warp(x->m, 5);
		}
	}
}

static void sums(const struct hwl_model *x, unsigned source)
{
	cells(x, 7, PADV, source, -51, -51);
	stage(x, 8, -1, -1, PADV);
	lines(x, 9, PADV, true);
	lines(x, 10, PADV, true);
	cells(x, 11, SEL, PADV, 51, 0);
	stage(x, 12, -1, -1, SEL);
	stage(x, 13, PADV, -1, CUMH);
	stage(x, 15, SEL, CUMH, CUMH);
	lines(x, 18, CUMH, false);
	lines(x, 19, CUMH, false);
	cells(x, 20, CUMHSEL, CUMH, 0, 51);
	stage(x, 21, -1, -1, CUMHSEL);
}

static void later_frame(const struct hwl_model *x)
{
	stage(x, 2, FRAME, -1, IN2);
	stage(x, 4, -1, -1, T);
	windows(x);
	stage(x, 6, -1, -1, CONV);
	sums(x, IN2);
	stage(x, 22, CUMH, -1, SUB2);
	stage(x, 24, CUMHSEL, SUB2, SUB2);
	stage(x, 27, IN2, -1, SQR);
	sums(x, SQR);
	stage(x, 29, CUMH, -1, SQRSUB2);
	stage(x, 31, CUMHSEL, -1, SQRSUB2);
	stage(x, 33, SUB2, -1, SQRSUB2);
	stage(x, 35, T, -1, INSQR);
	lines(x, 37, T, true);
	lines(x, 38, INSQR, true);
	stage(x, 39, SQRSUB2, -1, SQRSUB2);
	stage(x, 41, SUB2, -1, CONV);
	stage(x, 43, CONV, -1, SQRSUB2);
	stage(x, 45, -1, -1, TMASK);
	stage(x, 46, TMASK, SQRSUB2, MCONV);
	lines(x, 49, MCONV, true);
}

/* 3 points, 11 frames: ten are alike. */
static void model_hwl(struct model *m)
{
	for (unsigned part = 0; part < 2; part++) {
		for (struct hwl_model x = {.m = m}; x.point < 3; x.point++) {
			place(x.point, 3, &x.row, &x.col);
			if (part == 0) {
				later_frame(&x);
				continue;
			}
			stage(&x, 0, FRAME, -1, T);
			stage(&x, 50, T, FRAME, T);
		}
		for (uint64_t i = 0; i < PCS * m->t.pages && part == 0; i++)
			m->t.n[i] *= 10;
	}
}

static void hwl_is_its_stages(void **state)
{
	(void)state;
	assert_like_model("hwl:scale=0.06,frames=11", model_hwl);
}

/* Pages of the frame that are in the window of a point. */
static uint64_t frame_pages(void)
{
	bool touched[609 * 590 * 4 / PAGE_BYTES + 1] = {0};
	uint64_t n = 0;

	for (int i = 0; i < 51; i++) {
		int row, col;
		place(i, 51, &row, &col);
		for (int c = col - 40; c <= col + 40; c++) {
			for (int r = row - 40; r <= row + 40; r++)
				touched[(c * 609 + r) * 4 / PAGE_BYTES] = true;
		}
	}
	for (size_t i = 0; i < COUNT(touched); i++)
		n += touched[i];
	return n;
}

struct footprint {
	uint64_t pages, accesses;
	bool *touched;
};

static struct footprint footprint_of(struct td_trace_source *s)
{
	const struct td_gpu_app *app = td_gpu_of(s);
	const struct td_gpu_array *last = &app->array[app->arrays - 1];
	struct footprint f = {.touched = calloc((last->base + last->bytes) / PAGE_BYTES + 1, 1)};
	struct tide_batch *batch = new_batch();

	assert_non_null(f.touched);
	for (; next_batch(s, batch); f.accesses += batch->n) {
		for (uint32_t i = 0; i < batch->n; i++) {
			f.pages += !f.touched[batch->page[i]];
			f.touched[batch->page[i]] = true;
		}
	}
	free_batch(batch);
	return f;
}

static void hwl_touches_windows_and_all_matrices(void **state)
{
	struct td_trace_source *s = open_source("hwl:frames=2", PAGE_BYTES, 1);
	const struct td_gpu_app *app = td_gpu_of(s);
	struct footprint f = footprint_of(s);
	uint64_t expected = frame_pages();

	(void)state;
	for (unsigned i = 1; i < app->arrays; i++)
		expected += (app->array[i].bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	assert_int_equal(f.pages, expected);
	free(f.touched);
	td_trace_close(s);
}

/* No warp reads the correlation's input before all have written it. */
static void hwl_waits_between_stages(void **state)
{
	struct td_trace_source *s = open_source("hwl:scale=0.2,frames=2", PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint64_t last_ref[10] = {0};

	(void)state;
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			uint64_t *last = &last_ref[batch->gpu->block[i]];
			if (batch->gpu->kernel[i] == 0 || batch->ref[i] > 13)
				continue;
			/* The sums are made twice. */
			assert_false(*last > 7 && batch->ref[i] <= 7);
			assert_false(*last > 5 && batch->ref[i] <= 5);
			*last = batch->ref[i];
		}
	}
	free_batch(batch);
	td_trace_close(s);
}

/* ---- sizes ---- */

static const struct td_workload *named(const char *name)
{
	const struct td_workload *w = td_workload_find(name);

	assert_non_null(w);
	return w;
}

/* The first of `times` parts that are all alike touches all that the others do. */
static void assert_sizes(const char *name, const char *spec, uint64_t times)
{
	const struct td_workload *w = named(name);
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct footprint f = footprint_of(s);
	double ratio = (double)w->footprint_bytes / (double)w->published_bytes;

	assert_int_equal(f.pages * PAGE_BYTES, w->footprint_bytes);
	if (times)
		assert_int_equal(f.accesses * times, w->accesses);
	assert_true(ratio > .98 && ratio < 1.02);
	free(f.touched);
	td_trace_close(s);
}

/* The first frame makes the templates, 19 are alike, and the tenth also changes the templates: as
 * in the first, but that they are read too, which is as many accesses as to write them. */
static void hwl_has_its_accesses(void **state)
{
	struct td_trace_source *one = open_source("hwl:frames=1", PAGE_BYTES, 1);
	struct td_trace_source *two = open_source("hwl:frames=2", PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint64_t first = 0, writes = 0, both = 0;

	(void)state;
	for (; next_batch(one, batch); first += batch->n) {
		for (uint32_t i = 0; i < batch->n; i++)
			writes += batch->write[i];
	}
	for (; next_batch(two, batch); both += batch->n)
		;
	assert_int_equal(named("hwl")->accesses, first + 19 * (both - first) + first + writes);
	free_batch(batch);
	td_trace_close(one);
	td_trace_close(two);
}

static void sizes_are_those_published(void **state)
{
	(void)state;
	assert_sizes("bfs", "bfs", 1);
	assert_sizes("b+t", "b+t", 1);
	assert_sizes("his", "his:iters=1", 20);
	assert_sizes("spv", "spv:iters=1", 50);
	assert_sizes("hwl", "hwl:frames=2", 0);
}

/* ---- runs ---- */

static const struct {
	const char *spec;
	bool seeded;
} runs[] = {
	{"bfs:scale=0.005", true},          {"spv:scale=0.03,iters=2", true},
	{"his:scale=0.04,iters=2", true},   {"b+t:scale=0.01", true},
	{"hwl:scale=0.02,frames=2", false}, {"bfs:scale=0.005,jitter=7", true},
};

static void runs_begin_again(void **state)
{
	struct tide_batch *batch = new_batch();

	(void)state;
	for (unsigned i = 0; i < COUNT(runs); i++) {
		struct td_trace_source *s = open_source(runs[i].spec, PAGE_BYTES, 1);
		struct td_trace_source *other = open_source(runs[i].spec, PAGE_BYTES, 2);
		uint64_t hash = run_through(s);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		for (unsigned k = 0; k < 2; k++) /* from the middle */
			assert_true(next_batch(s, batch));
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_true(run_through(s) == hash);
		assert_true((run_through(other) != hash) == runs[i].seeded);
		td_trace_close(s);
		td_trace_close(other);
	}
	free_batch(batch);
}

/* Pages of a byte are the smallest that there are. */
static void tiny_pages_are_fine(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(runs); i++) {
		struct td_trace_source *s = open_source(runs[i].spec, 1, 1);
		run_through(s);
		td_trace_close(s);
	}
}

static void sizes_that_cannot_be_fail(void **state)
{
	static const char *const specs[] = {
		"bfs:scale=0",      "bfs:scale=1000000", "spv:scale=0.0001", "spv:scale=100000",
		"spv:iters=0",      "his:scale=0.01",    "his:scale=100000", "his:sigma=0",
		"b+t:scale=100000", "hwl:scale=0.001",   "hwl:frames=0",     "hwl:mode=wave",
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(specs); i++) {
		struct tide_error err = {0};
		struct td_trace_source *s = NULL;
		assert_int_equal(td_workload_open(&s, specs[i], PAGE_BYTES, 1, &err), -EINVAL);
		assert_true(strlen(err.text) > 20 && !strchr(err.text, '\n'));
		assert_null(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hwl_is_its_stages),
		cmocka_unit_test(hwl_touches_windows_and_all_matrices),
		cmocka_unit_test(hwl_waits_between_stages),
		cmocka_unit_test(sizes_are_those_published),
		cmocka_unit_test(hwl_has_its_accesses),
		cmocka_unit_test(runs_begin_again),
		cmocka_unit_test(tiny_pages_are_fine),
		cmocka_unit_test(sizes_that_cannot_be_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
