/* Hybrid sort: puts keys into 1024 buckets, sorts each by merging runs of fours, twos of runs and
 * so on, then closes the gaps. Done twice, on arrays of its own each time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "hyb.h"

enum { SCALE, TEX_PARAM };
enum { SORTS = 2, STEPS = 128 }; /* keys of a thread in put and count */

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	{"tex", TIDE_PARAM_INT, "0", 0, 1, "1: reads through textures as well"},
	TD_GPU_PARAM_JITTER,
	{0},
};

/* ---- buckets ---- */

/* The program counts keys first and sets the bounds of the buckets by that: here they are even,
 * as the keys are. */
static uint32_t bucket_of(float key)
{
	return (uint32_t)(key * TD_HYB_BUCKETS);
}

static bool count(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		  struct td_gpu_instr *out)
{
	const struct td_hyb *h = (const struct td_hyb *)app;
	int64_t threads = (int64_t)l->grid_x * l->block_x, first = (int64_t)n * threads;

	*out = td_gpu_instr(l, 0, td_hyb_array(app, TD_HYB_IN), TD_GPU_READ, first * 4, 4, 0);
	out->x_to = (int64_t)h->n - first;
	return out->x_to > 0;
}

/* A warp's keys of one step. */
static uint64_t step_first(const struct td_hyb *h, const struct td_gpu_warp *w)
{
	return (uint64_t)w->v[0] * h->blocks * TD_GPU_LANES + (uint64_t)w->block * TD_GPU_LANES;
}

static struct td_gpu_access step_row(const struct td_gpu_app *app, const struct td_gpu_warp *w,
				     unsigned pc, unsigned array, bool write)
{
	uint64_t first = step_first((const struct td_hyb *)app, w);

	return td_gpu_row(pc, td_hyb_array(app, array), write, first * 4, 4, TD_GPU_LANES);
}

/* A block's row of counts. */
static struct td_gpu_access count_row(const struct td_gpu_app *app, const struct td_gpu_warp *w,
				      unsigned pc, bool write)
{
	uint64_t first = (uint64_t)w->block * TD_HYB_BUCKETS + (uint64_t)w->v[0] * TD_GPU_LANES;

	return td_gpu_row(pc, td_hyb_array(app, TD_HYB_PRE), write, first * 4, 4, TD_GPU_LANES);
}

static void number_keys(struct td_hyb *h, const struct td_gpu_warp *w)
{
	uint32_t *counts = &h->pre[(uint64_t)w->block * TD_HYB_BUCKETS];
	uint64_t first = step_first(h, w);

	for (unsigned l = 0; l < TD_GPU_LANES; l++) {
		uint32_t bucket = bucket_of(h->keys[TD_HYB_IN][first + l]);
		h->ind[first + l] = counts[bucket]++ * TD_HYB_BUCKETS + bucket;
	}
}

/* Counts are in shared memory until the end; h->pre holds them from the beginning. */
static bool number(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	int64_t *step = &w->v[0];

	WARP_BEGIN(w)
	for (; *step < STEPS; (*step)++) {
		GIVE(w, out, step_row(app, w, 1, TD_HYB_IN, false));
		number_keys((struct td_hyb *)app, w);
		GIVE(w, out, step_row(app, w, 2, TD_HYB_IND, true));
	}
	for (*step = 0; *step < TD_HYB_BUCKETS / TD_GPU_LANES; (*step)++)
		GIVE(w, out, count_row(app, w, 3, true));
	WARP_END;
}

static struct td_gpu_access counts_of(const struct td_gpu_app *app, const struct td_gpu_warp *w,
				      unsigned pc, bool write)
{
	uint64_t first = (uint64_t)w->v[0] * TD_HYB_BUCKETS + td_gpu_global(w, 0);

	return td_gpu_row(pc, td_hyb_array(app, TD_HYB_PRE), write, first * 4, 4, TD_GPU_LANES);
}

static void add_counts(struct td_hyb *h, const struct td_gpu_warp *w)
{
	uint64_t first = td_gpu_global(w, 0);

	for (uint64_t b = first; b < first + TD_GPU_LANES; b++) {
		uint32_t *at = &h->pre[(uint64_t)w->v[0] * TD_HYB_BUCKETS + b], n = *at;
		*at = h->sum[b];
		h->sum[b] += n;
	}
}

/* A thread is a bucket: how many of its keys the blocks before have. */
static bool prefix(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_hyb *h = (struct td_hyb *)app;
	int64_t *block = &w->v[0];

	WARP_BEGIN(w)
	for (; *block < h->blocks; (*block)++) {
		GIVE(w, out, counts_of(app, w, 4, false));
		add_counts(h, w);
		GIVE(w, out, counts_of(app, w, 5, true));
	}
	WARP_END;
}

static struct td_gpu_access put_keys(struct td_hyb *h, struct td_gpu_warp *w)
{
	const uint32_t *before = &h->pre[(uint64_t)w->block * TD_HYB_BUCKETS];
	uint64_t first = step_first(h, w);

	for (unsigned l = 0; l < TD_GPU_LANES; l++) {
		uint32_t bucket = h->ind[first + l] % TD_HYB_BUCKETS,
			 rank = h->ind[first + l] / TD_HYB_BUCKETS;
		uint64_t to = (uint64_t)h->first[bucket] + before[bucket] + rank;
		h->keys[TD_HYB_OUT][to] = h->keys[TD_HYB_IN][first + l];
		w->gather[l] = to * 4;
	}
	return td_gpu_gather(9, td_hyb_array(&h->app, TD_HYB_OUT), TD_GPU_WRITE, TD_GPU_LANES);
}

static bool put(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	int64_t *step = &w->v[0];

	WARP_BEGIN(w)
	for (; *step < TD_HYB_BUCKETS / TD_GPU_LANES; (*step)++)
		GIVE(w, out, count_row(app, w, 6, false));
	for (*step = 0; *step < STEPS; (*step)++) {
		GIVE(w, out, step_row(app, w, 7, TD_HYB_IN, false));
		GIVE(w, out, step_row(app, w, 8, TD_HYB_IND, false));
		GIVE(w, out, put_keys((struct td_hyb *)app, w));
	}
	WARP_END;
}

/* ---- launches ---- */

/* Bounds of the buckets, from their sizes in h->sum. */
static void set_bounds(struct td_hyb *h)
{
	h->largest = 0;
	for (unsigned b = 0; b < TD_HYB_BUCKETS; b++) {
		uint32_t n = h->sum[b];
		h->first[b + 1] = h->first[b] + (n + 3) / 4 * 4;
		h->packed[b + 1] = h->packed[b] + n;
		h->largest = n > h->largest ? n : h->largest;
	}
	for (h->passes = 1; (UINT64_C(4) << h->passes) < h->largest;)
		h->passes++;
}

/* New arrays with the same keys as before. */
static void begin_sort(struct td_hyb *h)
{
	uint64_t random = h->app.seed;

	memset(h->sum, 0, sizeof h->sum);
	memset(h->pre, 0, (uint64_t)h->blocks * TD_HYB_BUCKETS * sizeof *h->pre);
	memset(h->keys[TD_HYB_OUT], 0, (h->n + 4 * TD_HYB_BUCKETS) * sizeof(float));
	for (uint64_t i = 0; i < h->n; i++) {
		h->keys[TD_HYB_IN][i] = td_hyb_key(tide_random_next(&random));
		h->sum[bucket_of(h->keys[TD_HYB_IN][i])]++;
	}
	set_bounds(h);
	memset(h->sum, 0, sizeof h->sum);
}

/* Merges go from one array to the other and back, the first one out of TD_HYB_IN. */
static struct td_gpu_launch merge_launch(const struct td_hyb *h, uint32_t pass)
{
	uint64_t run = UINT64_C(2) << pass;
	uint64_t threads = (h->largest + 4 * run - 1) / (4 * run);
	struct td_gpu_launch l =
		td_gpu_grid("merge", (threads * TD_HYB_BUCKETS + 207) / 208, 1, 208, 1);

	l.body = td_hyb_merge;
	l.arg[TD_HYB_RUN] = (int64_t)run;
	l.arg[TD_HYB_THREADS] = (int64_t)threads;
	l.arg[TD_HYB_FROM] = pass % 2 ? TD_HYB_OUT : TD_HYB_IN;
	return l;
}

static struct td_gpu_launch pack_launch(struct td_hyb *h)
{
	struct td_gpu_launch l =
		td_gpu_grid("pack", (h->largest + 255) / 256, TD_HYB_BUCKETS, 256, 1);

	l.body = td_hyb_pack;
	l.arg[TD_HYB_FROM] = h->passes % 2 ? TD_HYB_OUT : TD_HYB_IN;
	h->sorted = !l.arg[TD_HYB_FROM];
	return l;
}

static struct td_gpu_launch put_into_buckets(struct td_hyb *h, uint64_t i)
{
	struct td_gpu_launch l;

	if (i == 0) {
		l = td_gpu_grid("count", 64, 1, 96, 1);
		l.instr = count;
	} else if (i == 2) {
		l = td_gpu_grid("prefix", TD_HYB_BUCKETS / 128, 1, 128, 1);
		l.body = prefix;
	} else if (i == 4) {
		l = td_gpu_grid("fours", (h->first[TD_HYB_BUCKETS] / 4 + 255) / 256, 1, 256, 1);
		l.body = td_hyb_fours;
	} else {
		l = td_gpu_grid(i == 1 ? "number" : "put", h->blocks, 1, TD_GPU_LANES, 1);
		l.body = i == 1 ? number : put;
	}
	return l;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	struct td_hyb *h = (struct td_hyb *)app;
	uint64_t each = 6 + h->passes, in_sort = i ? i % each : 0;

	if (i && i / each == SORTS)
		return false;
	app->p[TD_HYB_SORT] = i ? (int64_t)(i / each) : 0;
	if (in_sort == 0)
		begin_sort(h);
	if (in_sort < 5)
		*out = put_into_buckets(h, in_sort);
	else if (in_sort < 5 + h->passes)
		*out = merge_launch(h, (uint32_t)in_sort - 5);
	else
		*out = pack_launch(h);
	return true;
}

/* ---- setup ---- */

static void release(struct td_gpu_app *app)
{
	struct td_hyb *h = (struct td_hyb *)app;

	free(h->keys[TD_HYB_IN]);
	free(h->keys[TD_HYB_OUT]);
	free(h->ind);
	free(h->pre);
}

static int get_memory(struct td_hyb *h, struct tide_error *err)
{
	uint64_t room = h->n + 4 * TD_HYB_BUCKETS, counts = (uint64_t)h->blocks * TD_HYB_BUCKETS;
	int rc = td_graph_fits(h->app.name, (double)(2 * room + h->n + counts) * 4, err);

	if (rc)
		return rc;
	h->keys[TD_HYB_IN] = calloc(room, sizeof(float));
	h->keys[TD_HYB_OUT] = calloc(room, sizeof(float));
	h->ind = calloc(h->n, sizeof *h->ind);
	h->pre = calloc(counts, sizeof *h->pre);
	if (h->keys[TD_HYB_IN] && h->keys[TD_HYB_OUT] && h->ind && h->pre)
		return 0;
	return tide_fail(err, -ENOMEM, "workload hyb: no memory for its keys: free some");
}

static void add_arrays(struct td_hyb *h)
{
	static const char *const names[SORTS][TD_HYB_ARRAYS] = {
		{"in0", "out0", "ind0", "pre0", "offsets0"},
		{"in1", "out1", "ind1", "pre1", "offsets1"},
	};

	for (unsigned s = 0; s < SORTS; s++) {
		td_gpu_add(&h->app, names[s][TD_HYB_IN], (h->n + 4 * TD_HYB_BUCKETS) * 4);
		td_gpu_add(&h->app, names[s][TD_HYB_OUT], (h->n + 4 * TD_HYB_BUCKETS) * 4);
		td_gpu_add(&h->app, names[s][TD_HYB_IND], h->n * 4);
		td_gpu_add(&h->app, names[s][TD_HYB_PRE], (uint64_t)h->blocks * TD_HYB_BUCKETS * 4);
		td_gpu_add(&h->app, names[s][TD_HYB_OFFSETS], TD_HYB_BUCKETS * 4);
	}
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_hyb *h = (struct td_hyb *)app;
	int64_t blocks;
	int rc = td_gpu_size(app, &blocks, 1024, v[SCALE].r, 1, 1, err);

	if (!rc && v[SCALE].r > 512)
		rc = tide_fail(err, -EINVAL,
			       "workload hyb: scale=%g makes more keys than 32 bits count: give at "
			       "most 512",
			       v[SCALE].r);
	if (rc)
		return rc;
	h->blocks = (uint32_t)blocks;
	h->n = (uint64_t)blocks * TD_GPU_LANES * STEPS;
	app->p[TD_HYB_TEX] = v[TEX_PARAM].i;
	app->launch = launch;
	app->release = release;
	add_arrays(h);
	return get_memory(h, err);
}

const struct td_gpu_workload td_workload_app_hyb = {
	.head =
		{
			.name = "hyb",
			.paper = "CPPE",
			.type = "VI region moving",
			.summary = "hybrid sort: buckets, merges within them, packing; twice",
			.published_bytes = UINT64_C(104) * 1048576,
			.footprint_bytes = 109084672,
			.accesses = 21117332,
			.arrays = 10,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.app_bytes = sizeof(struct td_hyb),
	.setup = setup,
};
