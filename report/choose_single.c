/* Bars of what has nothing to be relative to: one input, or one combination. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose_grid.h"

static int title_absolute(const struct td_report_grid *d, struct td_report_figure *f,
			  const char *of, const char *x_label)
{
	struct td_report *r = d->r;
	char *start = NULL, *title = NULL, *name = NULL;
	int rc = -ENOMEM;

	if (asprintf(&start, "%s: %s", of, td_report_metric_name(d->metric)) < 0)
		start = NULL;
	if (start)
		title = td_report_where(r, start, d->model, r->sizes.at[d->size]);
	if (title && asprintf(&name, "bars-%s", title) < 0)
		name = NULL;
	if (name)
		rc = td_report_title(r, f, name, title, x_label, "");
	free(start);
	free(title);
	free(name);
	return rc;
}

/* The runs of a group that bars show: those of the series that were asked for, in their order, or
 * all of them. */
static size_t pick_runs(const struct td_report_grid *d, const struct td_report_run **at,
			size_t most)
{
	const struct td_report *r = d->r;
	const struct td_report_group *g = d->last;
	bool all = !r->wish.n_series && r->order_by == TD_REPORT_BY_FIRST;
	size_t n = 0;

	for (size_t c = 0; c < (all ? 1 : d->c->n); c++)
		for (size_t i = 0; i < g->n && n < most; i++)
			if (all || td_report_run_at(r, g, i)->combination == d->c->at[c])
				at[n++] = td_report_run_at(r, g, i);
	return n;
}

/* Every combination of the only input, the first ones where they are many. */
int td_report_draw_one_input(struct td_report_grid *d)
{
	const struct td_report_run *at[TD_REPORT_BARS_MOST];
	size_t n = pick_runs(d, at, TD_REPORT_BARS_MOST);
	struct td_report_figure *f = td_report_new_figure(d->r, TD_REPORT_BARS, 1, n);
	struct td_report_series *s;
	int rc;

	if (!f)
		return 0;
	rc = title_absolute(d, f, d->r->inputs.at[d->inputs[0]], "combination");
	s = td_report_new_series(f, td_report_metric_name(d->metric), 0, n);
	if (!s || rc)
		return -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		s->y[i] = (double)td_report_cost(at[i], d->metric);
		rc = td_report_new_group(f, d->r->combinations.at[at[i]->combination]);
	}
	if (n < d->last->n &&
	    asprintf(&f->note, "%zu of %zu combinations are drawn.", n, d->last->n) < 0)
		f->note = NULL;
	td_report_scale(f, d->metric);
	return rc;
}

/* One combination has nothing to be relative to. */
int td_report_draw_alone(struct td_report_grid *d, size_t column)
{
	size_t n = d->n < TD_REPORT_BARS_MOST ? d->n : TD_REPORT_BARS_MOST;
	struct td_report_figure *f = td_report_new_figure(d->r, TD_REPORT_BARS, 1, n);
	struct td_report_series *s;
	int rc;

	if (!f)
		return 0;
	rc = title_absolute(d, f, d->r->combinations.at[d->c->at[column]], "input");
	s = td_report_new_series(f, d->r->combinations.at[d->c->at[column]], column, n);
	if (!s || rc)
		return -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		size_t at = i * d->c->n + column;
		s->y[i] = d->runs[at] ? d->costs[at] / d->runs[at] : NAN;
		rc = td_report_new_group(f, d->r->inputs.at[d->inputs[i]]);
	}
	td_report_scale(f, d->metric);
	return rc;
}
