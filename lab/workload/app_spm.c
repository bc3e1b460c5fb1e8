/* SpMM of cuSPARSE, C = A B: A sparse, by rows; B and C column-major. The library's kernel is not
 * public: a warp makes 32 columns of a row of C, its lanes a column each; all rows for the first 32
 * columns, then all rows for the next.
 *
 *             32 columns        Rows that run together use all of a tile of B, in any order, and
 *     B   |   tile   |   ..     stream A; the next tile of B streams A again.
 *
 * Where B and C are row-major it is another kernel: spm_rows.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_run.h"
#include "graph.h"
#include "spm.h"

enum { OFFS, COLS, VALS, B, C };
enum { SCALE, POWER, COLUMNS, ENTRIES, LAYOUT };
enum { ROWS = 1 << 20, ROWS_MOST = 1 << 23 }; /* so that numbers of entries are 31 bits */
enum { BLOCK_ROWS = 8, TILE = TD_GPU_LANES };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"power", TIDE_PARAM_REAL, "0", 0, 0.95,
	 "column c of A is in use as often as 1 / c^power; 0: all alike"},
	{"columns", TIDE_PARAM_INT, "896", 32, 896, "of B and C, a multiple of 32"},
	{"entries", TIDE_PARAM_INT, "128", 1, 128,
	 "of a row of A, a multiple of 32 or fewer than 32"},
	{"layout", TIDE_PARAM_TEXT, "columns", 0, 0,
	 "of B and C: columns or rows after each other"},
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

/* ---- shape ---- */

/* Instructions of a warp for a tile of its row. */
static uint64_t instrs_of(const struct td_spm *s)
{
	return 1 + s->entries / td_spm_chunk(s) * (td_spm_chunk(s) + 2) + 1;
}

/* ---- data ---- */

static uint64_t number_of(const struct td_spm *s, uint64_t which)
{
	uint64_t state = tide_hash64(s->app.seed) + which * UINT64_C(0x9e3779b97f4a7c15);

	return tide_random_next(&state);
}

uint32_t td_spm_column(const struct td_spm *s, uint32_t row, uint32_t entry)
{
	uint64_t draw = number_of(s, (uint64_t)row * s->entries + entry) >> 32;

	if (s->power > 0) /* the share of columns below x is x^(1 - power) */
		return (uint32_t)(s->rows * pow((double)draw * 0x1p-32, 1 / (1 - s->power)));
	return (uint32_t)(draw * s->rows >> 32);
}

static float value_of(const struct td_spm *s, uint64_t which)
{
	return (float)(number_of(s, ~which) >> 40) * 0x1p-23F - 1;
}

static int make_matrices(struct td_spm *s)
{
	uint64_t entries = (uint64_t)s->rows * s->entries;
	uint64_t numbers = (uint64_t)s->rows * s->columns;

	s->cols = malloc(entries * sizeof *s->cols);
	s->vals = malloc(entries * sizeof *s->vals);
	s->b = malloc(numbers * sizeof *s->b);
	s->c = calloc(numbers, sizeof *s->c);
	if (!s->cols || !s->vals || !s->b || !s->c)
		return -ENOMEM;
	for (uint64_t i = 0; i < entries; i++) {
		s->cols[i] =
			td_spm_column(s, (uint32_t)(i / s->entries), (uint32_t)(i % s->entries));
		s->vals[i] = value_of(s, i);
	}
	for (uint64_t i = 0; i < numbers; i++)
		s->b[i] = value_of(s, entries + i);
	return 0;
}

/* ---- exact mode ---- */

/* The body's variables. */
enum { ROW, FIRST, K };

/* Byte of a row of B or C in the first column of the warp's tile. */
static uint64_t in_tile(const struct td_spm *s, const struct td_gpu_warp *w, uint64_t row)
{
	return ((uint64_t)w->by * TILE * s->rows + row) * 4;
}

static struct td_gpu_access tile_row(const struct td_spm *s, const struct td_gpu_warp *w,
				     unsigned pc, unsigned array, bool write, uint64_t row)
{
	return td_gpu_row(pc, array, write, in_tile(s, w, row), (int64_t)s->rows * 4, TILE);
}

static uint64_t first_entry(const struct td_spm *s, const struct td_gpu_warp *w)
{
	return (uint64_t)(w->v[ROW] * s->entries + w->v[FIRST]);
}

static struct td_gpu_access load(const struct td_spm *s, const struct td_gpu_warp *w, unsigned pc,
				 unsigned array)
{
	return td_gpu_row(pc, array, TD_GPU_READ, first_entry(s, w) * 4, 4, td_spm_chunk(s));
}

/* The sums are in registers, here already in C. */
static void add_products(struct td_spm *s, const struct td_gpu_warp *w, uint64_t entry)
{
	uint64_t to = in_tile(s, w, (uint64_t)w->v[ROW]) / 4;
	uint64_t from = in_tile(s, w, s->cols[entry]) / 4;
	bool is_first = entry % s->entries == 0;

	for (unsigned j = 0; j < TILE; j++, to += s->rows, from += s->rows)
		s->c[to] = (is_first ? 0 : s->c[to]) + s->vals[entry] * s->b[from];
}

static struct td_gpu_access multiply_entry(struct td_spm *s, const struct td_gpu_warp *w)
{
	uint64_t entry = first_entry(s, w) + (uint64_t)w->v[K];

	add_products(s, w, entry);
	return tile_row(s, w, 3, B, TD_GPU_READ, s->cols[entry]);
}

static bool multiply(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_spm *s = (struct td_spm *)app;

	WARP_BEGIN(w)
	w->v[ROW] = (int64_t)w->bx * BLOCK_ROWS + w->warp;
	GIVE(w, out, td_gpu_row(0, OFFS, TD_GPU_READ, (uint64_t)w->v[ROW] * 4, 4, 2));
	for (w->v[FIRST] = 0; w->v[FIRST] < s->entries; w->v[FIRST] += td_spm_chunk(s)) {
		GIVE(w, out, load(s, w, 1, COLS));
		GIVE(w, out, load(s, w, 2, VALS));
		for (w->v[K] = 0; w->v[K] < td_spm_chunk(s); w->v[K]++)
			GIVE(w, out, multiply_entry(s, w));
	}
	GIVE(w, out, tile_row(s, w, 4, C, TD_GPU_WRITE, (uint64_t)w->v[ROW]));
	WARP_END;
}

/* ---- wave mode ---- */

/* The entry of its row whose row of B a warp's n-th instruction for a tile reads; -1: it is another
 * one. */
static int entry_at(const struct td_spm *s, uint64_t n)
{
	int chunk = (int)td_spm_chunk(s), at = (int)n - 1, k = at % (chunk + 2) - 2;

	return n == 0 || n == instrs_of(s) - 1 || k < 0 ? -1 : at / (chunk + 2) * chunk + k;
}

/* Rows of A and C go along bx and the threads' y, lanes are x. */
static bool regular(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	const struct td_spm *s = (const struct td_spm *)app;
	int64_t column = s->rows * INT64_C(4), row = s->entries * INT64_C(4);
	int64_t chunk = td_spm_chunk(s), at = (int64_t)n - 1;

	if (n == 0) {
		*out = td_gpu_instr(l, 0, OFFS, TD_GPU_READ, 0, 4, 4);
		out->tx_to = 2;
		out->per_bx = BLOCK_ROWS * 4;
	} else if (n < instrs_of(s) - 1) {
		bool is_vals = at % (chunk + 2) == 1;
		*out = td_gpu_instr(l, is_vals ? 2 : 1, is_vals ? VALS : COLS, TD_GPU_READ,
				    at / (chunk + 2) * chunk * 4, 4, row);
		out->tx_to = chunk;
		out->per_bx = BLOCK_ROWS * row;
	} else {
		*out = td_gpu_instr(l, 4, C, TD_GPU_WRITE, 0, column, 4);
		out->per_bx = BLOCK_ROWS * 4;
		out->per_by = TILE * column;
	}
	return n < instrs_of(s);
}

/* Are columns of B whole pages? */
static bool by_pages(const struct td_spm *s)
{
	return (uint64_t)s->rows * 4 % s->app.page_bytes == 0 &&
	       s->app.array[B].base % s->app.page_bytes == 0;
}

int td_spm_be_on(struct td_spm *s, uint64_t warp, uint64_t place, uint64_t page, unsigned columns,
		 struct td_gpu_ready *out)
{
	struct td_spm_place *p = &s->place[place];

	if (p->step == s->step) {
		p->count += p->warp != warp + 1;
		p->warp = warp + 1;
		return 0;
	}
	bool is_new = p->step + 1 != s->step;
	*p = (struct td_spm_place){.step = s->step, .warp = warp + 1, .count = 1};
	s->now++;
	if (!is_new)
		return 0;
	if (td_gpu_room(out, out->n + columns))
		return -ENOMEM;
	for (unsigned l = 0; l < columns; l++, page += s->rows * UINT64_C(4) / s->app.page_bytes)
		out->at[out->n++] = (struct td_gpu_event){.page = page,
							  .order = place,
							  .block = (uint32_t)(warp / s->warps),
							  .warp = (uint16_t)(warp % s->warps)};
	return 0;
}

void td_spm_next_step(struct td_spm *s, bool is_first)
{
	s->step += is_first ? 2 : 1; /* a new wave is nowhere yet */
	s->before = is_first ? 0 : s->now;
	s->now = 0;
}

int td_spm_done(const struct td_spm *s, struct td_gpu_ready *out)
{
	for (uint32_t i = 0; i < out->n; i++)
		out->at[i].count = s->place[out->at[i].order].count;
	out->array = B;
	out->pc = 3;
	out->write = false;
	return 1;
}

/* A warp reads a row of its tile of B. */
static int read_row(struct td_spm *s, uint64_t warp, uint64_t tile, uint32_t row,
		    struct td_gpu_ready *out)
{
	uint64_t page_bytes = s->app.page_bytes, base = s->app.array[B].base;
	uint64_t at = base + (tile * TILE * s->rows + row) * 4;
	uint64_t column_pages = s->rows * UINT64_C(4) / page_bytes;
	int rc = 0;

	if (by_pages(s))
		return td_spm_be_on(s, warp, tile * column_pages + row * UINT64_C(4) / page_bytes,
				    at / page_bytes, TILE, out);
	for (unsigned l = 0; l < TILE && !rc; l++, at += s->rows * UINT64_C(4))
		rc = td_spm_be_on(s, warp, at / page_bytes - base / page_bytes, at / page_bytes, 1,
				  out);
	return rc;
}

/* Places of all tiles from the first block's to the last's. */
static uint64_t places_of(const struct td_spm *s, uint64_t tile, uint64_t last)
{
	uint64_t page_bytes = s->app.page_bytes, base = s->app.array[B].base;
	uint64_t tile_bytes = s->rows * UINT64_C(4) * TILE;

	if (by_pages(s))
		return (last + 1 - tile) * (tile_bytes / TILE / page_bytes);
	return (base + (last + 1) * tile_bytes - 1) / page_bytes -
	       (base + tile * tile_bytes) / page_bytes + 1;
}

/* All warps read the row of B that an entry of theirs names. Soon they have been everywhere; where
 * the step before was everywhere too, the rest can bring nothing new. */
static int gathered(struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    uint64_t first, uint64_t end, struct td_gpu_ready *out)
{
	struct td_spm *s = (struct td_spm *)app;
	uint64_t all = places_of(s, first / l->grid_x, (end - 1) / l->grid_x);
	int entry = entry_at(s, n), rc = 0;

	if (entry < 0)
		return 0;
	td_spm_next_step(s, entry == 0);
	for (uint64_t block = first; block < end && !rc; block++) {
		uint64_t row = block % l->grid_x * BLOCK_ROWS;
		if (s->now == all && s->before == all)
			break;
		for (unsigned warp = 0; warp < BLOCK_ROWS && !rc; warp++)
			rc = read_row(s, block * BLOCK_ROWS + warp, block / l->grid_x,
				      td_spm_column(s, (uint32_t)row + warp, (uint32_t)entry), out);
	}
	return rc ? rc : td_spm_done(s, out);
}

/* ---- setup ---- */

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	const struct td_spm *s = (const struct td_spm *)app;

	*out = td_gpu_grid("multiply", s->rows / BLOCK_ROWS, s->columns / TILE, TILE, BLOCK_ROWS);
	out->x_step = out->y_step = 0;
	out->instr = regular;
	out->gathered = gathered;
	out->body = multiply;
	return i < 1;
}

static void release(struct td_gpu_app *app)
{
	struct td_spm *s = (struct td_spm *)app;

	free(s->cols);
	free(s->vals);
	free(s->b);
	free(s->c);
	free(s->place);
}

/* Exact mode computes the product; wave mode has no use for the numbers. */
static int make_data(struct td_spm *s, struct tide_error *err)
{
	double bytes = (double)s->rows * (s->entries + s->columns) * 2 * 4;
	uint64_t pages = s->rows * UINT64_C(4) * s->columns / s->app.page_bytes + 2;
	int rc = 0;

	if (s->app.wave)
		s->place = calloc(pages, sizeof *s->place);
	else if (!s->by_rows)
		rc = td_graph_fits("spm", bytes, err);
	if (rc)
		return rc;
	if (s->app.wave ? !s->place : !s->by_rows && make_matrices(s) != 0)
		return tide_fail(err, -ENOMEM, "workload spm: no memory for its data: free some");
	return 0;
}

static int set_shape(struct td_spm *s, const union tide_value *v, struct tide_error *err)
{
	s->columns = (uint32_t)v[COLUMNS].i;
	s->entries = (uint32_t)v[ENTRIES].i;
	if (s->columns % TILE)
		return tide_fail(err, -EINVAL,
				 "workload spm: columns=%u is no multiple of 32: give one",
				 s->columns);
	if (s->entries % td_spm_chunk(s))
		return tide_fail(
			err, -EINVAL,
			"workload spm: entries=%u is no multiple of 32: give one, or fewer",
			s->entries);
	s->warps = BLOCK_ROWS;
	if (strcmp(v[LAYOUT].text, "rows") == 0)
		return td_spm_rows(s, err);
	if (strcmp(v[LAYOUT].text, "columns") == 0)
		return 0;
	return tide_fail(err, -EINVAL, "workload spm: layout=%s is none: give columns or rows",
			 v[LAYOUT].text);
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_spm *s = (struct td_spm *)app;
	int64_t rows = 0;
	int rc = td_gpu_size(app, &rows, ROWS, v[SCALE].r, 1, BLOCK_ROWS, err);

	app->launch = launch;
	if (!rc)
		rc = set_shape(s, v, err);
	if (!rc && rows > ROWS_MOST)
		rc = tide_fail(err, -EINVAL,
			       "workload spm: scale=%g makes a matrix of more than 2^23 rows: give "
			       "a smaller scale",
			       v[SCALE].r);
	app->release = release;
	s->rows = (uint32_t)rows;
	s->power = v[POWER].r;
	s->step = 1;
	if (rc)
		return rc;
	td_gpu_add(app, "offs", (uint64_t)(rows + 1) * 4);
	td_gpu_add(app, "cols", (uint64_t)rows * s->entries * 4);
	td_gpu_add(app, "vals", (uint64_t)rows * s->entries * 4);
	td_gpu_add(app, "B", (uint64_t)rows * s->columns * 4);
	td_gpu_add(app, "C", (uint64_t)rows * s->columns * 4);
	return make_data(s, err);
}

const struct td_gpu_workload td_workload_app_spm = {
	.head =
		{
			.name = "spm",
			.paper = "ObservUVM",
			.type = "LFU",
			.summary = "sparse matrix times dense matrix of cuSPARSE",
			.published_bytes = UINT64_C(8) << 30,
			.footprint_bytes = UINT64_C(131137) * 65536,
			.accesses = 16197973,
			.arrays = 5,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.app_bytes = sizeof(struct td_spm),
	.setup = setup,
};
