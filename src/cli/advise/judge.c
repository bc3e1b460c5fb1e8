#include <math.h>

#include "advise.h"

#define BEND 4.0 /* how much steeper the curve is before a knee than after it */

static double slope(const struct td_advise_point *a, const struct td_advise_point *b)
{
	return (a->miss_ratio - b->miss_ratio) / (double)(b->pages - a->pages);
}

/* The corners of the lower convex hull: what is between two of them can be had by a mixture. */
static size_t hull(const struct td_advise_point *curve, size_t n, size_t *corner)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		while (used > 1 && slope(&curve[corner[used - 2]], &curve[corner[used - 1]]) <=
					   slope(&curve[corner[used - 1]], &curve[i]))
			used--;
		corner[used++] = i;
	}
	return used;
}

size_t td_advise_knees(const struct td_advise_point *curve, size_t n, uint64_t *knees, size_t most)
{
	size_t corner[TD_ADVISE_SIZES], corners, found = 0;

	if (n > TD_ADVISE_SIZES)
		n = TD_ADVISE_SIZES;
	corners = hull(curve, n, corner);
	for (size_t i = 1; i < corners && found < most; i++) {
		double before = slope(&curve[corner[i - 1]], &curve[corner[i]]);
		double after =
			i + 1 < corners ? slope(&curve[corner[i]], &curve[corner[i + 1]]) : 0;
		if (before > 0 && before >= BEND * after)
			knees[found++] = curve[corner[i]].pages;
	}
	return found;
}

struct td_advise_saving td_advise_saving(const struct td_advise_run *now,
					 const struct td_advise_run *better, unsigned which)
{
	double old = 0, new = 0, sum = 0, squares = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < TD_ADVISE_PARTS; i++) {
		double share;
		if (!(which >> i & 1) || !now->misses[i])
			continue;
		share = 1 - (double)better->misses[i] / (double)now->misses[i];
		old += (double)now->misses[i];
		new += (double)better->misses[i];
		sum += share;
		squares += share * share;
		n++;
	}
	if (n < 2)
		return (struct td_advise_saving){0, 1};
	double variance = (squares - sum * sum / n) / (n - 1);
	return (struct td_advise_saving){1 - new / old, 2 * sqrt(fmax(variance, 0) / n)};
}

static uint64_t misses_in(const struct td_advise_run *run, unsigned which)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < TD_ADVISE_PARTS; i++)
		sum += which >> i & 1 ? run->misses[i] : 0;
	return sum;
}

size_t td_advise_best(const struct td_advise_run *runs, size_t n, unsigned which)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
		if (!runs[i].rc && (best == SIZE_MAX ||
				    misses_in(&runs[i], which) < misses_in(&runs[best], which)))
			best = i;
	return best;
}

static bool is_sure(const struct td_advise_saving *s)
{
	return s->share >= TD_ADVISE_WORTH && s->share > s->error;
}

/* A policy costs nothing, so it comes first. Near memory that was not even filled twice says
 * nothing about what should leave it. */
enum td_advise_verdict td_advise_judge(const struct td_advise_case *c)
{
	if (c->is_partial)
		return TD_ADVISE_PARTIAL;
	if (!c->evicted_pages)
		return TD_ADVISE_FITS;
	if (c->evicted_pages < c->near_pages)
		return TD_ADVISE_SHORT;
	if (is_sure(&c->policy))
		return TD_ADVISE_POLICY;
	if (c->policy.share >= TD_ADVISE_WORTH)
		return TD_ADVISE_SHORT;
	if (c->knee_pages && c->knee_pages / TD_ADVISE_REACH <= c->near_pages &&
	    c->knee_saves >= TD_ADVISE_WORTH)
		return TD_ADVISE_SIZE;
	return TD_ADVISE_NEITHER;
}

uint64_t td_advise_size_for(const struct td_advise_point *curve, size_t n, double miss_ratio)
{
	for (size_t i = 0; i < n; i++) {
		if (curve[i].miss_ratio > miss_ratio)
			continue;
		if (!i)
			return curve[0].pages;
		double drop = curve[i - 1].miss_ratio - curve[i].miss_ratio;
		double part = (curve[i - 1].miss_ratio - miss_ratio) / drop;
		return curve[i - 1].pages +
		       (uint64_t)(part * (double)(curve[i].pages - curve[i - 1].pages) + 0.5);
	}
	return 0;
}
