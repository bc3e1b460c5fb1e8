/* SpMM where B and C are row-major, as the library was seen to do it: C is made zero, then a block
 * of 128 threads makes 128 columns of a row of C; all rows for the first 128 columns, then all rows
 * for the next.
 *
 *       128 columns             A row is 3.5 KiB, so every pass uses all pages of B, in any order,
 *     |   |   |   |  ..  B      all the time, and streams A and all pages of C.
 *
 * The loads of a chunk of entries are under way together: one instruction here. */
#include <errno.h>

#include "gpu_run.h"
#include "spm.h"

enum { OFFS, COLS, VALS, B, C };
enum { WARPS = 4, TILE = WARPS * TD_GPU_LANES, PER_CHUNK = 3 };

static uint64_t chunks_of(const struct td_spm *s)
{
	return s->entries / td_spm_chunk(s);
}

/* Byte of the first of a tile's numbers in a row of B or C. */
static uint64_t in_row(const struct td_spm *s, uint64_t row, uint64_t tile)
{
	return (row * s->columns + tile * TILE) * 4;
}

/* ---- exact mode ---- */

enum { FIRST };

static struct td_gpu_access load(const struct td_spm *s, const struct td_gpu_warp *w, unsigned pc,
				 unsigned array)
{
	uint64_t entry = w->bx * (uint64_t)s->entries + (uint64_t)w->v[FIRST];

	return td_gpu_row(pc, array, TD_GPU_READ, entry * 4, 4, td_spm_chunk(s));
}

static struct td_gpu_access gather(const struct td_spm *s, struct td_gpu_warp *w)
{
	for (uint32_t l = 0; l < td_spm_chunk(s); l++) {
		uint32_t row = td_spm_column(s, w->bx, (uint32_t)w->v[FIRST] + l);
		w->gather[l] = in_row(s, row, w->by) + w->warp * TD_GPU_LANES * UINT64_C(4);
	}
	return td_gpu_gather(3, B, TD_GPU_READ, td_spm_chunk(s));
}

static struct td_gpu_access store(const struct td_spm *s, const struct td_gpu_warp *w)
{
	uint64_t at = in_row(s, w->bx, w->by) + w->warp * TD_GPU_LANES * UINT64_C(4);

	return td_gpu_row(4, C, TD_GPU_WRITE, at, 4, TD_GPU_LANES);
}

/* The block's first warp loads the entries for all. */
static bool multiply(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	const struct td_spm *s = (const struct td_spm *)app;

	WARP_BEGIN(w)
	if (w->warp == 0)
		GIVE(w, out, td_gpu_row(0, OFFS, TD_GPU_READ, w->bx * UINT64_C(4), 4, 2));
	for (; w->v[FIRST] < s->entries; w->v[FIRST] += td_spm_chunk(s)) {
		if (w->warp == 0)
			GIVE(w, out, load(s, w, 1, COLS));
		if (w->warp == 0)
			GIVE(w, out, load(s, w, 2, VALS));
		GIVE(w, out, td_gpu_barrier());
		GIVE(w, out, gather(s, w));
	}
	GIVE(w, out, store(s, w));
	WARP_END;
}

static bool clear(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	const struct td_spm *s = (const struct td_spm *)app;

	*out = td_gpu_instr(l, 5, C, TD_GPU_WRITE, 0, 16, s->columns * INT64_C(4));
	return n < 1;
}

/* ---- wave mode ---- */

/* Rows are bx, tiles by. */
static bool regular(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	const struct td_spm *s = (const struct td_spm *)app;
	int64_t chunk = td_spm_chunk(s), at = (int64_t)n - 1;
	uint64_t last = 1 + chunks_of(s) * PER_CHUNK;
	bool is_vals = at % PER_CHUNK == 1;

	if (n == 0) {
		*out = td_gpu_instr(l, 0, OFFS, TD_GPU_READ, 0, 4, 0);
		out->tx_to = 2;
		out->per_bx = 4;
	} else if (n < last) {
		*out = td_gpu_instr(l, is_vals ? 2 : 1, is_vals ? VALS : COLS, TD_GPU_READ,
				    at / PER_CHUNK * chunk * 4, 4, 0);
		out->tx_to = chunk;
		out->per_bx = s->entries * INT64_C(4);
	} else {
		*out = td_gpu_instr(l, 4, C, TD_GPU_WRITE, 0, 4, 0);
		out->per_bx = s->columns * INT64_C(4);
		out->per_by = TILE * 4;
	}
	return n <= last;
}

/* A block reads the rows of B that its entries from `first` on name, warp by warp. */
static int read_rows(struct td_spm *s, uint64_t block, uint32_t row, uint64_t tile, uint32_t first,
		     struct td_gpu_ready *out)
{
	uint64_t page_bytes = s->app.page_bytes, base = s->app.array[B].base;
	uint64_t from[TD_GPU_LANES];
	int rc = 0;

	for (uint32_t l = 0; l < td_spm_chunk(s); l++)
		from[l] = base + in_row(s, td_spm_column(s, row, first + l), tile);
	for (unsigned warp = 0; warp < WARPS; warp++) {
		for (uint32_t l = 0; l < td_spm_chunk(s) && !rc; l++) {
			uint64_t page = (from[l] + warp * TD_GPU_LANES * 4) / page_bytes;
			rc = td_spm_be_on(s, block * WARPS + warp, page - base / page_bytes, page,
					  1, out);
		}
	}
	return rc;
}

static int gathered(struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    uint64_t first, uint64_t end, struct td_gpu_ready *out)
{
	struct td_spm *s = (struct td_spm *)app;
	uint64_t page_bytes = app->page_bytes, base = app->array[B].base;
	uint64_t all = (base + app->array[B].bytes - 1) / page_bytes - base / page_bytes + 1;
	uint64_t chunk = (n - 1) / PER_CHUNK;
	int rc = 0;

	if (n == 0 || n > chunks_of(s) * PER_CHUNK || (n - 1) % PER_CHUNK != 2)
		return 0;
	td_spm_next_step(s, chunk == 0);
	for (uint64_t block = first; block < end && !rc; block++) {
		if (s->now == all && s->before == all)
			break;
		rc = read_rows(s, block, (uint32_t)(block % l->grid_x), block / l->grid_x,
			       (uint32_t)chunk * td_spm_chunk(s), out);
	}
	return rc ? rc : td_spm_done(s, out);
}

/* ---- setup ---- */

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	const struct td_spm *s = (const struct td_spm *)app;

	if (i == 0) {
		*out = td_gpu_grid("clear", s->columns / TILE, s->rows / 4, TILE / 4, 4);
		out->instr = clear;
		return true;
	}
	*out = td_gpu_grid("multiply", s->rows, s->columns / TILE, TILE, 1);
	out->x_step = out->y_step = 0;
	out->instr = regular;
	out->gathered = gathered;
	out->body = multiply;
	return i < 2;
}

int td_spm_rows(struct td_spm *s, struct tide_error *err)
{
	s->app.launch = launch;
	s->by_rows = true;
	s->warps = WARPS;
	if (s->columns % TILE == 0)
		return 0;
	return tide_fail(
		err, -EINVAL,
		"workload spm: columns=%u is no multiple of 128: with layout=rows, give one",
		s->columns);
}
