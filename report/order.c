/* A sweep writes its results as its runs end, in another order each time. A report of them is to be
 * the same each time: runs come grid by grid, each in its order, and names in that of the runs. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "model.h"

static int compare_runs(const void *a, const void *b)
{
	const struct td_report_run *x = a, *y = b;

	if (x->grid != y->grid)
		return x->grid < y->grid ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static uint32_t *number_of(struct td_report_run *run, size_t member)
{
	return (uint32_t *)(void *)((char *)run + member);
}

/* New numbers of names by their old ones: as runs have them first, then those that no run has. */
static void number_again(const struct td_report *r, size_t member, uint32_t *to, size_t n)
{
	uint32_t next = 0;

	for (size_t i = 0; i < n; i++)
		to[i] = UINT32_MAX;
	for (size_t i = 0; i < r->n_runs; i++) {
		uint32_t old = *number_of(&r->runs[i], member);
		if (to[old] == UINT32_MAX)
			to[old] = next++;
	}
	for (size_t i = 0; i < n; i++)
		if (to[i] == UINT32_MAX)
			to[i] = next++;
}

static int move_names(struct td_report_names *names, const uint32_t *to)
{
	const char **at = calloc(names->room, sizeof *at);
	int rc = 0;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < names->n; i++) {
		at[to[i]] = names->at[i];
		if (json_object_set_new(names->numbers, names->at[i], json_integer(to[i])))
			rc = -ENOMEM;
	}
	free(names->at);
	names->at = at;
	return rc;
}

static int order_names(struct td_report *r, struct td_report_names *names, size_t member)
{
	uint32_t *to = calloc(names->n + 1, sizeof *to);
	int rc = to ? 0 : -ENOMEM;

	if (!rc && names->n) {
		number_again(r, member, to, names->n);
		rc = move_names(names, to);
		for (size_t i = 0; i < r->n_runs; i++) {
			uint32_t *number = number_of(&r->runs[i], member);
			*number = to[*number];
		}
		for (size_t i = 0; names == &r->inputs && i < r->n_curves; i++)
			r->curves[i].input = to[r->curves[i].input];
	}
	free(to);
	return rc;
}

static int number_runs(struct td_report *r)
{
	uint32_t *to = calloc(r->n_runs + 1, sizeof *to); /* 0 stays 0 */

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_runs; i++)
		to[r->runs[i].number] = (uint32_t)i + 1;
	for (size_t i = 0; i < r->n_runs; i++) {
		r->runs[i].number = (uint32_t)i + 1;
		r->runs[i].instead = to[r->runs[i].instead];
	}
	free(to);
	return 0;
}

int td_report_order(struct td_report *r)
{
	int rc;

	if (!r->n_runs)
		return 0;
	qsort(r->runs, r->n_runs, sizeof *r->runs, compare_runs);
	rc = number_runs(r);
	if (rc)
		return rc;
	rc = order_names(r, &r->inputs, offsetof(struct td_report_run, input));
	return rc ? rc
		  : order_names(r, &r->combinations, offsetof(struct td_report_run, combination));
}
