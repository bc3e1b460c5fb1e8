/* Figures of one input at several sizes: lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"

#define SIZES_LEAST 3 /* fewer make no line */

struct span {
	struct td_report *r;
	const struct td_report_choice *c;
	size_t from, to; /* groups of one input */
	uint32_t model;
};

static size_t count_sizes(const struct span *s)
{
	size_t n = 0;
	uint64_t last = 0;

	for (size_t i = s->from; i < s->to; i++) {
		const struct td_report_run *run = td_report_run_at(s->r, &s->r->groups[i], 0);
		if (run->model != s->model)
			continue;
		n += n == 0 || run->near_pages != last;
		last = run->near_pages;
	}
	return n;
}

static double size_of(const struct td_report *r, const struct td_report_run *run)
{
	if (r->sizes_are_shares)
		return td_report_share(run);
	return (double)run->near_pages * (run->page_bytes ? (double)run->page_bytes / 0x1p20 : 1);
}

static int add_line(const struct span *s, struct td_report_figure *f, size_t column)
{
	struct td_report *r = s->r;
	struct td_report_series *line = td_report_new_series(
		f, r->combinations.at[s->c->at[column]], column, s->to - s->from);

	if (!line)
		return -ENOMEM;
	line->n = 0;
	for (size_t i = s->from; i < s->to; i++) {
		const struct td_report_group *g = &r->groups[i];
		for (size_t k = 0; k < g->n; k++) {
			const struct td_report_run *run = td_report_run_at(r, g, k);
			if (run->model != s->model || run->combination != s->c->at[column])
				continue;
			line->x[line->n] = size_of(r, run);
			line->y[line->n++] = (double)td_report_cost(run, g->metric);
			break;
		}
	}
	return 0;
}

static int title_lines(const struct span *s, struct td_report_figure *f, const char *what)
{
	struct td_report *r = s->r;
	const char *input = r->inputs.at[td_report_run_at(r, &r->groups[s->from], 0)->input];
	char *start = NULL, *title = NULL, *name = NULL;
	int rc = -ENOMEM;

	if (asprintf(&start, "%s: %s over the size of near memory", input, what) < 0)
		start = NULL;
	if (start)
		title = td_report_where(r, start, s->model, NULL);
	if (title && asprintf(&name, "sizes-%s-%s", input,
			      r->models.n > 1 ? r->models.at[s->model] : "") < 0)
		name = NULL;
	if (name)
		rc = td_report_title(r, f, name, title,
				     r->sizes_are_shares ? "near memory, % of the footprint"
							 : "near memory, MiB",
				     "");
	free(start);
	free(title);
	free(name);
	return rc;
}

static int draw_span(const struct span *s)
{
	enum td_report_metric metric = s->r->groups[s->from].metric;
	struct td_report_figure *f;
	int rc;

	if (count_sizes(s) < SIZES_LEAST)
		return 0;
	for (size_t i = s->from; i < s->to; i++)
		if (td_report_run_at(s->r, &s->r->groups[i], 0)->model == s->model)
			metric = s->r->groups[i].metric;
	f = td_report_new_figure(s->r, TD_REPORT_LINES, s->c->n, 0);
	if (!f)
		return 0;
	rc = title_lines(s, f, td_report_metric_name(metric));
	for (size_t c = 0; c < s->c->n && !rc; c++)
		rc = add_line(s, f, c);
	td_report_scale(f, metric);
	return rc;
}

int td_report_choose_sizes(struct td_report *r, const struct td_report_choice *c)
{
	size_t from = 0, to;
	int rc = 0;

	for (; from < r->n_groups && !rc; from = to) {
		uint32_t input = td_report_run_at(r, &r->groups[from], 0)->input;
		to = from + 1;
		while (to < r->n_groups && td_report_run_at(r, &r->groups[to], 0)->input == input)
			to++;
		for (uint32_t m = 0; m < r->models.n && m < TD_REPORT_MODELS_MOST && !rc; m++)
			rc = draw_span(&(struct span){r, c, from, to, m});
	}
	return rc;
}
