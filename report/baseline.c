/* What runs are compared with. A table has one baseline: ratios to different policies are not
 * beside each other, and have no mean. */
#include <limits.h>
#include <string.h>

#include "model.h"

/* What a comparison starts from: what the user says, what the document says, what a driver does,
 * whatever evicts as a driver does, or the first. Of placements it is the one without a choice. */
static int rank(const struct td_report *r, const struct td_report_run *run)
{
	const char *name = r->combinations.at[run->combination];

	if (r->wish.baseline && strcmp(name, r->wish.baseline) == 0)
		return 5;
	if (r->wish.baseline && td_report_is_called(name, r->wish.baseline))
		return 4;
	if (run->is_baseline)
		return 3;
	if (run->is_placed)
		return strcmp(r->policies.at[run->place], "bam") == 0;
	if (strcmp(name, "lrm+tree") == 0)
		return 2;
	return strcmp(r->policies.at[run->evict], "lrm") == 0;
}

static const struct td_report_run *run_at(const struct td_report *r,
					  const struct td_report_group *g, size_t i)
{
	return &r->runs[r->order[g->first + i]];
}

static void choose_own(const struct td_report *r, struct td_report_group *g)
{
	g->baseline = run_at(r, g, 0);
	for (size_t i = 1; i < g->n; i++)
		if (rank(r, run_at(r, g, i)) > rank(r, g->baseline))
			g->baseline = run_at(r, g, i);
}

static const struct td_report_run *find_in(const struct td_report *r,
					   const struct td_report_group *g, uint32_t combination)
{
	for (size_t i = 0; i < g->n; i++)
		if (run_at(r, g, i)->combination == combination)
			return run_at(r, g, i);
	return NULL;
}

/* How good a baseline of all groups a combination is; below 0: it did not run in all of them. */
static int common_rank(const struct td_report *r, uint32_t combination)
{
	int least = INT_MAX;

	for (size_t i = 0; i < r->n_groups; i++) {
		const struct td_report_run *run = find_in(r, &r->groups[i], combination);
		int own = run ? rank(r, run) : -1;
		least = own < least ? own : least;
	}
	return least;
}

/* Where the groups would have different baselines, one that ran in all of them is taken, if there
 * is one and nobody named another. */
static void share(struct td_report *r)
{
	uint32_t best = UINT32_MAX;
	bool differ = false;

	for (size_t i = 0; i < r->n_groups; i++) {
		differ |= r->groups[i].baseline->combination != r->groups[0].baseline->combination;
		if (rank(r, r->groups[i].baseline) >= 3)
			return;
	}
	/* One that ran everywhere ran in the first group. */
	for (size_t i = 0; differ && i < r->groups[0].n; i++) {
		uint32_t own = run_at(r, &r->groups[0], i)->combination;
		int by = common_rank(r, own);
		if (by >= 0 && (best == UINT32_MAX || by > common_rank(r, best)))
			best = own;
	}
	for (size_t i = 0; best != UINT32_MAX && i < r->n_groups; i++)
		r->groups[i].baseline = find_in(r, &r->groups[i], best);
}

static size_t index_of(const struct td_report *r, uint32_t combination)
{
	size_t i = 0;

	while (i < r->baselines && r->baseline[i] != combination)
		i++;
	return i;
}

/* The baselines in the order of their groups. Where they are too many, the groups of the last ones
 * are compared with nothing. */
static void collect(struct td_report *r)
{
	for (size_t i = 0; i < r->n_groups; i++) {
		uint32_t own = r->groups[i].baseline->combination;
		size_t at = index_of(r, own);
		if (at == r->baselines && at < TD_REPORT_BASELINES_MOST)
			r->baseline[r->baselines++] = own;
		if (at == TD_REPORT_BASELINES_MOST) {
			r->groups[i].baseline = NULL;
			r->uncompared++;
		}
	}
}

void td_report_choose_baselines(struct td_report *r)
{
	for (size_t i = 0; i < r->n_groups; i++)
		choose_own(r, &r->groups[i]);
	share(r);
	collect(r);
}

size_t td_report_baseline_of(const struct td_report *r, const struct td_report_group *g)
{
	return g->baseline ? index_of(r, g->baseline->combination) : r->baselines;
}

const char *td_report_baseline(const struct td_report *r, size_t i)
{
	return i < r->baselines ? r->combinations.at[r->baseline[i]] : NULL;
}
