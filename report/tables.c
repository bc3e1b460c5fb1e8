/* The tables of a page but that of the runs. */
#include <math.h>
#include <string.h>

#include "model.h"

void td_report_put_heads(const char *caption, const char *const *heads, FILE *to)
{
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", to);
	td_report_html(to, caption);
	fputs("\"><table class=\"sortable\"><caption>", to);
	td_report_html(to, caption);
	fputs("</caption><thead><tr>", to);
	for (; *heads; heads++)
		fprintf(to, "<th scope=\"col\"%s>%s</th>", **heads == '#' ? " class=\"n\"" : "",
			*heads + (**heads == '#'));
	fputs("</tr></thead><tbody>\n", to);
}

void td_report_put_foot(FILE *to)
{
	fputs("</tbody></table></div>\n", to);
}

void td_report_put_left_out(size_t n, const char *what, const char *file, FILE *to)
{
	if (n)
		fprintf(to,
			"<p class=\"note\">%s more %s are left out, so that the page stays light. "
			"With <code>--figures DIR</code> all of them are in <code>DIR/%s</code>."
			"</p>\n",
			td_report_grouped(n).text, what, file);
}

void td_report_put_number(FILE *to, double value, const char *shown)
{
	if (!isfinite(value)) {
		fputs("<td class=\"n\"></td>", to);
		return;
	}
	fprintf(to, "<td class=\"n\" data-v=\"%.12g\">", value);
	td_report_html(to, shown);
	fputs("</td>", to);
}

void td_report_put_text(FILE *to, const char *text)
{
	fputs("<td>", to);
	td_report_html(to, text);
	fputs("</td>", to);
}

/* ---- the best of every input and size ---- */

static struct td_report_text shown_cost(const struct td_report_run *run,
					enum td_report_metric metric)
{
	uint64_t cost = td_report_cost(run, metric);

	return td_report_is_time(metric) ? td_report_ns(cost) : td_report_grouped(cost);
}

static void put_best_row(const struct td_report *r, const struct td_report_group *g, FILE *to)
{
	double gain = td_report_gain(g, g->best);
	char text[64];

	fputs("<tr>", to);
	td_report_put_text(to, r->inputs.at[g->best->input]);
	fputs("<td><strong>", to);
	td_report_html(to, r->combinations.at[g->best->combination]);
	fputs("</strong>", to);
	if (g->also_best)
		fprintf(to, " and %zu as good", g->also_best);
	fputs("</td>", to);
	td_report_put_number(to, (double)g->best->near_pages, r->sizes.at[g->best->size]);
	snprintf(text, sizeof text, "%.3fx", gain);
	td_report_put_number(to, gain, text);
	td_report_put_number(to, (double)td_report_cost(g->best, g->metric),
			     shown_cost(g->best, g->metric).text);
	td_report_put_text(to, td_report_metric_name(g->metric));
	td_report_put_text(to, r->models.at[g->best->model]);
	td_report_put_number(to, (double)g->n, td_report_grouped(g->n).text);
	fputs("</tr>\n", to);
}

void td_report_put_best(const struct td_report *r, FILE *to)
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
	size_t i = 0;

	td_report_put_heads("A row for every input and size", heads, to);
	for (; i < r->n_groups && i < TD_REPORT_ROWS_MOST; i++)
		put_best_row(r, &r->groups[i], to);
	td_report_put_foot(to);
	td_report_put_left_out(r->n_groups - i, "inputs and sizes", "runs.csv", to);
}

/* ---- what failed ---- */

void td_report_put_failed(const struct td_report *r, FILE *to)
{
	static const char *const heads[] = {"#run", "file", "input", "combination", "error", NULL};
	size_t rows = 0;

	td_report_put_heads("Runs that failed", heads, to);
	for (size_t i = 0; i < r->n_runs && rows < TD_REPORT_ROWS_MOST; i++) {
		const struct td_report_run *run = &r->runs[i];
		if (!run->error)
			continue;
		fputs("<tr>", to);
		td_report_put_number(to, run->number, td_report_grouped(run->number).text);
		td_report_put_text(to, r->files.at[run->file]);
		td_report_put_text(to, r->inputs.at[run->input]);
		td_report_put_text(to, r->combinations.at[run->combination]);
		td_report_put_text(to, run->error);
		fputs("</tr>\n", to);
		rows++;
	}
	td_report_put_foot(to);
	td_report_put_left_out(r->failed - rows, "failed runs", "runs.csv", to);
}

/* ---- curves ---- */

static void put_curve(const struct td_report *r, const struct td_report_curve *c, FILE *to)
{
	char text[64];

	fputs("<tr>", to);
	td_report_put_text(to, r->inputs.at[c->input]);
	td_report_put_text(to, r->policies.at[c->policy]);
	td_report_put_text(to, c->method);
	snprintf(text, sizeof text, "%.4f", c->mean);
	td_report_put_number(to, c->n ? c->mean : NAN, text);
	td_report_put_number(to, (double)c->n, td_report_grouped(c->n).text);
	td_report_put_text(to, c->state        ? td_report_state_name(c->state)
			       : c->is_sampled ? "sampled"
					       : "exact");
	fputs("</tr>\n", to);
}

void td_report_put_curves(const struct td_report *r, FILE *to)
{
	static const char *const heads[] = {"input",  "policy", "method", "#mean miss ratio",
					    "#sizes", "kind",   NULL};
	size_t i = 0;

	td_report_put_heads("Miss ratio curves, by their mean over all sizes", heads, to);
	for (; i < r->n_curves && i < TD_REPORT_ROWS_MOST; i++)
		put_curve(r, &r->curves[i], to);
	td_report_put_foot(to);
	td_report_put_left_out(r->n_curves - i, "curves", "curves.csv", to);
}

/* ---- statements of a paper ---- */

/* Told by words and by colour. */
static void put_verdict(const struct td_report_statement *s, FILE *to)
{
	static const char *const classes[] = {"open", "no", "yes"};
	static const char *const words[] = {"not judged", "differs", "agrees"};
	int i = s->agrees + 1;

	fprintf(to, "<td><span class=\"verdict %s\">%s</span></td>", classes[i], words[i]);
}

static void put_value(FILE *to, double value, const char *text)
{
	if (isfinite(value)) {
		td_report_put_number(to, value, text);
		return;
	}
	fputs("<td class=\"words\">", to);
	td_report_html(to, text);
	fputs("</td>", to);
}

static void put_statement(const struct td_report_statement *s, FILE *to)
{
	double ratio = s->measured_value / s->published_value;
	char text[64];

	fputs("<tr>", to);
	put_verdict(s, to);
	td_report_put_text(to, s->id);
	fputs("<td class=\"long\">", to);
	td_report_html(to, s->what);
	if (s->note && *s->note) {
		fputs("<br><small>", to);
		td_report_html(to, s->note);
		fputs("</small>", to);
	}
	fputs("</td>", to);
	put_value(to, s->published_value, s->published);
	put_value(to, s->measured_value, s->measured);
	snprintf(text, sizeof text, "%.3f", ratio);
	td_report_put_number(to, ratio, text);
	fputs("</tr>\n", to);
}

void td_report_put_statements(const struct td_report_paper *paper, FILE *to)
{
	static const char *const heads[] = {"verdict",   "id",     "statement", "#published",
					    "#measured", "#ratio", NULL};
	char caption[200];
	size_t i = 0;

	snprintf(caption, sizeof caption, "Statements of %.150s", paper->name);
	td_report_put_heads(caption, heads, to);
	for (; i < paper->n && i < TD_REPORT_ROWS_MOST; i++)
		put_statement(&paper->at[i], to);
	td_report_put_foot(to);
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
