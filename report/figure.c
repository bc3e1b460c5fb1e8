/* Figures as gnuplot draws them, each in four forms from the same data. */
#include "size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"

/* Told apart by people who do not see all colours, and by their lightness on paper. The page puts
 * colours of its own in their place, which suit a dark screen too: page.css. */
static const char *const colours[TD_REPORT_COLOURS] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
						       "#d55e00", "#56b4e9", "#8c6d1f", "#6b6b6b"};
static const int markers[TD_REPORT_COLOURS] = {7, 5, 9, 13, 11, 15, 6, 4};

static const struct td_report_size forms[] = {
	[TD_REPORT_WIDE] = {960, 26, 14, false},
	[TD_REPORT_NARROW] = {336, 17, 12, true},
	[TD_REPORT_SVG] = {960, 26, 15, false},
	[TD_REPORT_PNG] = {960, 26, 15, false},
};

#define LEGEND_ROW 20
#define PNG_SCALE 2 /* pixels for each of an SVG: sharp in print */

/* The end of a long label says more than its start, where that is a path; else its start. */
void td_report_put_label(FILE *to, const char *text, int letters)
{
	const char *slash = strrchr(text, '/');
	char cut[160];
	size_t n = 0, used = 0;

	text = slash && slash[1] ? slash + 1 : text;
	for (; text[used] && used < sizeof cut - 8; used++) {
		/* Counted are first bytes of characters. */
		n += ((unsigned char)text[used] & 0xc0) != 0x80;
		if (n > (size_t)letters)
			break;
		cut[used] = text[used];
	}
	snprintf(cut + used, sizeof cut - used, "%s", text[used] ? "…" : "");
	td_report_script_text(to, cut);
}

size_t td_report_longest(const struct td_report_figure *f, int letters)
{
	size_t most = 0;

	for (size_t i = 0; i < f->n_groups; i++) {
		const char *slash = strrchr(f->groups[i], '/');
		size_t n = strlen(slash ? slash + 1 : f->groups[i]);
		most = n > most ? n : most;
	}
	return most < (size_t)letters ? most : (size_t)letters;
}

/* Whether the labels of standing bars overlap unless they are turned. */
bool td_report_is_turned(const struct td_report_figure *f, const struct td_report_size *form)
{
	size_t room = (size_t)form->width * 8 / 10 / (f->n_groups + 1);

	return td_report_longest(f, form->letters) * 8 + 8 > room;
}

/* Columns of the legend, about: two on a phone, else as many as have room. */
static size_t legend_columns(const struct td_report_figure *f, const struct td_report_size *form)
{
	size_t letters = 0, width;

	for (size_t i = 0; i < f->n_series; i++) {
		size_t n = strlen(f->series[i].name);
		letters = n > letters ? n : letters;
	}
	letters = letters < (size_t)form->letters ? letters : (size_t)form->letters;
	width = letters * (size_t)form->font * 6 / 10 + 70;
	return form->lies ? 2 : (size_t)form->width / width;
}

static size_t legend_rows(const struct td_report_figure *f, const struct td_report_size *form)
{
	size_t columns = legend_columns(f, form);

	return f->n_series < 2 ? 0 : (f->n_series - 1) / columns + 1;
}

static int height_of(const struct td_report_figure *f, const struct td_report_size *form)
{
	size_t legend = legend_rows(f, form) * LEGEND_ROW;
	size_t bars = f->n_groups * (f->n_series * (f->n_series > 4 ? 9 : 13) + 9);

	if (f->kind == TD_REPORT_LINES)
		return form->lies ? 300 + (int)legend : 420;
	if (form->lies)
		return 64 + (int)(bars + legend);
	return 340 + (int)legend +
	       (td_report_is_turned(f, form) ? (int)td_report_longest(f, form->letters) * 6 : 0);
}

static void put_terminal(const struct td_report_figure *f, enum td_report_form which, FILE *to)
{
	const struct td_report_size *form = &forms[which];
	int height = height_of(f, form);

	if (which == TD_REPORT_PNG)
		fprintf(to,
			"set terminal pngcairo noenhanced background 'white' font 'sans,%d' "
			"fontscale %d pointscale %d linewidth %d size %d,%d\n",
			form->font - 4, PNG_SCALE, PNG_SCALE, PNG_SCALE, form->width * PNG_SCALE,
			height * PNG_SCALE);
	else
		fprintf(to,
			"set terminal svg noenhanced dynamic%s font 'sans-serif,%d' size %d,%d\n",
			which == TD_REPORT_SVG ? " background 'white'" : "", form->font,
			form->width, height);
}

static void put_setting(FILE *to, const char *what, const char *text, const char *more)
{
	fprintf(to, "set %s ", what);
	td_report_script_text(to, text);
	fprintf(to, " %s\n", more);
}

static void put_styles(const struct td_report_figure *f, FILE *to)
{
	for (size_t i = 0; i < 2 * TD_REPORT_COLOURS; i++)
		fprintf(to,
			"set linetype %zu linecolor rgb '%s' linewidth 2 pointtype %d "
			"pointsize 0.5 dashtype %zu\n",
			i + 1, colours[i % TD_REPORT_COLOURS], markers[i % TD_REPORT_COLOURS],
			i / TD_REPORT_COLOURS + 1);
	fprintf(to,
		"set tics nomirror scale 0.4 textcolor rgb '#333333'\n"
		"set style fill solid 1.0 noborder\nset border %d linecolor rgb '#888888'\n",
		f->kind == TD_REPORT_LINES ? 3 : 1);
}

/* Beside lines, where there is room; else above, over the whole width. */
static void put_key(const struct td_report_figure *f, const struct td_report_size *form, FILE *to)
{
	bool is_lines = f->kind == TD_REPORT_LINES;
	double above = (double)(legend_rows(f, form) * LEGEND_ROW + (is_lines ? 8 : 26));

	if (is_lines && !form->lies && f->n_series > 1) {
		fputs("set key outside right top Left reverse samplen 2 spacing 1.2\n", to);
		return;
	}
	fprintf(to, "set tmargin at screen %g\n", 1 - above / height_of(f, form));
	if (f->n_series < 2)
		fputs("unset key\n", to);
	else
		fprintf(to,
			"set key at screen 0, screen 1 left top horizontal maxcols %zu Left "
			"reverse samplen %d spacing 1.1\n",
			legend_columns(f, form), is_lines ? 2 : 1);
}

/* A step of 1, 2 or 5 times a power of ten that makes about so many of them. */
double td_report_step(double limit, int steps)
{
	double rough = limit > 0 ? limit / steps : 1, power = pow(10, floor(log10(rough)));

	return (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1) * power;
}

/* ---- lines ---- */

static void put_lines(const struct td_report_figure *f, const struct td_report_size *form, FILE *to)
{
	double most = 0;

	put_setting(to, "xlabel", f->x_label, "textcolor rgb '#333333'");
	put_setting(to, "ylabel", f->y_label, "textcolor rgb '#333333'");
	fputs("set grid ytics back linetype -1 linecolor rgb '#dddddd' linewidth 1\n"
	      "set xrange [0:*]\nset yrange [0:*]\n",
	      to);
	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++)
			most = fmax(most, f->series[s].x[i]);
	fprintf(to, "set xtics %g\n", td_report_step(most, form->lies ? 4 : 8));
	for (size_t s = 0; s < f->n_series; s++) {
		const struct td_report_series *one = &f->series[s];
		fprintf(to, "$series%zu << END\n", s);
		for (size_t i = 0; i < one->n; i++)
			if (isfinite(one->x[i]) && isfinite(one->y[i]))
				fprintf(to, "%.10g %.10g\n", one->x[i], one->y[i]);
		fputs("END\n", to);
	}
}

static bool has_points(const struct td_report_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (isfinite(s->x[i]) && isfinite(s->y[i]))
			return true;
	return false;
}

/* gnuplot refuses to plot nothing; an empty figure keeps its place. */
static void put_plot(const struct td_report_figure *f, const struct td_report_size *form, FILE *to)
{
	size_t shown = 0;

	for (size_t s = 0; s < f->n_series; s++) {
		const struct td_report_series *one = &f->series[s];
		if (!has_points(one))
			continue;
		fprintf(to, "%s $series%zu using ", shown++ ? "," : "plot", s);
		if (f->kind == TD_REPORT_BARS)
			fputs("1:2:3:4:5:6 with boxxyerror", to);
		else
			fprintf(to, "1:2 with linespoints pointinterval %zu", one->n / 12 + 1);
		fprintf(to, " linetype %u title ", one->colour % (2 * TD_REPORT_COLOURS) + 1);
		td_report_put_label(to, one->name, form->letters);
	}
	fputs(shown ? "\n" : "plot [0:1][0:1] -1 notitle\n", to);
}

void td_report_figure_script(const struct td_report_figure *f, enum td_report_form which, FILE *to)
{
	const struct td_report_size *form = &forms[which];

	put_terminal(f, which, to);
	put_styles(f, to);
	put_key(f, form, to);
	if (f->kind == TD_REPORT_BARS)
		td_report_put_bars(f, form, to);
	else
		put_lines(f, form, to);
	put_plot(f, form, to);
}

void td_report_figure_free(struct td_report_figure *f)
{
	for (size_t i = 0; i < f->n_groups; i++)
		free(f->groups[i]);
	for (size_t i = 0; i < f->n_series; i++) {
		free(f->series[i].name);
		free(f->series[i].x);
		free(f->series[i].y);
	}
	free(f->groups);
	free(f->series);
	free(f->name);
	free(f->title);
	free(f->note);
	free(f->x_label);
	free(f->y_label);
	free(f->wide);
	free(f->narrow);
}
