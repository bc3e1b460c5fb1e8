/* The tables of a page but that of the runs. */
#include <math.h>
#include <string.h>

#include "model.h"

/* ---- the best of every input and size ---- */

static struct td_report_text shown_cost(const struct td_report_run *run,
					enum td_report_metric metric)
{
	uint64_t cost = td_report_cost(run, metric);

	return td_report_is_time(metric) ? td_report_ns(cost) : td_report_grouped(cost);
}

static void put_best_row(const struct td_report *r, const struct td_report_group *g,
			 struct td_report_table *to)
{
	double gain = td_report_gain(g, g->best);
	char text[300];

	td_report_put_row(to, false);
	td_report_put_text(to, r->inputs.at[g->best->input]);
	snprintf(text, sizeof text, g->also_best ? "%.200s and %zu as good" : "%.200s",
		 r->combinations.at[g->best->combination], g->also_best);
	td_report_put_text(to, text);
	td_report_put_number(to, (double)g->best->near_pages, r->sizes.at[g->best->size]);
	snprintf(text, sizeof text, "%.3fx", gain);
	td_report_put_number(to, gain, text);
	td_report_put_number(to, (double)td_report_cost(g->best, g->metric),
			     shown_cost(g->best, g->metric).text);
	td_report_put_text(to, td_report_metric_name(g->metric));
	td_report_put_text(to, r->models.at[g->best->model]);
	td_report_put_number(to, (double)g->n, td_report_grouped(g->n).text);
}

void td_report_put_best(const struct td_report *r, size_t baseline, FILE *to)
{
	static const char *const heads[] = {"input",
					    "best combination",
					    "#near memory",
					    "#better than baseline",
					    "#value",
					    "of",
					    "model",
					    "#runs",
					    NULL};
	struct td_report_caption caption =
		td_report_caption(r, "A row for every input and size", baseline);
	struct td_report_table t;

	td_report_put_heads(&t, caption.text, heads, to);
	for (size_t i = 0; i < r->n_groups; i++)
		if (td_report_baseline_of(r, &r->groups[i]) == baseline)
			put_best_row(r, &r->groups[i], &t);
	td_report_put_foot(&t, "inputs and sizes", "runs.csv");
}

/* ---- what failed ---- */

void td_report_put_failed(const struct td_report *r, FILE *to)
{
	static const char *const heads[] = {"#run", "file", "input", "combination", "error", NULL};
	struct td_report_table t;

	td_report_put_heads(&t, "Runs that failed", heads, to);
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct td_report_run *run = &r->runs[i];
		if (!run->error)
			continue;
		td_report_put_row(&t, false);
		td_report_put_number(&t, run->number, td_report_grouped(run->number).text);
		td_report_put_text(&t, r->files.at[run->file]);
		td_report_put_text(&t, r->inputs.at[run->input]);
		td_report_put_text(&t, r->combinations.at[run->combination]);
		td_report_put_text(&t, run->error);
	}
	td_report_put_foot(&t, "failed runs", "runs.csv");
}

/* ---- curves ---- */

static void put_curve(const struct td_report *r, const struct td_report_curve *c,
		      struct td_report_table *to)
{
	char text[64];

	td_report_put_row(to, false);
	td_report_put_text(to, r->inputs.at[c->input]);
	td_report_put_text(to, r->policies.at[c->policy]);
	td_report_put_text(to, c->method);
	snprintf(text, sizeof text, "%.4f", c->mean);
	td_report_put_number(to, c->n ? c->mean : NAN, text);
	td_report_put_number(to, (double)c->n, td_report_grouped(c->n).text);
	td_report_put_text(to, c->state        ? td_report_state_name(c->state)
			       : c->is_sampled ? "sampled"
					       : "exact");
}

void td_report_put_curves(const struct td_report *r, FILE *to)
{
	static const char *const heads[] = {"input",  "policy", "method", "#mean miss ratio",
					    "#sizes", "kind",   NULL};
	struct td_report_table t;

	td_report_put_heads(&t, "Miss ratio curves, by their mean over all sizes", heads, to);
	for (size_t i = 0; i < r->n_curves; i++)
		put_curve(r, &r->curves[i], &t);
	td_report_put_foot(&t, "curves", "curves.csv");
}

/* ---- statements of a paper ---- */

struct td_report_verdict td_report_verdict(const struct td_report_statement *s)
{
	static const char *const words[] = {"not judged", "differs", "agrees"};
	struct td_report_verdict v;

	if (isfinite(s->error))
		snprintf(v.text, sizeof v.text, fabs(s->error) < .0995 ? "%+.1f%%" : "%+.0f%%",
			 100 * s->error);
	else
		snprintf(v.text, sizeof v.text, "%s", words[s->agrees + 1]);
	return v;
}

/* Told by words and by colour. */
static void put_verdict(const struct td_report_statement *s, FILE *to)
{
	static const char *const classes[] = {"open", "no", "yes"};

	fprintf(to, "<td><span class=\"verdict %s\">%s</span></td>", classes[s->agrees + 1],
		td_report_verdict(s).text);
}

static void put_value(struct td_report_table *t, double value, const char *text)
{
	if (isfinite(value)) {
		td_report_put_number(t, value, text);
		return;
	}
	fputs("<td class=\"words\">", t->to);
	td_report_html(t->to, text);
	fputs("</td>", t->to);
}

static void put_statement(const struct td_report_statement *s, struct td_report_table *t)
{
	FILE *to = t->to;
	double ratio = s->measured_value / s->published_value;
	char text[64];

	td_report_put_row(t, false);
	put_verdict(s, to);
	td_report_put_text(t, s->id);
	fputs("<td class=\"long\">", to);
	td_report_html(to, s->what);
	if (s->note && *s->note) {
		fputs("<br><small>", to);
		td_report_html(to, s->note);
		fputs("</small>", to);
	}
	fputs("</td>", to);
	put_value(t, s->published_value, s->published);
	put_value(t, s->measured_value, s->measured);
	snprintf(text, sizeof text, "%.3f", ratio);
	td_report_put_number(t, ratio, text);
}

void td_report_put_statements(const struct td_report_paper *paper, FILE *to)
{
	static const char *const heads[] = {"verdict",   "id",     "statement", "#published",
					    "#measured", "#ratio", NULL};
	struct td_report_table t;
	char caption[200];
	size_t i = 0;

	snprintf(caption, sizeof caption, "Statements of %.150s", paper->name);
	td_report_put_heads(&t, caption, heads, to);
	for (; i < paper->n && i < TD_REPORT_ROWS_MOST; i++)
		put_statement(&paper->at[i], &t);
	td_report_put_foot(&t, "statements", "statements.csv");
	td_report_put_left_out(paper->n - i, "statements", "statements.csv", to);
}

/* ---- command lines ---- */

static void put_command(const char *label, const char *command, FILE *to)
{
	fprintf(to, "<li><span class=\"of\">%s</span> <code class=\"command\">", label);
	td_report_html(to, command);
	fputs("</code></li>\n", to);
}

void td_report_put_commands(const struct td_report *r, FILE *to)
{
	const char *last = "";
	size_t i = 0, rows = 0;

	fputs("<ul class=\"commands\">\n", to);
	for (; i < r->n_runs && i < TD_REPORT_ROWS_MOST; i++)
		put_command(td_report_grouped(r->runs[i].number).text, r->runs[i].command, to);
	for (size_t k = 0; k < r->n_curves && rows < TD_REPORT_ROWS_MOST; k++) {
		/* One line may have made several curves, one after the other. */
		if (strcmp(r->curves[k].command, last) == 0)
			continue;
		last = r->curves[k].command;
		put_command("curve", last, to);
		rows++;
	}
	fputs("</ul>\n", to);
	td_report_put_left_out(r->n_runs - i, "command lines", "runs.csv", to);
}
