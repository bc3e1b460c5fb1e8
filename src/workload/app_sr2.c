/* SYR2K of cuBLAS, the upper half of C = A' B + B' A, column-major: as SYRK, but that a step reads
 * block i of A and j of B, then i of B and j of A. */
#include "tiles.h"

enum { A, B, C };
enum { N };
enum { SCALE, MODE, JITTER };

#define SLAB 32 /* numbers of the inner dimension in a step */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static bool multiply(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	uint64_t loads = 4 * (uint64_t)app->p[N] / SLAB;
	int64_t pitch = app->p[N] * 4, slab = (int64_t)(n / 4) * TD_TILE_SLAB;

	if (n >= loads) {
		*out = td_tile_part(l, 4, C, TD_GPU_WRITE, 0, pitch, n - loads);
		return n < loads + td_tile_parts(l);
	}
	switch (n % 4) {
	case 0: *out = td_tile_columns_of_rows(l, 0, A, slab, pitch); break;
	case 1: *out = td_tile_columns(l, 1, B, TD_GPU_READ, slab, pitch); break;
	case 2: *out = td_tile_columns_of_rows(l, 2, B, slab, pitch); break;
	default: *out = td_tile_columns(l, 3, A, TD_GPU_READ, slab, pitch); break;
	}
	return true;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = td_tile_triangle("multiply", (uint64_t)app->p[N] / TD_TILE, 4);
	out->instr = multiply;
	return i < 1;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int rc = td_gpu_size(app, &app->p[N], 27264, v[SCALE].r, 2, TD_TILE, err);
	uint64_t bytes = (uint64_t)(app->p[N] * app->p[N] * 4);

	if (!rc)
		rc = td_gpu_fits(app, (double)bytes / (4 * 2 * TD_TILE * TD_TILE), err);
	app->jitter = (uint64_t)v[JITTER].i;
	td_gpu_add(app, "A", bytes);
	td_gpu_add(app, "B", bytes);
	td_gpu_add(app, "C", bytes);
	app->launch = launch;
	return rc ? rc : td_gpu_mode("sr2", v[MODE].text, &app->wave, err);
}

static int open(struct td_trace_source **out, const union tide_value *v, uint64_t page_bytes,
		uint64_t seed, struct tide_error *err)
{
	return td_gpu_open(out, "sr2", &td_gpu_observuvm, sizeof(struct td_gpu_app), setup, v,
			   page_bytes, seed, err);
}

const struct td_workload td_workload_app_sr2 = {
	.name = "sr2",
	.paper = "ObservUVM",
	.type = "LFU",
	.summary = "two matrices times each other, upper half, of cuBLAS",
	.published_bytes = UINT64_C(831) * (UINT64_C(1) << 30) / 100,
	.footprint_bytes = UINT64_C(132452) * 65536,
	.accesses = 12749768,
	.page_bytes = 65536,
	.arrays = 3,
	.params = params,
	.open = open,
};
