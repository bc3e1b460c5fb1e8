/* The points of a curve from its runs: each from the run of its size, or from those of all samples.
 */
#include <math.h>

#include "mrc_runs.h"

/* Divides by the accesses expected of so many pages, not by those of the sample. If a page with
 * very many accesses is in the sample or not, the difference counts as hits at every size
 * (SHARDS-adj). */
static double ratio_of(const struct td_lib_runs *r, size_t i)
{
	double expected = (double)r->facts.accesses * td_lib_runs_rate(r, i);
	return expected > 0 ? fmin((double)r->run[i].faults / expected, 1) : 0;
}

/* The mean of the samples, and the standard error of the mean. */
static void average(const struct td_lib_runs *r, size_t first, double *mean, double *error)
{
	double squares = 0;
	*mean = 0;
	for (size_t i = first; i < first + r->samples.n; i++)
		*mean += ratio_of(r, i) / r->samples.n;
	for (size_t i = first; i < first + r->samples.n; i++)
		squares += (ratio_of(r, i) - *mean) * (ratio_of(r, i) - *mean);
	*error = sqrt(squares / (r->samples.n - 1) / r->samples.n);
}

static void fill_exact(struct td_lib_runs *r)
{
	struct tide_mrc_point *at = td_lib_curve_at(r->mrc);
	r->mrc->sampled_accesses = r->facts.accesses;
	for (size_t i = 0; i < r->mrc->n; i++) {
		at[i].misses = r->run[i].faults;
		at[i].miss_ratio = ratio_of(r, i);
	}
	uint64_t *prefix_hits = r->has_groups ? td_lib_curve_prefix_hits(r->mrc) : NULL;
	for (size_t i = 0; prefix_hits && i < r->mrc->n; i++)
		prefix_hits[i] = r->run[i].prefix_hits;
}

static double share(uint64_t missed, uint64_t hit)
{
	double all = (double)missed + (double)hit;
	return all > 0 ? (double)missed / all : 0;
}

static void fill_objects(struct td_lib_runs *r)
{
	struct tide_mrc_object *at = td_lib_curve_objects(r->mrc);
	for (size_t i = 0; i < r->mrc->n; i++) {
		at[i].byte_miss_ratio = share(r->run[i].fault_bytes, r->run[i].hit_bytes);
		at[i].cost_miss_ratio = share(r->run[i].fault_cost, r->run[i].hit_cost);
	}
}

static void fill_sampled(struct td_lib_runs *r)
{
	struct tide_mrc *m = r->mrc;
	struct tide_mrc_point *at = td_lib_curve_at(m);
	double *errors = td_lib_curve_errors(m);
	m->sampled_accesses = r->samples.accesses;
	m->samples = r->samples.n;
	m->sample_share = r->curve->rate / r->samples.n;
	for (size_t i = 0; i < m->n; i++) {
		average(r, i * r->samples.n, &at[i].miss_ratio, &errors[i]);
		at[i].misses = (uint64_t)(at[i].miss_ratio * (double)r->facts.accesses + 0.5);
		m->error += errors[i] / (double)m->n;
	}
}

void td_lib_runs_fill(struct td_lib_runs *r)
{
	r->mrc->accesses = r->facts.accesses;
	r->mrc->method = r->lanes          ? "one pass"
			 : r->samples.kept ? "all sizes over one reading"
					   : "a run per size";
	if (r->mrc->objects)
		fill_objects(r);
	if (r->samples.n == 1)
		fill_exact(r);
	else
		fill_sampled(r);
}
