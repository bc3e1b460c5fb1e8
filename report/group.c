/* Runs that differ in their policies alone, and which of them is the best. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

uint64_t td_report_cost(const struct td_report_run *run, enum td_report_metric metric)
{
	switch (metric) {
	case TD_REPORT_TIME:
	case TD_REPORT_MEASURED: return run->time_ns;
	case TD_REPORT_STORAGE:
		return run->counts[TD_REPORT_tier3_reads] + run->counts[TD_REPORT_tier3_writes];
	default: return run->counts[TD_REPORT_faults];
	}
}

double td_report_gain(const struct td_report_group *group, const struct td_report_run *run)
{
	uint64_t cost = td_report_cost(run, group->metric);
	uint64_t base = group->baseline ? td_report_cost(group->baseline, group->metric) : 0;

	return cost && base ? (double)base / (double)cost : NAN;
}

enum td_report_metric td_report_metric(const struct td_report *r)
{
	for (size_t i = 1; i < r->n_groups; i++)
		if (r->groups[i].metric != r->groups[0].metric)
			return TD_REPORT_MIXED;
	return r->n_groups ? r->groups[0].metric : TD_REPORT_MIXED;
}

bool td_report_any_measured(const struct td_report *r)
{
	for (size_t i = 0; i < r->n_groups; i++)
		if (r->groups[i].metric == TD_REPORT_MEASURED)
			return true;
	return false;
}

double td_report_mean_gain(const struct td_report *r, uint32_t combination)
{
	const struct td_report_score *s = &r->scores[combination];

	return s->gains ? exp(s->log_gain / (double)s->gains) : NAN;
}

/* ---- sizes: inputs of different footprints are alike at the same share, or at the same size ----
 */

/* Rounded up to whole pages, a share is a little more than was asked for. Results of an older tide
 * do not say what was: it is taken for a whole number of hundredths, where that gives these pages.
 */
double td_report_share(const struct td_report_run *run)
{
	double pages = (double)run->near_pages, of = (double)run->footprint_pages;
	double share = 100 * pages / of, whole = floor(share);

	if (run->near_share > 0 && fabs(of * run->near_share - pages) <= 1)
		return 100 * run->near_share;
	return ceil(of * whole / 100) == pages ? whole : share;
}

static void share_text(const struct td_report_run *run, char text[64])
{
	snprintf(text, 64, "%.10g%%", round(td_report_share(run) * 10) / 10);
}

static int name_sizes(struct td_report *r, bool shares, size_t *n)
{
	struct td_report_names names = {0};
	int rc = 0;

	for (size_t i = 0; i < r->n_runs && !rc; i++) {
		struct td_report_run *run = &r->runs[i];
		char share[64];
		if (!td_report_is_compared(run))
			continue;
		if (shares)
			share_text(run, share);
		rc = td_report_name(&names, shares ? share : td_report_near(run).text, &run->size);
	}
	*n = names.n;
	r->sizes = names;
	r->sizes_are_shares = shares;
	return rc;
}

static void drop_sizes(struct td_report *r)
{
	for (size_t i = 0; i < r->sizes.n; i++)
		free((char *)(uintptr_t)r->sizes.at[i]);
	free(r->sizes.at);
	json_decref(r->sizes.numbers);
}

static int choose_sizes(struct td_report *r)
{
	size_t by_share, by_size;
	bool known = true;
	int rc;

	for (size_t i = 0; i < r->n_runs; i++)
		known = known &&
			(!td_report_is_compared(&r->runs[i]) || r->runs[i].footprint_pages);
	rc = name_sizes(r, false, &by_size);
	if (rc || !known)
		return rc;
	drop_sizes(r);
	rc = name_sizes(r, true, &by_share);
	if (rc || by_share <= by_size)
		return rc;
	drop_sizes(r);
	return name_sizes(r, false, &by_size);
}

/* ---- groups ---- */

static int name_group(struct td_report *r, struct td_report_run *run)
{
	char key[160];

	snprintf(key, sizeof key, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64,
		 run->input, run->near_pages, run->host_pages, run->page_bytes, run->chunk_bytes,
		 run->model, run->seed);
	return td_report_name(&r->groups_named, key, &run->group);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_runs(const void *a, const void *b, void *report)
{
	const struct td_report *r = report;
	const struct td_report_run *x = &r->runs[*(const uint32_t *)a];
	const struct td_report_run *y = &r->runs[*(const uint32_t *)b];
	int c = compare_u64(x->input, y->input);

	if (!c)
		c = compare_u64(x->near_pages, y->near_pages);
	if (!c)
		c = compare_u64(x->group, y->group);
	return c ? c : compare_u64(x->number, y->number);
}

static int put_in_order(struct td_report *r, size_t *n)
{
	int rc = 0;

	r->order = calloc(r->n_runs + 1, sizeof *r->order);
	if (!r->order)
		return -ENOMEM;
	*n = 0;
	for (size_t i = 0; i < r->n_runs && !rc; i++) {
		if (!td_report_is_compared(&r->runs[i]))
			continue;
		rc = name_group(r, &r->runs[i]);
		r->order[(*n)++] = (uint32_t)i;
	}
	qsort_r(r->order, *n, sizeof *r->order, compare_runs, r);
	return rc;
}

bool td_report_is_oracle(const struct td_report *r, const struct td_report_run *run)
{
	const char *evict = r->policies.at[run->evict], *place = r->policies.at[run->place];

	if (run->is_measured)
		return strcmp(place, "raw") == 0 || strcmp(place, "resident") == 0;
	return strcmp(evict, "opt") == 0 || strncmp(evict, "opt:", 4) == 0;
}

/* Of those that can be run for real, unless there is none. */
static void find_best(const struct td_report *r, struct td_report_group *g, bool with_oracles)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct td_report_run *run = &r->runs[r->order[g->first + i]];
		uint64_t cost = td_report_cost(run, g->metric);
		uint64_t least = g->best ? td_report_cost(g->best, g->metric) : UINT64_MAX;
		if (td_report_is_oracle(r, run) && !with_oracles)
			continue;
		if (!g->best || cost < least) {
			g->best = run;
			g->also_best = 0;
		} else if (cost == least) {
			g->also_best++;
		}
	}
}

static void judge(const struct td_report *r, struct td_report_group *g)
{
	g->metric = TD_REPORT_FAULTS;
	for (size_t i = 0; i < g->n; i++) {
		const struct td_report_run *run = &r->runs[r->order[g->first + i]];
		if (run->time_ns)
			g->metric = run->is_measured ? TD_REPORT_MEASURED : TD_REPORT_TIME;
		else if (run->is_placed && g->metric == TD_REPORT_FAULTS)
			g->metric = TD_REPORT_STORAGE;
	}
	find_best(r, g, false);
	if (!g->best)
		find_best(r, g, true);
}

static void score(struct td_report *r, const struct td_report_group *g)
{
	uint64_t least = td_report_cost(g->best, g->metric);

	for (size_t i = 0; i < g->n; i++) {
		const struct td_report_run *run = &r->runs[r->order[g->first + i]];
		struct td_report_score *s = &r->scores[run->combination];
		double gain = td_report_gain(g, run);
		s->groups++;
		s->is_oracle = td_report_is_oracle(r, run);
		s->best += !s->is_oracle && td_report_cost(run, g->metric) == least;
		if (!isnan(gain)) {
			s->log_gain += log(gain);
			s->gains++;
		}
		s->is_baseline |= run == g->baseline;
	}
}

static void split(struct td_report *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct td_report_run *run = &r->runs[r->order[i]];
		if (i == 0 || run->group != r->runs[r->order[i - 1]].group)
			r->groups[r->n_groups++].first = i;
		r->groups[r->n_groups - 1].n++;
	}
	for (size_t i = 0; i < r->n_groups; i++)
		judge(r, &r->groups[i]);
	td_report_choose_baselines(r);
	for (size_t i = 0; i < r->n_groups; i++)
		score(r, &r->groups[i]);
}

/* Those of runs are counted apart. */
static int count_inputs(struct td_report *r)
{
	bool *seen = calloc(r->inputs.n + 1, sizeof *seen);

	for (size_t i = 0; seen && i < r->n_runs; i++) {
		r->run_inputs += !seen[r->runs[i].input];
		seen[r->runs[i].input] = true;
	}
	r->n_inputs = r->run_inputs;
	for (size_t i = 0; seen && i < r->n_curves; i++) {
		r->n_inputs += !seen[r->curves[i].input];
		seen[r->curves[i].input] = true;
	}
	free(seen);
	return seen ? 0 : -ENOMEM;
}

int td_report_group(struct td_report *r)
{
	size_t n;
	int rc = choose_sizes(r);

	if (!rc)
		rc = put_in_order(r, &n);
	if (rc)
		return rc;
	r->groups = calloc(r->groups_named.n + 1, sizeof *r->groups);
	r->scores = calloc(r->combinations.n + 1, sizeof *r->scores);
	if (!r->groups || !r->scores)
		return -ENOMEM;
	split(r, n);
	return count_inputs(r);
}
