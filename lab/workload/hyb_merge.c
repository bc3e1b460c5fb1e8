/* Hybrid sort's second half: sorts every bucket by merging, in units of four keys (16 bytes), and
 * closes the gaps between buckets. */
#include <string.h>

#include "hyb.h"

static void sort_four(float *to, const float *from)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned at = i;
		for (; at && to[at - 1] > from[i]; at--)
			to[at] = to[at - 1];
		to[at] = from[i];
	}
}

/* A thread sorts four keys. */
bool td_hyb_fours(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_hyb *h = (struct td_hyb *)app;
	uint64_t first = td_gpu_global(w, 0), end = h->first[TD_HYB_BUCKETS] / 4;
	unsigned lanes = end <= first ? 0 : end - first < 32 ? (unsigned)(end - first) : 32;

	WARP_BEGIN(w)
	for (uint64_t i = first; i < first + lanes; i++)
		sort_four(&h->keys[TD_HYB_IN][4 * i], &h->keys[TD_HYB_OUT][4 * i]);
	if (app->p[TD_HYB_TEX])
		GIVE(w, out,
		     td_gpu_row(14, td_hyb_array(app, TD_HYB_OUT), false, first * 16, 16, lanes));
	GIVE(w, out, td_gpu_row(10, td_hyb_array(app, TD_HYB_IN), true, first * 16, 16, lanes));
	WARP_END;
}

/* ---- merging ---- */

/* Keys that a thread merges, from two sorted lists that follow one another. */
struct merge {
	uint64_t first; /* in fours */
	uint64_t a, b;  /* keys of both lists; 0 and 0: nothing to do */
};

static struct merge merge_at(const struct td_hyb *h, uint64_t bucket, uint64_t thread, uint64_t run)
{
	uint64_t first = h->first[bucket] / 4 + thread * run, end = h->first[bucket + 1] / 4;
	uint64_t n = first >= end ? 0 : end - first < run ? end - first : run;
	uint64_t a = n < run / 2 ? n : run / 2;

	return (struct merge){first, a * 4, (n - a) * 4};
}

static void do_merge(const struct merge *m, const float *from, float *to)
{
	const float *a = from + 4 * m->first, *b = a + m->a, *a_end = b, *b_end = b + m->b;

	to += 4 * m->first;
	while (a < a_end && b < b_end)
		*to++ = *b < *a ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* How many of the first n keys of a merge are from its first list. */
static uint64_t from_first(const struct merge *m, const float *from, uint64_t n)
{
	const float *a = from + 4 * m->first, *b = a + m->a;
	uint64_t low = n > m->b ? n - m->b : 0, high = n < m->a ? n : m->a;

	while (low < high) {
		uint64_t i = (low + high) / 2;
		if (b[n - i - 1] < a[i])
			high = i;
		else
			low = i + 1;
	}
	return low;
}

/* What a warp's lanes access in one step: the next four that they write, or the fours that come
 * next in either list. */
enum side { WRITTEN, FIRST_LIST, SECOND_LIST };

static uint64_t four_at(const struct merge *m, const float *from, uint64_t step, enum side side)
{
	if (side == WRITTEN)
		return m->first + step;
	uint64_t i = from_first(m, from, 4 * step), k = 4 * step - i;
	if (side == FIRST_LIST)
		return m->first + (i < m->a ? i : m->a - 1) / 4;
	return m->first + (m->a + (k < m->b ? k : m->b - 1)) / 4;
}

/* Lanes whose merge is over, or that have no second list, take no part. */
static struct td_gpu_access merge_step(struct td_hyb *h, struct td_gpu_warp *w, enum side side)
{
	const int64_t *arg = w->launch->arg;
	uint64_t threads = (uint64_t)arg[TD_HYB_THREADS], step = (uint64_t)w->v[0];
	uint64_t bucket = td_gpu_global(w, 0) / threads, thread = td_gpu_global(w, 0) % threads;
	unsigned lanes = 0, from = (unsigned)arg[TD_HYB_FROM];

	for (unsigned l = 0; l < w->lanes && bucket < TD_HYB_BUCKETS; l++) {
		struct merge m = merge_at(h, bucket, thread, (uint64_t)arg[TD_HYB_RUN]);
		if (4 * step < m.a + m.b && (side != SECOND_LIST || m.b))
			w->gather[lanes++] = four_at(&m, h->keys[from], step, side) * 16;
		if (++thread == threads) {
			thread = 0;
			bucket++;
		}
	}
	if (side == WRITTEN)
		return td_gpu_gather(11, td_hyb_array(&h->app, !from), true, lanes);
	return td_gpu_gather(side == FIRST_LIST ? 15 : 16, td_hyb_array(&h->app, from), false,
			     lanes);
}

static void merge_all(struct td_hyb *h, const struct td_gpu_warp *w)
{
	const int64_t *arg = w->launch->arg;

	for (unsigned l = 0; l < w->lanes; l++) {
		uint64_t g = td_gpu_global(w, l), threads = (uint64_t)arg[TD_HYB_THREADS];
		if (g / threads >= TD_HYB_BUCKETS)
			return;
		struct merge m = merge_at(h, g / threads, g % threads, (uint64_t)arg[TD_HYB_RUN]);
		if (m.a)
			do_merge(&m, h->keys[arg[TD_HYB_FROM]], h->keys[!arg[TD_HYB_FROM]]);
	}
}

/* Threads write nowhere but to their own places: a warp's merges can be done at its start. */
bool td_hyb_merge(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_hyb *h = (struct td_hyb *)app;
	int64_t *step = &w->v[0];

	WARP_BEGIN(w)
	merge_all(h, w);
	for (; *step < w->launch->arg[TD_HYB_RUN] && *step * 4 < h->largest; (*step)++) {
		if (app->p[TD_HYB_TEX]) {
			GIVE(w, out, merge_step(h, w, FIRST_LIST));
			GIVE(w, out, merge_step(h, w, SECOND_LIST));
		}
		GIVE(w, out, merge_step(h, w, WRITTEN));
	}
	WARP_END;
}

/* ---- packing ---- */

/* A row of blocks is a bucket. What fills it up to fours are zeros, which were sorted to its front.
 * arg[TD_HYB_FROM]: where the sorted buckets are. */
bool td_hyb_pack(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_hyb *h = (struct td_hyb *)app;
	uint64_t at = (uint64_t)w->bx * w->launch->block_x + td_gpu_thread(w, 0);
	uint64_t size = h->packed[w->by + 1] - h->packed[w->by], left = size < at ? 0 : size - at;
	unsigned lanes = left < TD_GPU_LANES ? (unsigned)left : TD_GPU_LANES;
	unsigned source = (unsigned)w->launch->arg[TD_HYB_FROM];
	uint64_t from = h->first[w->by + 1] - size + at, to = h->packed[w->by] + at;

	if (!lanes)
		return false;
	WARP_BEGIN(w)
	memcpy(&h->keys[!source][to], &h->keys[source][from], lanes * sizeof(float));
	GIVE(w, out, td_gpu_row(12, td_hyb_array(app, source), false, from * 4, 4, lanes));
	GIVE(w, out, td_gpu_row(13, td_hyb_array(app, !source), true, to * 4, 4, lanes));
	WARP_END;
}
