/* SVG of gnuplot as part of a page. */
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "model.h"

/* The colours of all figures that are no series; the page has a variable for each. */
static const struct {
	const char *colour, *variable;
} others[] = {{TD_REPORT_INK, "--ink"}, {TD_REPORT_AXIS, "--axis"}, {TD_REPORT_GRID, "--grid"}};

/* The names are those that gnuplot uses for its points. */
const char td_report_markers[] =
	"<svg class=\"markers\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>"
	"<path id=\"gpPt0\" class=\"thin\" d=\"M-1.2 0h2.4M0-1.2v2.4\"/>"
	"<path id=\"gpPt1\" class=\"thin\" d=\"M-1-1 1 1M1-1-1 1\"/>"
	"<path id=\"gpPt2\" class=\"thin\" d=\"M-1.2 0h2.4M0-1.2v2.4M-.9-.9.9.9M.9-.9-.9.9\"/>"
	"<rect id=\"gpPt3\" x=\"-.9\" y=\"-.9\" width=\"1.8\" height=\"1.8\" class=\"hollow\"/>"
	"<rect id=\"gpPt4\" x=\"-1\" y=\"-1\" width=\"2\" height=\"2\"/>"
	"<circle id=\"gpPt5\" r=\"1\" class=\"hollow\"/><circle id=\"gpPt6\" r=\"1.1\"/>"
	"<path id=\"gpPt7\" class=\"hollow\" d=\"M0-1.3 1.3.8H-1.3z\"/>"
	"<path id=\"gpPt8\" d=\"M0-1.3 1.3.8H-1.3z\"/>"
	"<path id=\"gpPt9\" class=\"hollow\" d=\"M0 1.3 1.3-.8H-1.3z\"/>"
	"<path id=\"gpPt10\" d=\"M0 1.3 1.3-.8H-1.3z\"/>"
	"<path id=\"gpPt11\" class=\"hollow\" d=\"M0-1.4 1.4 0 0 1.4-1.4 0z\"/>"
	"<path id=\"gpPt12\" d=\"M0-1.4 1.4 0 0 1.4-1.4 0z\"/>"
	"<path id=\"gpPt13\" class=\"hollow\" d=\"M0-1.3 1.2-.4.8 1.1H-.8L-1.2-.4z\"/>"
	"<path id=\"gpPt14\" d=\"M0-1.3 1.2-.4.8 1.1H-.8L-1.2-.4z\"/></defs></svg>\n";

/* What the page calls a colour; false: it is none of ours, and stays. */
static bool put_variable(FILE *to, unsigned r, unsigned g, unsigned b)
{
	char colour[32];

	snprintf(colour, sizeof colour, "#%02x%02x%02x", r, g, b);
	for (size_t i = 0; i < TD_REPORT_COLOURS; i++)
		if (strcmp(td_report_lines[i].colour, colour) == 0)
			return fprintf(to, "var(--c%zu)", i + 1) > 0;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(others[i].colour, colour) == 0)
			return fprintf(to, "var(%s)", others[i].variable) > 0;
	return false;
}

/* One line, with variables for colours. Texts cannot be taken for one: rgb( stands in quotes. */
static void put_line(FILE *to, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned r, g, b;
		int used = 0;
		bool opens = i > 0 && (line[i - 1] == '"' || line[i - 1] == '\'');
		if (opens && sscanf(line + i, "rgb(%u,%u,%u)%n", &r, &g, &b, &used) == 3 && used &&
		    put_variable(to, r, g, b))
			i += (size_t)used - 1;
		else
			putc(line[i], to);
	}
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A plot of gnuplot is a series, or the labels of one. Its own name would pop up under the pointer.
 */
static void put_group(FILE *to, const struct td_report_figure *f, const char *line)
{
	size_t at[2 * TD_REPORT_SERIES_MOST], n = td_report_plots(f, at), number;

	if (sscanf(line, "\t<g id=\"gnuplot_plot_%zu\"", &number) != 1 || number < 1 ||
	    number > n) {
		fputs("<g>\n", to);
		return;
	}
	fprintf(to, "<g data-series=\"%zu\"", at[number - 1]);
	for (size_t i = 0; i + 1 < number; i++)
		if (at[i] == at[number - 1]) {
			fputs(">\n", to);
			return;
		}
	fputs(" data-name=\"", to);
	td_report_html(to, f->series[at[number - 1]].name);
	fputs("\">\n", to);
}

/* From after the definitions to the end, without groups that hold nothing. */
static void put_body(FILE *to, const struct td_report_figure *f, const char *at)
{
	while (*at) {
		size_t n = strcspn(at, "\n");
		const char *next = at + n + (at[n] == '\n');
		if (starts(at, "<g ") && starts(next, "</g>\n")) {
			at = next + 5;
			continue;
		}
		if (starts(at, "\t<g id="))
			put_group(to, f, at);
		else if (n > 0) {
			put_line(to, at, n);
			putc('\n', to);
		}
		at = next;
	}
}

char *td_report_inline_svg(const struct td_report_figure *f, const char *svg)
{
	const char *box = strstr(svg, "viewBox=\""), *body = strstr(svg, "</defs>\n");
	unsigned width, height;
	char *text = NULL;
	size_t size;
	FILE *to;

	if (!box || !body || sscanf(box, "viewBox=\"0 0 %u %u\"", &width, &height) != 2)
		return NULL;
	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	fprintf(to, "<svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"", width, height);
	td_report_html(to, f->title);
	fputs("\">\n<g>\n", to);
	put_body(to, f, body + 8);
	fclose(to);
	return text;
}
