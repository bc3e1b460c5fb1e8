/* Bars: rectangles that stand on x or lie on y. */
#include <math.h>
#include <stdlib.h>

#include "gnuplot.h"
#include "size.h"

static int compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Where the axis of bars ends. A few that are far longer than the others would make those too
 * short to see: they are cut, and say their length. */
static double limit_of(const struct td_report_figure *f)
{
	size_t n = 0, room = f->n_series * f->n_groups;
	double *all = calloc(room + 1, sizeof *all), most, limit;

	for (size_t s = 0; all && s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n && n < room; i++)
			if (isfinite(f->series[s].y[i]))
				all[n++] = f->series[s].y[i];
	if (n)
		qsort(all, n, sizeof *all, compare_reals);
	most = n ? fmax(all[n - 1], f->mark) : 1;
	limit = n ? fmax(2 * all[n - 1 - n / 8], 2 * f->mark) : most;
	free(all);
	return most > 1.5 * limit && limit > 0 ? limit : most * 1.05;
}

static void put_tics(const struct td_report_figure *f, const struct td_report_size *form, FILE *to)
{
	fprintf(to, "set %s (", form->lies ? "ytics" : "xtics");
	for (size_t i = 0; i < f->n_groups; i++) {
		fputs(i ? ", " : "", to);
		td_report_put_label(to, f->groups[i], form->letters);
		fprintf(to, " %zu", i);
	}
	fprintf(to, ") scale 0%s\n",
		!form->lies && td_report_is_turned(f, form) ? " rotate by 35 right" : "");
}

/* The value 1 of what is relative. */
static void put_mark(double at, bool lies, FILE *to)
{
	if (lies)
		fprintf(to, "set arrow from first %g, graph 0 to first %g, graph 1", at, at);
	else
		fprintf(to, "set arrow from graph 0, first %g to graph 1, first %g", at, at);
	fputs(" nohead linecolor rgb '" TD_REPORT_AXIS "' dashtype 2 front\n", to);
}

/* The first turned label reaches to the left of the bars. */
static void put_left_margin(const struct td_report_figure *f, const struct td_report_size *form,
			    FILE *to)
{
	double label = (double)td_report_longest(f, form->letters) * form->font * 0.56;
	double half = 0.85 * form->width / (double)f->n_groups / 2;

	fprintf(to, "set lmargin at screen %g\n",
		fmin(0.35, fmax(0.09, (label - half) / form->width)));
}

static void put_bar_axes(const struct td_report_figure *f, const struct td_report_size *form,
			 double limit, FILE *to)
{
	const char *values = form->lies ? "x" : "y", *groups = form->lies ? "y" : "x";
	double end = (double)f->n_groups - 0.45;

	put_tics(f, form, to);
	fprintf(to,
		"set border %d\nunset grid\nset grid %stics back linetype -1 "
		"linecolor rgb '" TD_REPORT_GRID "' linewidth %g\n",
		form->lies ? 2 : 1, values, form->line / 2);
	fprintf(to, "set %slabel ", values);
	td_report_script_text(to, f->y_label);
	fprintf(to, " textcolor rgb '" TD_REPORT_INK "'\nset %stics %g\nset %srange [0:%g]\n",
		values, td_report_step(limit, td_report_is_small(form) ? 3 : 6), values,
		limit > 0 ? limit : 1);
	if (form->lies)
		fprintf(to, "set rmargin 5\nset %srange [%g:-0.55]\n", groups, end);
	else
		fprintf(to, "set rmargin 3\nset %srange [-0.55:%g]\n", groups, end);
	if (!form->lies && td_report_is_turned(f, form))
		put_left_margin(f, form, to);
	if (f->mark > 0)
		put_mark(f->mark, form->lies, to);
}

static void put_bar(FILE *to, double at, double half, double value, bool lies)
{
	if (lies)
		fprintf(to, "%.10g %g 0 %.10g %g %g\n", value, at, value, at - half, at + half);
	else
		fprintf(to, "%g %.10g %g %g 0 %.10g\n", at, value, at - half, at + half, value);
}

bool td_report_is_cut(const struct td_report_figure *f, size_t series)
{
	double limit = limit_of(f);

	for (size_t i = 0; i < f->series[series].n; i++)
		if (isfinite(f->series[series].y[i]) && f->series[series].y[i] > limit)
			return true;
	return false;
}

/* Labels of bars left of the middle of their group stand left, so that neighbours stand apart. */
void td_report_put_cut_plot(const struct td_report_figure *f, size_t series, bool lies, FILE *to)
{
	double side = (double)series - (double)(f->n_series - 1) / 2;

	fprintf(to, ", $cut%zu using 1:2:3 with labels %s notitle", series,
		lies       ? "left offset 0.3,0"
		: side < 0 ? "right offset 1.2,0.6"
		: side > 0 ? "left offset -1.2,0.6"
			   : "center offset 0,0.6");
}

static void put_cut_label(FILE *to, double at, double value, double limit, bool lies)
{
	fprintf(to, "%g %g %.*f\n", lies ? limit : at, lies ? at : limit, value < 100 ? 1 : 0,
		value);
}

/* Of a bar with its gap, where groups are 1 apart. Few bars need not fill the figure. */
static double width_of(const struct td_report_figure *f, const struct td_report_size *form)
{
	double width = 0.78 / (double)f->n_series;

	return form->lies ? width
			  : fmin(width, 4.5 * form->font * (double)f->n_groups / form->width);
}

void td_report_put_bars(const struct td_report_figure *f, const struct td_report_size *form,
			FILE *to)
{
	double width = width_of(f, form), limit = limit_of(f);

	put_bar_axes(f, form, limit, to);
	for (size_t s = 0; s < f->n_series; s++) {
		const struct td_report_series *one = &f->series[s];
		double shift = ((double)s - (double)(f->n_series - 1) / 2) * width;
		fprintf(to, "$series%zu << END\n", s);
		for (size_t i = 0; i < one->n; i++)
			if (isfinite(one->y[i]))
				put_bar(to, one->x[i] + shift, width * 0.45, fmin(one->y[i], limit),
					form->lies);
		fprintf(to, "END\n$cut%zu << END\n", s);
		for (size_t i = 0; i < one->n; i++)
			if (isfinite(one->y[i]) && one->y[i] > limit)
				put_cut_label(to, one->x[i] + shift, one->y[i], limit, form->lies);
		fputs("END\n", to);
	}
}
