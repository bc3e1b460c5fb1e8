/* HISTO of Parboil: counts the samples of an image in a million bins, up to 255 each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gaussian.h"
#include "graph.h"
#include "his.h"

enum { INPUT, MAP, SUB, GHIST, OVERFLOW, FINAL };
enum { ITERS };
enum { SCALE, PARAM_ITERS, SIGMA };
enum { KERNELS = 4, HOT_RANGES = 6, ROWS_EACH = 16, HALF = TD_HIS_WIDTH / 2 };
enum { MAIN_THREADS = 768, QUAD = 4 }; /* bins that a thread of `collect` works on at once */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"iters", TIDE_PARAM_INT, "20", 1, 1000000, "histograms, one after another"},
	{"sigma", TIDE_PARAM_REAL, "1", 1e-4, 16,
	 "spread of most samples, in ranges of 24576 bins"},
	TD_GPU_PARAM_JITTER,
	{0},
};

static uint64_t samples_of(const struct td_his *h)
{
	return (uint64_t)h->rows * TD_HIS_WIDTH;
}

static uint32_t hot_bins(const struct td_his *h)
{
	return h->range * TD_HIS_RANGE;
}

static bool is_hot(const struct td_his *h, uint32_t bin)
{
	return bin - h->first < hot_bins(h);
}

/* ---- kernels that only read and convert ---- */

/* Mean and deviation of the first eighth of each block's stripe: two passes. */
static bool sample(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		   struct td_gpu_instr *out)
{
	int64_t stripe = (int64_t)samples_of((const struct td_his *)app) / l->grid_x;
	int64_t steps = (stripe / 8 + l->block_x - 1) / l->block_x, step = (int64_t)n % steps;

	*out = td_gpu_instr(l, n < (uint64_t)steps ? 0 : 1, INPUT, TD_GPU_READ,
			    step * l->block_x * 4, 4, 0);
	out->per_bx = (stripe - l->block_x) * 4;
	out->tx_to = stripe / 8 - step * l->block_x;
	return n < (uint64_t)steps * 2;
}

/* Two samples per thread and row; their places in the histogram go to the two halves of the map's
 * row. */
static bool convert(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	int64_t first = (int64_t)n / 3 * TD_HIS_WIDTH * 4, half = n % 3 == 2 ? HALF * 4 : 0;

	(void)app;
	if (n % 3 == 0)
		*out = td_gpu_instr(l, 2, INPUT, TD_GPU_READ, first, 8, 0);
	else
		*out = td_gpu_instr(l, (unsigned)(2 + n % 3), MAP, TD_GPU_WRITE, first + half, 4,
				    0);
	out->per_bx = (ROWS_EACH * TD_HIS_WIDTH - HALF * out->per_x / 4) * 4;
	return n < 3 * ROWS_EACH;
}

static void make_map(struct td_his *h)
{
	for (uint64_t i = 0; i < samples_of(h); i += TD_HIS_WIDTH) {
		for (uint64_t t = 0; t < HALF; t++) {
			h->map[i + t] = h->input[i + 2 * t];
			h->map[i + HALF + t] = h->input[i + 2 * t + 1];
		}
	}
}

/* ---- counting ---- */

/* The body's variables. FOUND: samples of the step that the next access is for. */
enum { AT, LANES, FOUND, PLANE, PART };

/* Counts the samples outside the hot ranges, which blocks of the first row do. */
static unsigned count_cold(struct td_his *h, struct td_gpu_warp *w)
{
	unsigned n = 0;

	for (int64_t l = 0; l < w->v[LANES] && w->by == 0; l++) {
		uint32_t bin = h->map[w->v[AT] + l];
		if (is_hot(h, bin))
			continue;
		h->cold[bin] = (uint16_t)(h->cold[bin] + (h->cold[bin] < TD_HIS_COUNT_MOST));
		w->gather[n++] = UINT64_C(2) * bin;
	}
	return n;
}

/* Counts those in the block's range: which of the counts ran over. */
static unsigned count_hot(struct td_his *h, struct td_gpu_warp *w)
{
	uint32_t from = w->by * TD_HIS_RANGE;
	uint8_t *sub = &h->sub[(uint64_t)w->bx * hot_bins(h)];
	unsigned n = 0;

	for (int64_t l = 0; l < w->v[LANES]; l++) {
		uint32_t bin = h->map[w->v[AT] + l], hot = bin - h->first;
		if (hot - from >= TD_HIS_RANGE || ++sub[hot])
			continue;
		h->overflow[bin] += 256;
		w->gather[n++] = UINT64_C(4) * bin;
	}
	return n;
}

/* A block goes along the whole map in steps of a row of blocks. */
static bool count(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_his *h = (struct td_his *)app;
	int64_t *at = &w->v[AT], *found = &w->v[FOUND], end = (int64_t)samples_of(h);
	uint64_t words =
		((uint64_t)w->bx * h->bins + h->first + (uint64_t)w->by * TD_HIS_RANGE) / QUAD;

	WARP_BEGIN(w)
	*at = (int64_t)w->bx * MAIN_THREADS + td_gpu_thread(w, 0);
	for (; *at < end; *at += TD_HIS_PLANES * MAIN_THREADS) {
		w->v[LANES] = end - *at < TD_GPU_LANES ? end - *at : TD_GPU_LANES;
		GIVE(w, out,
		     td_gpu_row(5, MAP, TD_GPU_READ, (uint64_t)*at * 4, 4, (unsigned)w->v[LANES]));
		*found = count_cold(h, w);
		if (*found) {
			GIVE(w, out, td_gpu_gather(6, GHIST, TD_GPU_READ, (unsigned)*found));
			GIVE(w, out, td_gpu_gather(7, GHIST, TD_GPU_WRITE, (unsigned)*found));
		}
		*found = count_hot(h, w);
		if (*found)
			GIVE(w, out, td_gpu_gather(8, OVERFLOW, TD_GPU_WRITE, (unsigned)*found));
	}
	GIVE(w, out, td_gpu_barrier());
	/* The range's counts, four to a word. */
	for (*at = td_gpu_thread(w, 0); *at < TD_HIS_RANGE / QUAD; *at += MAIN_THREADS)
		GIVE(w, out,
		     td_gpu_row(9, SUB, TD_GPU_WRITE, (words + (uint64_t)*at) * 4, 4,
				TD_GPU_LANES));
	WARP_END;
}

/* ---- collecting ---- */

static uint8_t clamped(uint64_t count)
{
	return count < TD_HIS_COUNT_MOST ? (uint8_t)count : TD_HIS_COUNT_MOST;
}

static void collect_cold(struct td_his *h, const struct td_gpu_warp *w)
{
	for (int64_t bin = w->v[AT]; bin < w->v[AT] + QUAD * w->v[LANES]; bin++) {
		h->final[bin] = clamped(h->cold[bin]);
		h->cold[bin] = 0;
	}
}

/* The sum of a bin's counts was made in its overflow. */
static void collect_hot(struct td_his *h, const struct td_gpu_warp *w)
{
	for (int64_t bin = w->v[AT]; bin < w->v[AT] + QUAD * w->v[LANES]; bin++) {
		h->final[bin] = clamped(h->overflow[bin]);
		h->overflow[bin] = 0;
	}
}

/* Accesses the bins of the warp's threads, each QUAD of them. */
static struct td_gpu_access quads(const struct td_gpu_warp *w, unsigned pc, unsigned array,
				  bool write, unsigned bin_bytes)
{
	return td_gpu_row(pc, array, write, (uint64_t)w->v[AT] * bin_bytes, QUAD * bin_bytes,
			  (unsigned)w->v[LANES]);
}

/* Adds the counts of one plane. */
static struct td_gpu_access add_plane(struct td_his *h, const struct td_gpu_warp *w)
{
	struct td_gpu_access a = quads(w, 13, SUB, TD_GPU_READ, 1);
	uint8_t *sub = &h->sub[w->v[PLANE] * hot_bins(h) + w->v[AT] - h->first];

	for (int64_t i = 0; i < QUAD * w->v[LANES]; i++) {
		h->overflow[w->v[AT] + i] += sub[i];
		sub[i] = 0;
	}
	a.first += (uint64_t)w->v[PLANE] * h->bins;
	return a;
}

/* How many threads of the warp have bins before end, from AT on. */
static bool any_before(struct td_gpu_warp *w, int64_t end)
{
	int64_t threads = (end - w->v[AT]) / QUAD;

	w->v[LANES] = threads < TD_GPU_LANES ? threads : TD_GPU_LANES;
	return threads > 0;
}

/* The bins below the hot ranges, these, and those above, each with all threads. */
static bool collect(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_his *h = (struct td_his *)app;
	int64_t part[] = {0, h->first, (int64_t)h->first + hot_bins(h), h->bins};
	int64_t step = (int64_t)w->launch->grid_x * w->launch->block_x * QUAD;

	WARP_BEGIN(w)
	for (; w->v[PART] < 3; w->v[PART]++) {
		w->v[AT] = part[w->v[PART]] + QUAD * (int64_t)td_gpu_global(w, 0);
		for (; any_before(w, part[w->v[PART] + 1]); w->v[AT] += step) {
			if (w->v[PART] != 1) {
				GIVE(w, out, quads(w, 10, GHIST, TD_GPU_READ, 2));
				GIVE(w, out, quads(w, 10, GHIST, TD_GPU_WRITE, 2));
				collect_cold(h, w);
				GIVE(w, out, quads(w, 11, FINAL, TD_GPU_WRITE, 1));
				continue;
			}
			GIVE(w, out, quads(w, 12, OVERFLOW, TD_GPU_READ, 4));
			GIVE(w, out, quads(w, 12, OVERFLOW, TD_GPU_WRITE, 4));
			for (w->v[PLANE] = 0; w->v[PLANE] < TD_HIS_PLANES; w->v[PLANE]++)
				GIVE(w, out, add_plane(h, w));
			collect_hot(h, w);
			GIVE(w, out, quads(w, 14, FINAL, TD_GPU_WRITE, 1));
		}
	}
	WARP_END;
}

/* ---- launches ---- */

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	const struct td_his *h = (const struct td_his *)app;

	switch (i % KERNELS) {
	case 0:
		*out = td_gpu_grid("sample", 64, 1, 512, 1);
		out->instr = sample;
		break;
	case 1:
		*out = td_gpu_grid("convert", h->rows / ROWS_EACH, 1, HALF, 1);
		out->instr = convert;
		make_map((struct td_his *)app);
		break;
	case 2:
		*out = td_gpu_grid("count", TD_HIS_PLANES, h->range, MAIN_THREADS, 1);
		out->body = count;
		break;
	default:
		*out = td_gpu_grid("collect", 42, 1, 512, 1);
		out->body = collect;
		break;
	}
	return i < KERNELS * (uint64_t)app->p[ITERS];
}

/* ---- setup ---- */

static void restart(struct td_gpu_app *app)
{
	struct td_his *h = (struct td_his *)app;

	memset(h->sub, 0, (uint64_t)TD_HIS_PLANES * hot_bins(h));
	memset(h->overflow, 0, h->bins * sizeof *h->overflow);
	memset(h->cold, 0, h->bins * sizeof *h->cold);
	memset(h->final, 0, h->bins);
}

static void release(struct td_gpu_app *app)
{
	struct td_his *h = (struct td_his *)app;

	free(h->input);
	free(h->map);
	free(h->sub);
	free(h->overflow);
	free(h->cold);
	free(h->final);
}

/* A tenth is even over all bins, the others are normal within the hot ranges. */
static void draw_samples(struct td_his *h, double sigma)
{
	uint64_t random = h->app.seed;
	double middle = h->first + hot_bins(h) / 2.0;

	for (uint64_t i = 0; i < samples_of(h); i++) {
		bool even = tide_random_next(&random) % 10 == 0;
		int64_t bin = even ? (int64_t)(tide_random_next(&random) % h->bins) : -1;
		while (bin < 0 || (!even && !is_hot(h, (uint32_t)bin)))
			bin = lrint(middle + td_gaussian_next(&random) * sigma * TD_HIS_RANGE);
		h->input[i] = (uint32_t)bin;
	}
}

static void add_arrays(struct td_his *h)
{
	td_gpu_add(&h->app, "input", samples_of(h) * 4);
	td_gpu_add(&h->app, "map", samples_of(h) * 4);
	td_gpu_add(&h->app, "sub", (uint64_t)TD_HIS_PLANES * h->bins);
	td_gpu_add(&h->app, "ghist", h->bins * UINT64_C(2));
	td_gpu_add(&h->app, "overflow", h->bins * UINT64_C(4));
	td_gpu_add(&h->app, "final", h->bins);
}

static int get_memory(struct td_his *h, struct tide_error *err)
{
	double bytes = (double)samples_of(h) * 8 + (double)h->bins * 7 +
		       (double)TD_HIS_PLANES * hot_bins(h);
	int rc = td_graph_fits(h->app.name, bytes, err);

	if (rc)
		return rc;
	h->input = malloc(samples_of(h) * sizeof *h->input);
	h->map = malloc(samples_of(h) * sizeof *h->map);
	h->sub = malloc((uint64_t)TD_HIS_PLANES * hot_bins(h));
	h->overflow = malloc(h->bins * sizeof *h->overflow);
	h->cold = malloc(h->bins * sizeof *h->cold);
	h->final = malloc(h->bins);
	if (h->input && h->map && h->sub && h->overflow && h->cold && h->final)
		return 0;
	return tide_fail(err, -ENOMEM, "workload his: no memory for its image: free some");
}

/* Rows and bins grow alike; the hot ranges are those in the middle. */
static int set_sizes(struct td_his *h, double scale, struct tide_error *err)
{
	int64_t rows = td_gpu_scaled(1040, scale, 1, ROWS_EACH, ROWS_EACH);
	int64_t bins = td_gpu_scaled(1 << 20, scale, 1, 4096, 0);

	if (bins < TD_HIS_RANGE || bins > INT32_MAX)
		return tide_fail(err, -EINVAL,
				 "workload his: scale=%g makes %lld bins: give a scale for %d to "
				 "%d",
				 scale, (long long)bins, TD_HIS_RANGE, INT32_MAX);
	h->rows = (uint32_t)rows;
	h->bins = (uint32_t)bins;
	h->range = (uint32_t)td_gpu_scaled(HOT_RANGES, scale, 1, 1, 1);
	h->first = (h->bins / TD_HIS_RANGE - h->range) / 2 * TD_HIS_RANGE;
	return 0;
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_his *h = (struct td_his *)app;
	int rc = set_sizes(h, v[SCALE].r, err);

	if (rc)
		return rc;
	app->p[ITERS] = v[PARAM_ITERS].i;
	app->launch = launch;
	app->restart = restart;
	app->release = release;
	rc = get_memory(h, err);
	if (rc)
		return rc;
	draw_samples(h, v[SIGMA].r);
	add_arrays(h);
	return 0;
}

const struct td_gpu_workload td_workload_app_his = {
	.head =
		{
			.name = "his",
			.paper = "CPPE",
			.type = "V repetitive-thrashing",
			.summary =
				"histogram of a million bins, its middle counted in shared memory",
			.published_bytes = UINT64_C(1315) * 1048576 / 100,
			.footprint_bytes = 13795328,
			.accesses = 9640260,
			.arrays = 6,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.app_bytes = sizeof(struct td_his),
	.setup = setup,
};
