/* SVG of gnuplot as part of a page. */
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "model.h"

/* As gnuplot writes the colours of figure.c; the page has a variable for each. */
static const struct {
	unsigned r, g, b;
	const char *variable;
} colours[] = {
	{0x00, 0x72, 0xb2, "--c1"},   {0xe6, 0x9f, 0x00, "--c2"},   {0x00, 0x9e, 0x73, "--c3"},
	{0xcc, 0x79, 0xa7, "--c4"},   {0xd5, 0x5e, 0x00, "--c5"},   {0x56, 0xb4, 0xe9, "--c6"},
	{0x8c, 0x6d, 0x1f, "--c7"},   {0x6b, 0x6b, 0x6b, "--c8"},   {0x33, 0x33, 0x33, "--ink"},
	{0x88, 0x88, 0x88, "--axis"}, {0xdd, 0xdd, 0xdd, "--grid"},
};

/* The names are those that gnuplot uses for its points. */
const char td_report_markers[] =
	"<svg class=\"markers\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>"
	"<rect id=\"gpPt3\" x=\"-.9\" y=\"-.9\" width=\"1.8\" height=\"1.8\" class=\"hollow\"/>"
	"<rect id=\"gpPt4\" x=\"-1\" y=\"-1\" width=\"2\" height=\"2\"/>"
	"<circle id=\"gpPt5\" r=\"1\" class=\"hollow\"/><circle id=\"gpPt6\" r=\"1.1\"/>"
	"<path id=\"gpPt8\" d=\"M0-1.3 1.3.8H-1.3z\"/><path id=\"gpPt10\" d=\"M0 1.3 1.3-.8H-1.3z\"/>"
	"<path id=\"gpPt12\" d=\"M0-1.4 1.4 0 0 1.4-1.4 0z\"/>"
	"<path id=\"gpPt14\" d=\"M0-1.3 1.2-.4.8 1.1H-.8L-1.2-.4z\"/></defs></svg>\n";

static const char *variable_of(unsigned r, unsigned g, unsigned b)
{
	for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
		if (colours[i].r == r && colours[i].g == g && colours[i].b == b)
			return colours[i].variable;
	return NULL;
}

/* One line, with variables for colours. Texts cannot be taken for one: rgb( stands in quotes. */
static void put_line(FILE *to, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *variable = NULL;
		unsigned r, g, b;
		int used = 0;
		bool opens = i > 0 && (line[i - 1] == '"' || line[i - 1] == '\'');
		if (opens && sscanf(line + i, "rgb(%u,%u,%u)%n", &r, &g, &b, &used) == 3 && used)
			variable = variable_of(r, g, b);
		if (variable) {
			fprintf(to, "var(%s)", variable);
			i += (size_t)used - 1;
		} else {
			putc(line[i], to);
		}
	}
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* From after the definitions to the end: without groups that hold nothing, and without the names
 * of plots, which would pop up under the pointer. */
static void put_body(FILE *to, const char *at)
{
	while (*at) {
		size_t n = strcspn(at, "\n");
		const char *next = at + n + (at[n] == '\n');
		if (starts(at, "<g ") && starts(next, "</g>\n")) {
			at = next + 5;
			continue;
		}
		if (starts(at, "\t<g id="))
			fputs("<g>\n", to);
		else if (n > 0) {
			put_line(to, at, n);
			putc('\n', to);
		}
		at = next;
	}
}

char *td_report_inline_svg(const char *svg, const char *label)
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
	td_report_html(to, label);
	fputs("\">\n<g>\n", to);
	put_body(to, body + 8);
	fclose(to);
	return text;
}
