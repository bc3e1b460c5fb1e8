/* Figures of miss ratio curves, and of published beside measured numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"

#define CURVES_MOST TD_REPORT_STYLES
#define STATEMENTS_MOST 2000 /* that are looked at for figures: each is compared with all */

/* ---- curves of one input ---- */

static int add_curve(const struct td_report *r, struct td_report_figure *f,
		     const struct td_report_curve *c)
{
	struct td_report_series *s =
		td_report_new_series(f, r->policies.at[c->policy], f->n_series, c->n);

	if (!s)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		s->x[i] = c->at[i].pages;
		s->y[i] = c->at[i].ratio;
	}
	if (!c->is_sampled)
		return 0;
	s->error = calloc(c->n + 1, sizeof *s->error);
	for (size_t i = 0; s->error && i < c->n; i++)
		s->error[i] = c->at[i].error;
	return s->error ? 0 : -ENOMEM;
}

static int title_curves(struct td_report *r, struct td_report_figure *f, const char *input)
{
	char *title = NULL, *name = NULL;
	int rc = -ENOMEM;

	if (asprintf(&title, "%s: miss ratio over the size of near memory", input) < 0)
		title = NULL;
	if (asprintf(&name, "mrc-%s", input) < 0)
		name = NULL;
	if (title && name)
		rc = td_report_title(r, f, name, title, "near memory, pages", "miss ratio");
	free(title);
	free(name);
	return rc;
}

/* Large sizes in units that have room on the axis. */
static int scale_sizes(struct td_report_figure *f)
{
	double most = 0, unit;

	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++)
			most = fmax(most, f->series[s].x[i]);
	unit = most >= 2e7 ? 1e6 : most >= 2e4 ? 1e3 : 1;
	if (unit == 1)
		return 0;
	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++)
			f->series[s].x[i] /= unit;
	f->x_plain = "near memory, pages";
	f->x_unit = unit;
	free(f->x_label);
	f->x_label =
		strdup(unit == 1e3 ? "near memory, thousand pages" : "near memory, million pages");
	return f->x_label ? 0 : -ENOMEM;
}

/* As combinations are put in order: choose.c. */
static int compare_curves(const void *a, const void *b, void *report)
{
	const struct td_report *r = report;
	const struct td_report_curve *x = &r->curves[*(const size_t *)a];
	const struct td_report_curve *y = &r->curves[*(const size_t *)b];
	const char *one = r->policies.at[x->policy], *two = r->policies.at[y->policy];
	int by = 0;

	if (r->order_by == TD_REPORT_BY_NAME)
		by = strverscmp(one, two);
	else if (r->order_by == TD_REPORT_BY_BEST)
		by = (x->mean > y->mean) - (x->mean < y->mean);
	else if (r->wish.n_series)
		by = (td_report_wanted(r, one) > td_report_wanted(r, two)) -
		     (td_report_wanted(r, one) < td_report_wanted(r, two));
	return by ? by : (x > y) - (x < y);
}

/* The curves of an input that are to be drawn, in their order. */
static size_t pick_curves(struct td_report *r, size_t first, size_t *at)
{
	size_t n = 0;

	for (size_t i = first; i < r->n_curves; i++) {
		const struct td_report_curve *c = &r->curves[i];
		if (c->input == r->curves[first].input && !c->state &&
		    (!r->wish.n_series ||
		     td_report_wanted(r, r->policies.at[c->policy]) != SIZE_MAX))
			at[n++] = i;
	}
	qsort_r(at, n, sizeof *at, compare_curves, r);
	return n;
}

static int draw_picked(struct td_report *r, uint32_t input, const size_t *at, size_t n)
{
	struct td_report_figure *f = td_report_new_figure(r, TD_REPORT_LINES, CURVES_MOST, 0);
	int rc;

	if (!f)
		return 0;
	rc = title_curves(r, f, r->inputs.at[input]);
	for (size_t i = 0; i < n && i < CURVES_MOST && !rc; i++)
		rc = add_curve(r, f, &r->curves[at[i]]);
	if (!rc)
		rc = scale_sizes(f);
	if (n > CURVES_MOST &&
	    asprintf(&f->note, "%zu more curves are not drawn.", n - CURVES_MOST) < 0)
		f->note = NULL;
	return rc;
}

static int draw_curves(struct td_report *r, size_t first)
{
	size_t *at = calloc(r->n_curves + 1, sizeof *at), n;
	int rc = at ? 0 : -ENOMEM;

	n = rc ? 0 : pick_curves(r, first, at);
	if (n)
		rc = draw_picked(r, r->curves[first].input, at, n);
	free(at);
	return rc;
}

int td_report_choose_curves(struct td_report *r)
{
	bool *seen = calloc(r->inputs.n + 1, sizeof *seen);
	int rc = seen ? 0 : -ENOMEM;

	for (size_t i = 0; i < r->n_curves && !rc; i++) {
		uint32_t input = r->curves[i].input;
		if (!seen[input])
			rc = draw_curves(r, i);
		seen[input] = true;
	}
	free(seen);
	return rc;
}

/* ---- statements of one figure of a paper ---- */

/* Ids begin with what of the paper they are about: "figure3-ri-a" and "figure3-tesla" go together.
 */
static size_t about(const char *id)
{
	size_t n = strcspn(id, "-./: ");

	return n ? n : strlen(id);
}

static bool has_numbers(const struct td_report_statement *s)
{
	return isfinite(s->published_value) && isfinite(s->measured_value);
}

static bool is_alike(const struct td_report_statement *a, const struct td_report_statement *b)
{
	return has_numbers(b) && about(a->id) == about(b->id) &&
	       strncmp(a->id, b->id, about(a->id)) == 0;
}

static int title_paper(struct td_report *r, struct td_report_figure *f, const char *paper,
		       const char *id, size_t part)
{
	char number[32] = "", *title = NULL, *name = NULL;
	int rc = -ENOMEM;

	if (part)
		snprintf(number, sizeof number, ", part %zu", part + 1);
	if (asprintf(&title, "%s, %.*s: published and measured%s", paper, (int)about(id), id,
		     number) < 0)
		title = NULL;
	if (asprintf(&name, "published-%s-%.*s%s", paper, (int)about(id), id, number) < 0)
		name = NULL;
	if (title && name)
		rc = td_report_title(r, f, name, title, "statement", "");
	free(title);
	free(name);
	return rc;
}

static int add_pairs(struct td_report_figure *f, const struct td_report_statement *const *at,
		     size_t n)
{
	struct td_report_series *published =
		td_report_new_series(f, "published", TD_REPORT_GREY, n);
	struct td_report_series *measured = td_report_new_series(f, "measured", 0, n);
	int rc = published && measured ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++) {
		const char *id = at[i]->id;
		published->y[i] = at[i]->published_value;
		measured->y[i] = at[i]->measured_value;
		id += id[about(id)] ? about(id) + 1 : 0;
		rc = td_report_new_group(f, *id ? id : at[i]->id);
	}
	return rc;
}

static int draw_statements(struct td_report *r, const char *paper,
			   const struct td_report_statement *const *at, size_t n)
{
	int rc = 0;

	for (size_t from = 0, part = 0; from < n && !rc; part++) {
		size_t some = n - from < TD_REPORT_BARS_MOST ? n - from : TD_REPORT_BARS_MOST;
		struct td_report_figure *f = td_report_new_figure(r, TD_REPORT_BARS, 2, some);
		if (!f)
			return 0;
		rc = title_paper(r, f, paper, at[0]->id, part);
		if (!rc)
			rc = add_pairs(f, at + from, some);
		from += some;
	}
	return rc;
}

static int draw_paper(struct td_report *r, const struct td_report_paper *paper)
{
	const struct td_report_statement **at = calloc(paper->n + 1, sizeof *at);
	bool *drawn = calloc(paper->n + 1, sizeof *drawn);
	size_t most = paper->n < STATEMENTS_MOST ? paper->n : STATEMENTS_MOST;
	int rc = at && drawn ? 0 : -ENOMEM;

	for (size_t i = 0; i < most && !rc; i++) {
		size_t n = 0;
		if (drawn[i] || !has_numbers(&paper->at[i]))
			continue;
		for (size_t k = i; k < most; k++)
			if (!drawn[k] && is_alike(&paper->at[i], &paper->at[k])) {
				at[n++] = &paper->at[k];
				drawn[k] = true;
			}
		/* One pair is read faster in the table. */
		if (n > 1)
			rc = draw_statements(r, paper->name, at, n);
	}
	free(at);
	free(drawn);
	return rc;
}

int td_report_choose_papers(struct td_report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_papers && !rc; i++)
		rc = draw_paper(r, &r->papers[i]);
	return rc;
}
