#include "style.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Told apart by people who do not see all colours, and in grey: no two have the same lightness, and
 * the first four differ most (tests/unit/test_report_style.c). page.css has them too, and others
 * for a dark screen. */
const struct td_report_line td_report_lines[TD_REPORT_COLOURS] = {
	{"#015a94", 7, 6, "solid"},           /* blue, a disc */
	{"#f0962d", 5, 4, "(9,4)"},           /* orange, a square */
	{"#310d3d", 9, 8, "(9,3,2,3)"},       /* plum, a triangle */
	{"#43905b", 13, 12, "(3,3)"},         /* green, a diamond */
	{"#7ccfeb", 11, 10, "(14,4)"},        /* sky, a triangle that hangs */
	{"#c13f3e", 15, 14, "(9,3,2,3,2,3)"}, /* red, a pentagon */
	{"#939598", 3, 1, "(2,4)"},           /* grey, a star */
	{"#503318", 1, 2, "(5,2)"},           /* brown, a plus */
};

/* From dark to light and back, so that neighbours differ. */
static const char greys[] = "#000000,#a0a0a0,#505050,#c4c4c4,#282828,#8c8c8c,#707070,#d8d8d8";

/* ---- what a user asked for ---- */

int td_report_look_width(struct td_report_look *look, const char *text, struct tide_error *err)
{
	static const struct {
		const char *name;
		double pixels;
	} units[] = {{"in", TD_REPORT_INCH},
		     {"cm", TD_REPORT_INCH / 2.54},
		     {"mm", TD_REPORT_INCH / 25.4},
		     {"pt", TD_REPORT_INCH / 72}};
	char *end;
	double n;

	if (!text)
		return 0;
	n = strtod(text, &end);
	for (size_t i = 0; end != text && i < sizeof units / sizeof units[0]; i++)
		if (strcmp(end, units[i].name) == 0)
			look->width = n * units[i].pixels;
	if (look->width >= 1.5 * TD_REPORT_INCH && look->width <= 40 * TD_REPORT_INCH)
		return 0;
	return tide_fail(err, -EINVAL,
			 "%.40s is no width of a figure: give 1.5in to 40in, also in cm, mm or pt, "
			 "such as 3.33in",
			 text);
}

static bool is_colour(const char *text, size_t n)
{
	return n == 7 && *text == '#' && strspn(text + 1, "0123456789abcdefABCDEF") >= 6;
}

int td_report_look_colours(struct td_report_look *look, const char *text, struct tide_error *err)
{
	if (!text)
		return 0;
	if (strcmp(text, "grey") == 0)
		text = greys;
	for (;; text++) {
		size_t n = strcspn(text, ",");
		if (!is_colour(text, n))
			return tide_fail(err, -EINVAL,
					 "%.40s is no list of colours: give grey, or colours such "
					 "as '#015a94,#f0962d'",
					 text);
		if (look->n == TD_REPORT_COLOURS)
			return tide_fail(err, -EINVAL, "more than %d colours: give fewer",
					 TD_REPORT_COLOURS);
		memcpy(look->colours[look->n++], text, n);
		text += n;
		if (!*text)
			return 0;
	}
}

/* ---- files ---- */

static void put_svg(FILE *to, double width, double height, double font)
{
	fprintf(to,
		"set terminal svg fixed noenhanced background 'white' font 'sans-serif,%.2f' "
		"size %.0f,%.0f\n",
		font, width, height);
}

static void put_pdf(FILE *to, double width, double height, double font)
{
	fprintf(to,
		"set terminal pdfcairo noenhanced color background 'white' font 'sans,%.2f' "
		"fontscale 0.75 linewidth 1.5 pointscale 1 size %.4fin,%.4fin\n",
		font * 72 / TD_REPORT_INCH, width / TD_REPORT_INCH, height / TD_REPORT_INCH);
}

#define PNG_SCALE (300 / TD_REPORT_INCH) /* 300 dots in an inch: sharp in print */

static void put_png(FILE *to, double width, double height, double font)
{
	fprintf(to,
		"set terminal pngcairo noenhanced background 'white' font 'sans,%.2f' "
		"fontscale %g pointscale %g linewidth %g size %.0f,%.0f\n",
		font * 72 / TD_REPORT_INCH, PNG_SCALE, PNG_SCALE, PNG_SCALE, width * PNG_SCALE,
		height * PNG_SCALE);
}

const struct td_report_output td_report_svg = {".svg", "</svg>", put_svg};
const struct td_report_output td_report_pdf = {".pdf", "%%EOF", put_pdf};
const struct td_report_output td_report_png = {".png", "IEND", put_png};

const struct td_report_output *td_report_output(const char *path)
{
	static const struct td_report_output *const all[] = {&td_report_svg, &td_report_pdf,
							     &td_report_png};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (n > 4 && strcmp(path + n - 4, all[i]->ending) == 0)
			return all[i];
	return NULL;
}

/* ---- lines ---- */

void td_report_put_style(FILE *to, const struct td_report_look *look, double line)
{
	for (size_t i = 0; i < TD_REPORT_STYLES; i++) {
		size_t k = i % TD_REPORT_COLOURS;
		bool again = i >= TD_REPORT_COLOURS;
		const struct td_report_line *own = &td_report_lines[k];
		const char *colour = look && look->n ? look->colours[i % look->n] : own->colour;
		fprintf(to,
			"set linetype %zu linecolor rgb '%s' linewidth %g pointtype %d "
			"pointsize %g dashtype %s\n",
			i + 1, colour, line, again ? own->second : own->marker, 0.25 * line,
			td_report_lines[again ? (k + 3) % TD_REPORT_COLOURS : k].dash);
	}
	fprintf(to,
		"set tics nomirror scale 0.4 textcolor rgb '" TD_REPORT_INK "'\n"
		"set style fill solid 1.0 noborder\n"
		"set border 3 linecolor rgb '" TD_REPORT_AXIS "' linewidth %g\n"
		"set grid ytics back linetype -1 linecolor rgb '" TD_REPORT_GRID "' linewidth %g\n",
		line / 2, line / 2);
}
