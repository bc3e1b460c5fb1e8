/* Figures as gnuplot draws them, each in four forms from the same data. */
#include "size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"

#define EM_LETTERS 0.6 /* of a letter, about, in the size of letters */

/* The page has two forms of a figure; files have one, as wide as was asked for. */
static struct td_report_size form_of(const struct td_report_figure *f, enum td_report_form which,
				     const struct td_report_look *look)
{
	static const struct td_report_size page[] = {
		[TD_REPORT_WIDE] = {960, 14, 2, 26, false, 0.44, 0.35},
		[TD_REPORT_NARROW] = {336, 12, 2, 17, true, 0.89, 0},
	};
	struct td_report_size form = {.font = TD_REPORT_LETTERS, .line = 1.5};

	if (which != TD_REPORT_FILE)
		return page[which];
	form.width = td_report_look_pixels(look);
	form.letters = (int)fmin(26, fmax(9, form.width / form.font * EM_LETTERS));
	form.lines = td_report_is_small(&form) ? 0.58 : 0.44;
	form.bars = td_report_is_small(&form) ? 0.5 : 0.35;
	/* Standing bars that would be thinner than a line lie, and the figure grows with them. */
	form.lies = f->kind == TD_REPORT_BARS &&
		    form.width * 0.8 < 4 * (double)(f->n_groups * (f->n_series + 1));
	return form;
}

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
	double room = form->width * 0.8 / (double)(f->n_groups + 1);

	return ((double)td_report_longest(f, form->letters) + 1) * EM_LETTERS * form->font > room;
}

/* Columns of the legend, about: as many as have room. */
static size_t legend_columns(const struct td_report_figure *f, const struct td_report_size *form)
{
	size_t letters = 0;
	double width;

	for (size_t i = 0; i < f->n_series; i++) {
		size_t n = strlen(f->series[i].name);
		letters = n > letters ? n : letters;
	}
	letters = letters < (size_t)form->letters ? letters : (size_t)form->letters;
	/* A sample of the line and the space between columns come with the name. */
	width = ((double)letters * EM_LETTERS + (form->lies ? 3 : 4.5)) * form->font;
	return (size_t)fmax(1, form->width / width);
}

static size_t legend_rows(const struct td_report_figure *f, const struct td_report_size *form)
{
	size_t columns = legend_columns(f, form);

	return f->n_series < 2 ? 0 : (f->n_series - 1) / columns + 1;
}

static double legend_height(const struct td_report_figure *f, const struct td_report_size *form)
{
	return (double)legend_rows(f, form) * 1.45 * form->font;
}

static double height_of(const struct td_report_figure *f, const struct td_report_size *form)
{
	double legend = legend_height(f, form), em = form->font;
	double bar = f->n_series > 4 ? 0.75 : 1.1;

	if (f->kind == TD_REPORT_LINES)
		return form->lines * form->width + (td_report_is_small(form) ? legend : 0);
	if (form->lies)
		return 5.3 * em + legend +
		       (double)f->n_groups * ((double)f->n_series * bar + 0.75) * em;
	return form->bars * form->width + legend +
	       (td_report_is_turned(f, form)
			? (double)td_report_longest(f, form->letters) * 0.43 * em
			: 0);
}

static void put_setting(FILE *to, const char *what, const char *text, const char *more)
{
	fprintf(to, "set %s ", what);
	td_report_script_text(to, text);
	fprintf(to, " %s\n", more);
}

/* Beside lines, where there is room; else above, over the whole width. */
static void put_key(const struct td_report_figure *f, const struct td_report_size *form, FILE *to)
{
	bool is_lines = f->kind == TD_REPORT_LINES;
	double above = legend_height(f, form) + (is_lines ? 0.6 : 1.8) * form->font;

	if (is_lines && !td_report_is_small(form) && f->n_series > 1) {
		fputs("set key outside right top Left reverse samplen 3 spacing 1.2\n", to);
		return;
	}
	fprintf(to, "set tmargin at screen %g\n", 1 - above / height_of(f, form));
	if (f->n_series < 2)
		fputs("unset key\n", to);
	else
		fprintf(to,
			"set key at screen 0, screen 1 left top horizontal maxcols %zu Left "
			"reverse samplen %d spacing 1.1\n",
			legend_columns(f, form), is_lines ? 3 : 1);
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

	put_setting(to, "xlabel", f->x_label, "textcolor rgb '" TD_REPORT_INK "'");
	put_setting(to, "ylabel", f->y_label, "textcolor rgb '" TD_REPORT_INK "'");
	fputs("set xrange [0:*]\nset yrange [0:*]\n", to);
	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++)
			most = fmax(most, f->series[s].x[i]);
	fprintf(to, "set xtics %g\n", td_report_step(most, td_report_is_small(form) ? 4 : 8));
	for (size_t s = 0; s < f->n_series; s++) {
		const struct td_report_series *one = &f->series[s];
		fprintf(to, "$series%zu << END\n", s);
		for (size_t i = 0; i < one->n; i++)
			if (isfinite(one->x[i]) && isfinite(one->y[i]))
				fprintf(to, "%.10g %.10g %.10g\n", one->x[i], one->y[i],
					one->error ? one->error[i] : 0);
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

/* Labels, or error bars. */
static bool is_plotted_twice(const struct td_report_figure *f, size_t s)
{
	return f->kind == TD_REPORT_BARS ? td_report_is_cut(f, s) : f->series[s].error != NULL;
}

size_t td_report_plots(const struct td_report_figure *f, size_t at[2 * TD_REPORT_SERIES_MOST])
{
	size_t most = f->n_series < TD_REPORT_SERIES_MOST ? f->n_series : TD_REPORT_SERIES_MOST;
	size_t n = 0;

	for (size_t s = 0; s < most; s++)
		if (has_points(&f->series[s]))
			at[n++] = s;
	for (size_t s = 0; s < most; s++)
		if (has_points(&f->series[s]) && is_plotted_twice(f, s))
			at[n++] = s;
	return n;
}

static void put_series(const struct td_report_figure *f, size_t s,
		       const struct td_report_size *form, FILE *to)
{
	const struct td_report_series *one = &f->series[s];

	fprintf(to, " $series%zu using ", s);
	if (f->kind == TD_REPORT_BARS)
		fputs("1:2:3:4:5:6 with boxxyerror", to);
	else
		fprintf(to, "1:2 with linespoints pointinterval %zu", one->n / 12 + 1);
	fprintf(to, " linetype %u title ", one->colour % TD_REPORT_STYLES + 1);
	td_report_put_label(to, one->name, form->letters);
}

static void put_again(const struct td_report_figure *f, size_t s, const struct td_report_size *form,
		      FILE *to)
{
	if (f->kind == TD_REPORT_BARS)
		td_report_put_cut_plot(f, s, form->lies, to);
	else
		fprintf(to,
			", $series%zu using 1:($2-$3):(0):(2*$3) with vectors nohead "
			"linetype %u dashtype solid notitle",
			s, f->series[s].colour % TD_REPORT_STYLES + 1);
}

/* gnuplot refuses to plot nothing; an empty figure keeps its place. */
static void put_plot(const struct td_report_figure *f, const struct td_report_size *form, FILE *to)
{
	size_t at[2 * TD_REPORT_SERIES_MOST], n = td_report_plots(f, at), series = 0;

	for (; series < n && (series == 0 || at[series] > at[series - 1]); series++) {
		fputs(series ? "," : "plot", to);
		put_series(f, at[series], form, to);
	}
	for (size_t i = series; i < n; i++)
		put_again(f, at[i], form, to);
	fputs(n ? "\n" : "plot [0:1][0:1] -1 notitle\n", to);
}

void td_report_figure_script(const struct td_report_figure *f, enum td_report_form which,
			     const struct td_report_output *output,
			     const struct td_report_look *look, FILE *to)
{
	struct td_report_size form = form_of(f, which, look);
	double height = height_of(f, &form);

	if (output)
		output->put_terminal(to, form.width, height, form.font);
	else
		fprintf(to,
			"set terminal svg noenhanced dynamic font 'sans-serif,%g' size %.0f,%.0f\n",
			form.font, form.width, height);
	td_report_put_style(to, look, form.line);
	put_key(f, &form, to);
	if (f->kind == TD_REPORT_BARS)
		td_report_put_bars(f, &form, to);
	else
		put_lines(f, &form, to);
	put_plot(f, &form, to);
}

void td_report_figure_free(struct td_report_figure *f)
{
	for (size_t i = 0; i < f->n_groups; i++)
		free(f->groups[i]);
	for (size_t i = 0; i < f->n_series; i++) {
		free(f->series[i].name);
		free(f->series[i].x);
		free(f->series[i].y);
		free(f->series[i].error);
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
