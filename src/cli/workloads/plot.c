/* tide workloads --plot: pages against time, over the whole run and in a few pages of the largest
 * array, where strides show. */
#include <errno.h>
#include <stdlib.h>

#include "../plot.h"
#include "lab/workload/gpu.h"
#include "lib/sizes.h"
#include "trace/trace.h"
#include "workload/workload.h"
#include "workloads.h"

#define POINTS_MOST 10000 /* of a panel */
#define CURVES_MOST 12    /* colours; what is left of the arrays is one of them */
#define WHOLE_ROWS 360
#define WHOLE_COLUMNS 720
#define MANY 1000000 /* accesses, from which on they are given in millions */
#define NEAR_PAGES 64
#define NEAR_COLUMNS 256

/* Accesses as a picture: a cell is so many pages by so many accesses. How many accesses there will
 * be is not known, so a picture that is full is folded to half its width, and goes on. */
struct picture {
	uint64_t first, pages, row_pages; /* pages that it shows; of a row */
	uint64_t column_accesses;
	size_t rows, columns;
	uint8_t *cell;                /* 0: empty, else the curve + 1 that was there last */
	size_t filled[WHOLE_COLUMNS]; /* cells of a column, once all accesses are in */
};

struct drawing {
	const struct td_cli_workloads_options *args;
	struct td_gpu_app *app; /* NULL: a plain pattern */
	struct picture whole, near;
	uint8_t curve[TD_GPU_ARRAYS]; /* of each array */
	unsigned largest;
	size_t curves;
	uint64_t accesses;
	double unit; /* of the axis of time */
	struct td_report_look look;
	struct tide_batch batch;
	struct tide_batch_gpu gpu;
};

/* ---- pictures ---- */

static int start_picture(struct picture *p, uint64_t first, uint64_t pages, size_t rows,
			 size_t columns)
{
	pages = pages ? pages : 1;
	*p = (struct picture){.first = first,
			      .pages = pages,
			      .row_pages = (pages - 1) / rows + 1,
			      .column_accesses = 1,
			      .rows = rows,
			      .columns = columns};
	p->cell = calloc(rows, columns);
	return p->cell ? 0 : -ENOMEM;
}

static void fold(struct picture *p)
{
	size_t half = p->columns / 2;

	for (size_t row = 0; row < p->rows; row++) {
		uint8_t *c = &p->cell[row * p->columns];
		for (size_t i = 0; i < half; i++)
			c[i] = c[2 * i + 1] ? c[2 * i + 1] : c[2 * i];
		memset(c + half, 0, half);
	}
	p->column_accesses *= 2;
}

static void mark(struct picture *p, uint64_t page, uint64_t time, uint8_t curve)
{
	while (time / p->column_accesses >= p->columns)
		fold(p);
	if (page < p->first || page - p->first >= p->pages)
		return;
	size_t row = (size_t)((page - p->first) / p->row_pages);
	p->cell[row * p->columns + time / p->column_accesses] = (uint8_t)(curve + 1);
}

/* ---- curves ---- */

static bool is_larger(const struct td_gpu_app *app, unsigned a, unsigned b)
{
	uint64_t x = app->array[a].bytes, y = app->array[b].bytes;

	return x > y || (x == y && a < b);
}

/* The largest arrays have a curve each, in the order of the arrays; the others share the last. */
static void choose_curves(struct drawing *d)
{
	d->curves = 1;
	if (!d->app)
		return;
	d->curves = 0;
	for (unsigned i = 0; i < d->app->arrays; i++) {
		unsigned before = 0;
		for (unsigned k = 0; k < d->app->arrays; k++)
			before += is_larger(d->app, k, i);
		if (before == 0)
			d->largest = i;
		bool own = before < CURVES_MOST - 1;
		d->curve[i] = (uint8_t)(own ? d->curves : CURVES_MOST - 1);
		d->curves += own;
	}
	if (d->app->arrays > d->curves)
		d->curves++;
}

static const char *curve_name(const struct drawing *d, size_t curve)
{
	if (!d->app)
		return "pages";
	if (curve == CURVES_MOST - 1)
		return "others";
	for (unsigned i = 0; i < d->app->arrays; i++)
		if (d->curve[i] == curve)
			return d->app->array[i].name;
	return "";
}

/* ---- from pictures to points ---- */

static size_t count_filled(const struct picture *p, size_t column)
{
	size_t n = 0;

	for (size_t row = 0; row < p->rows; row++)
		n += p->cell[row * p->columns + column] != 0;
	return n;
}

/* How many points a column may have so that the picture has not too many: crowded columns give
 * away first. */
static size_t column_most(const struct picture *p)
{
	for (size_t most = p->rows; most > 1; most--) {
		size_t all = 0;
		for (size_t c = 0; c < p->columns; c++)
			all += p->filled[c] < most ? p->filled[c] : most;
		if (all <= POINTS_MOST)
			return most;
	}
	return 1;
}

/* Which cells of a crowded column are kept must not follow a pattern of its own. */
static bool keeps(const struct picture *p, size_t cell, size_t most)
{
	size_t filled = p->filled[cell % p->columns];

	return filled <= most || tide_hash64(cell) % filled < most;
}

/* Points of all curves, one curve after another, into x and y. */
static void make_points(const struct drawing *d, struct picture *p, double *x, double *y,
			struct td_cli_curve *curves)
{
	for (size_t c = 0; c < p->columns; c++)
		p->filled[c] = count_filled(p, c);

	size_t n = 0, most = column_most(p);

	for (size_t c = 0; c < d->curves; c++) {
		curves[c] = (struct td_cli_curve){.name = curve_name(d, c), .x = x + n, .y = y + n};
		for (size_t i = 0; i < p->rows * p->columns; i++) {
			if (p->cell[i] != c + 1 || !keeps(p, i, most))
				continue;
			size_t row = i / p->columns;
			x[n] = (double)((i % p->columns) * p->column_accesses) * d->unit;
			y[n++] = (double)(row * p->row_pages);
			curves[c].n++;
		}
	}
}

static int draw(struct drawing *d, double *xy, struct tide_error *err)
{
	struct td_cli_curve curves[2][CURVES_MOST];
	size_t whole = d->whole.rows * d->whole.columns, near = d->near.rows * d->near.columns;
	char title[80];

	bool many = d->accesses >= MANY;
	const char *time = many ? "million accesses" : "accesses";
	d->unit = many ? 1e-6 : 1;
	double end = (double)d->accesses * d->unit;
	make_points(d, &d->whole, xy, xy + whole, curves[0]);
	make_points(d, &d->near, xy + 2 * whole, xy + 2 * whole + near, curves[1]);
	snprintf(title, sizeof title, "the first %d pages%s%s", NEAR_PAGES, d->app ? " of " : "",
		 d->app ? d->app->array[d->largest].name : "");
	const struct td_cli_panel panels[] = {
		{d->args->given.words.at[0], time, "page", curves[0], d->curves, true, end},
		{title, time, "page", curves[1], d->curves, true, end},
	};
	return td_cli_plot(panels, 2, &d->look, d->args->plot, err);
}

/* ---- the run ---- */

static void mark_batch(struct drawing *d)
{
	for (uint32_t i = 0; i < d->batch.n; i++) {
		uint8_t curve = d->app ? d->curve[d->gpu.array[i]] : 0;
		mark(&d->whole, d->batch.page[i], d->accesses, curve);
		mark(&d->near, d->batch.page[i], d->accesses, curve);
		d->accesses++;
	}
}

static int run(struct drawing *d, struct td_trace_source *source, struct tide_error *err)
{
	struct td_cli_progress progress;
	int rc = td_cli_progress_start(&progress, d->args->progress, "plot", err);

	if (d->app)
		d->batch.gpu = &d->gpu;
	while (!rc) {
		rc = td_trace_next(source, &d->batch, err);
		if (rc || d->batch.n == 0)
			break;
		mark_batch(d);
		td_cli_progress_show(&progress, d->accesses, 0);
	}
	td_cli_progress_end(&progress);
	return rc;
}

/* What the pictures show: all pages, and the first ones of the largest array. */
static int start(struct drawing *d, const struct td_trace_source *source, uint64_t page_bytes)
{
	const struct td_gpu_array *a = d->app ? d->app->array : NULL;
	uint64_t pages = a ? 0 : source->facts.last_page + 1, first = 0;
	int rc;

	for (unsigned i = 0; a && i < d->app->arrays; i++)
		pages = (a[i].base + a[i].bytes + page_bytes - 1) / page_bytes;
	choose_curves(d);
	if (a)
		first = a[d->largest].base / page_bytes;
	rc = start_picture(&d->whole, 0, pages, WHOLE_ROWS, WHOLE_COLUMNS);
	return rc ? rc : start_picture(&d->near, first, NEAR_PAGES, NEAR_PAGES, NEAR_COLUMNS);
}

static int draw_source(struct drawing *d, struct td_trace_source *source, uint64_t page_bytes,
		       struct tide_error *err)
{
	size_t cells = WHOLE_ROWS * WHOLE_COLUMNS + NEAR_PAGES * NEAR_COLUMNS;
	double *xy = calloc(2 * cells, sizeof *xy);
	int rc = xy ? start(d, source, page_bytes) : -ENOMEM;

	if (rc)
		rc = tide_fail(err, rc, "no memory for the figure: free some");
	if (!rc)
		rc = run(d, source, err);
	if (!rc)
		rc = draw(d, xy, err);
	free(xy);
	free(d->whole.cell);
	free(d->near.cell);
	return rc;
}

/* The texts of --page and --seed are the library's to read. */
static int open_source(const struct td_cli_workloads_options *args, struct td_trace_source **source,
		       uint64_t *page_bytes, struct tide_error *err)
{
	const struct td_workload *w = td_workload_find(args->given.words.at[0]);
	uint64_t seed;
	int rc = td_lib_seed(args->seed, &seed, err);

	*page_bytes = td_workload_page_bytes(w);
	if (!rc && args->page)
		rc = td_lib_page_bytes(args->page, page_bytes, err);
	return rc ? rc : td_workload_open(source, args->given.words.at[0], *page_bytes, seed, err);
}

static int report(const struct drawing *d, struct tide_error *err)
{
	const struct td_cli_workloads_options *args = d->args;

	if (args->describe)
		return 0;
	if (args->json)
		return td_cli_print_json(json_pack("{so so sI}", "workload",
						   td_cli_json_text(args->given.words.at[0]),
						   "output", td_cli_json_text(args->plot),
						   "accesses", (json_int_t)d->accesses),
					 err);
	printf("%s: %s accesses of %s\n", args->plot, td_cli_grouped(d->accesses).text,
	       args->given.words.at[0]);
	return 0;
}

int td_cli_workload_plot(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	struct td_trace_source *source;
	uint64_t page_bytes;
	struct td_report_look look;
	int rc = td_cli_plot_look(&look, args->plot, args->width, args->colours, err);

	if (!rc)
		rc = td_cli_plot_check(args->plot, err);
	if (!rc)
		rc = open_source(args, &source, &page_bytes, err);
	if (rc)
		return rc;
	struct drawing *d = calloc(1, sizeof *d);
	if (d) {
		d->args = args;
		d->look = look;
		d->app = td_gpu_of(source);
		rc = draw_source(d, source, page_bytes, err);
	} else {
		rc = tide_fail(err, -ENOMEM, "no memory for the figure: free some");
	}
	if (!rc)
		rc = report(d, err);
	td_trace_close(source);
	free(d);
	return rc;
}
