/* SpMV of Parboil: y = A x with A as jagged diagonals, again and again. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gaussian.h"
#include "graph.h"
#include "spv.h"

enum { DATA, INDEX, PERM, X, Y };
enum { ITERS };
enum { SCALE, PARAM_ITERS };
enum { THREADS = 192, SIDE = 383, SIDE_LEAST = 16, SIDE_MOST = 8192 };
enum { ENTRIES = 23 }; /* of a row, on average */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"iters", TIDE_PARAM_INT, "50", 1, 1000000, "products, one after another"},
	TD_GPU_PARAM_JITTER,
	{0},
};

/* ---- the matrix ---- */

static uint64_t below(uint64_t *random, uint64_t n)
{
	return tide_random_next(random) % n;
}

/* A row's random numbers are its own. */
static uint64_t row_random(uint64_t seed, uint32_t row)
{
	return tide_hash64(seed) ^ tide_hash64(row + UINT64_C(1));
}

/* Lengths of the mesh Dubcova3. */
static unsigned draw_length(uint64_t *random)
{
	return (unsigned)(below(random, 4) ? 15 + below(random, 11) : 25 + below(random, 14));
}

/* How far from the diagonal: beside it, one or two rows of the mesh away, or anywhere near. */
static int64_t draw_distance(uint64_t *random, uint32_t side)
{
	int64_t near = (int64_t)below(random, 7) - 3;
	int64_t rows = (int64_t)below(random, 4) - 2;

	switch (below(random, 3)) {
	case 0: return (int64_t)below(random, 25) - 12;
	case 1: return near + (rows < 0 ? rows : rows + 1) * side;
	default: return lrint(td_gaussian_next(random) * 600);
	}
}

/* Puts a column where it belongs, unless it is there already. */
static unsigned insert(uint32_t *column, unsigned n, uint32_t c)
{
	unsigned at = n;

	while (at && column[at - 1] > c)
		at--;
	if (at && column[at - 1] == c)
		return n;
	memmove(&column[at + 1], &column[at], (n - at) * sizeof *column);
	column[at] = c;
	return n + 1;
}

unsigned td_spv_row(uint64_t seed, uint32_t side, uint32_t row, uint32_t column[TD_SPV_LONGEST],
		    float value[TD_SPV_LONGEST])
{
	uint64_t random = row_random(seed, row);
	unsigned length = draw_length(&random), n = 0;

	while (n < length) {
		int64_t c = row + draw_distance(&random, side);
		if (c >= 0 && c < (int64_t)side * side)
			n = insert(column, n, (uint32_t)c);
	}
	for (unsigned k = 0; k < length; k++)
		value[k] = (float)below(&random, 1 << 24) * 0x1p-23F - 1;
	return length;
}

static unsigned length_of(const struct td_spv *s, uint32_t row)
{
	uint64_t random = row_random(s->app.seed, row);

	return draw_length(&random);
}

/* By length, the longest first; those of one length stay in order. */
static void sort_rows(struct td_spv *s)
{
	uint32_t at[TD_SPV_LONGEST + 2] = {0};

	for (uint32_t row = 0; row < s->rows; row++)
		at[TD_SPV_LONGEST + 1 - length_of(s, row)]++;
	for (unsigned i = 1; i <= TD_SPV_LONGEST + 1; i++)
		at[i] += at[i - 1];
	for (uint32_t row = 0; row < s->rows; row++)
		s->perm[at[TD_SPV_LONGEST - length_of(s, row)]++] = row;
}

static uint32_t warps_of(const struct td_spv *s)
{
	return (s->rows + TD_GPU_LANES - 1) / TD_GPU_LANES;
}

/* Lengths of the warps, and where the diagonals begin; the result is how many entries there are. */
static uint32_t measure(struct td_spv *s)
{
	uint32_t rows[TD_SPV_LONGEST + 1] = {0}; /* of each diagonal */

	for (uint32_t i = 0; i < warps_of(s); i++) {
		uint32_t first = i * TD_GPU_LANES, left = s->rows - first;
		s->length[i] = (uint8_t)length_of(s, s->perm[first]);
		for (unsigned k = 0; k < s->length[i]; k++)
			rows[k] += left < TD_GPU_LANES ? left : TD_GPU_LANES;
	}
	for (unsigned k = 0; k < TD_SPV_LONGEST; k++)
		s->ptr[k + 1] = s->ptr[k] + rows[k];
	return s->ptr[TD_SPV_LONGEST];
}

/* What fills up a short row is 0, in its last column. */
static void fill(struct td_spv *s)
{
	uint32_t column[TD_SPV_LONGEST];
	float value[TD_SPV_LONGEST];

	for (uint32_t r = 0; r < s->rows; r++) {
		unsigned n = td_spv_row(s->app.seed, s->side, s->perm[r], column, value);
		for (unsigned k = 0; k < s->length[r / TD_GPU_LANES]; k++) {
			s->index[s->ptr[k] + r] = column[k < n ? k : n - 1];
			s->data[s->ptr[k] + r] = k < n ? value[k] : 0;
		}
	}
}

/* ---- the kernel ---- */

/* The body's variables. */
enum { FIRST, LANES, K, AT };

/* Products of a diagonal's entries; the sums are in registers, here already in y. */
static struct td_gpu_access add_products(struct td_spv *s, struct td_gpu_warp *w)
{
	for (int64_t l = 0; l < w->v[LANES]; l++) {
		uint32_t column = s->index[w->v[AT] + l];
		float *sum = &s->y[s->perm[w->v[FIRST] + l]];
		*sum = (w->v[K] ? *sum : 0) + s->data[w->v[AT] + l] * s->x[column];
		w->gather[l] = UINT64_C(4) * column;
	}
	return td_gpu_gather(2, X, TD_GPU_READ, (unsigned)w->v[LANES]);
}

static struct td_gpu_access write_sums(const struct td_spv *s, struct td_gpu_warp *w)
{
	for (int64_t l = 0; l < w->v[LANES]; l++)
		w->gather[l] = UINT64_C(4) * s->perm[w->v[FIRST] + l];
	return td_gpu_gather(4, Y, TD_GPU_WRITE, (unsigned)w->v[LANES]);
}

static struct td_gpu_access read_row(const struct td_gpu_warp *w, unsigned pc, unsigned array,
				     int64_t first)
{
	return td_gpu_row(pc, array, TD_GPU_READ, (uint64_t)first * 4, 4, (unsigned)w->v[LANES]);
}

static bool multiply(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_spv *s = (struct td_spv *)app;

	WARP_BEGIN(w)
	w->v[FIRST] = (int64_t)td_gpu_global(w, 0);
	w->v[LANES] = s->rows - w->v[FIRST] < w->lanes ? s->rows - w->v[FIRST] : w->lanes;
	if (w->v[LANES] <= 0)
		return false;
	for (; w->v[K] < s->length[w->v[FIRST] / TD_GPU_LANES]; w->v[K]++) {
		w->v[AT] = s->ptr[w->v[K]] + w->v[FIRST];
		GIVE(w, out, read_row(w, 0, INDEX, w->v[AT]));
		GIVE(w, out, read_row(w, 1, DATA, w->v[AT]));
		GIVE(w, out, add_products(s, w));
	}
	GIVE(w, out, read_row(w, 3, PERM, w->v[FIRST]));
	GIVE(w, out, write_sums(s, w));
	WARP_END;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	const struct td_spv *s = (const struct td_spv *)app;

	*out = td_gpu_grid("multiply", (s->rows + THREADS - 1) / THREADS, 1, THREADS, 1);
	out->body = multiply;
	return i < (uint64_t)app->p[ITERS];
}

/* ---- setup ---- */

static void release(struct td_gpu_app *app)
{
	struct td_spv *s = (struct td_spv *)app;

	free(s->perm);
	free(s->length);
	free(s->index);
	free(s->data);
	free(s->x);
	free(s->y);
}

static void add_arrays(struct td_spv *s, uint64_t entries)
{
	td_gpu_add(&s->app, "data", entries * 4);
	td_gpu_add(&s->app, "index", entries * 4);
	td_gpu_add(&s->app, "perm", s->rows * UINT64_C(4));
	td_gpu_add(&s->app, "x", s->rows * UINT64_C(4));
	td_gpu_add(&s->app, "y", s->rows * UINT64_C(4));
}

static int make_matrix(struct td_spv *s)
{
	s->perm = malloc(s->rows * sizeof *s->perm);
	s->length = malloc(warps_of(s));
	s->x = malloc(s->rows * sizeof *s->x);
	s->y = calloc(s->rows, sizeof *s->y);
	if (!s->perm || !s->length || !s->x || !s->y)
		return -ENOMEM;
	sort_rows(s);
	uint32_t entries = measure(s);
	s->index = malloc(entries * sizeof *s->index);
	s->data = malloc(entries * sizeof *s->data);
	if (!s->index || !s->data)
		return -ENOMEM;
	fill(s);
	uint64_t random = s->app.seed;
	for (uint32_t i = 0; i < s->rows; i++)
		s->x[i] = (float)below(&random, 1 << 24) * 0x1p-24F;
	add_arrays(s, entries);
	return 0;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_spv *s = (struct td_spv *)app;
	int64_t side = td_gpu_scaled(SIDE, v[SCALE].r, 2, 1, 0);

	if (side < SIDE_LEAST || side > SIDE_MOST)
		return tide_fail(err, -EINVAL,
				 "workload spv: scale=%g makes a mesh of side %lld: give a scale "
				 "for %d to %d",
				 v[SCALE].r, (long long)side, SIDE_LEAST, SIDE_MOST);
	s->side = (uint32_t)side;
	s->rows = s->side * s->side;
	app->p[ITERS] = v[PARAM_ITERS].i;
	app->launch = launch;
	app->release = release;
	int rc = td_graph_fits(app->name, (double)s->rows * (8 * ENTRIES + 13), err);
	if (!rc && make_matrix(s))
		rc = tide_fail(err, -ENOMEM, "workload spv: no memory for its matrix: free some");
	return rc;
}

const struct td_gpu_workload td_workload_app_spv = {
	.head =
		{
			.name = "spv",
			.paper = "CPPE",
			.type = "V repetitive-thrashing",
			.summary = "sparse matrix times vector, by jagged diagonals",
			.published_bytes = UINT64_C(273) * 1048576 / 10,
			.footprint_bytes = 28631040,
			.accesses = 22925550,
			.arrays = 5,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.app_bytes = sizeof(struct td_spv),
	.setup = setup,
};
