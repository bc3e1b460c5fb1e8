/* One figure: data, and how gnuplot draws it. */
#ifndef TD_REPORT_FIGURE_H
#define TD_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "style.h"

enum td_report_kind {
	TD_REPORT_BARS,  /* x is the number of a group, from 0 */
	TD_REPORT_LINES, /* x is a number */
};

struct td_report_series {
	char *name;
	unsigned colour; /* the same policies have the same one in all figures */
	size_t n;
	double *x, *y; /* NAN: nothing there */
	double *error; /* of y, of lines; NULL: y is exact */
};

struct td_report_figure {
	enum td_report_kind kind;
	char *name;              /* of its files, without an ending */
	char *title, *note;      /* note NULL: nothing to explain */
	char *x_label, *y_label; /* x of bars: the heading of the groups */
	/* Axes have units that people read; files have plain numbers: what they are, and how many
	 * of them are one of the axis. NULL and 0: as on the axis. */
	const char *x_plain, *y_plain;
	double x_unit, y_unit;
	char **groups;
	size_t n_groups;
	struct td_report_series *series;
	size_t n_series;
	double mark;         /* a line at this y, 0: none */
	char *wide, *narrow; /* drawn, for the page; NULL: not */
};

enum td_report_form {
	TD_REPORT_WIDE,   /* for a page on a desk */
	TD_REPORT_NARROW, /* for a page on a phone: bars lie */
	TD_REPORT_FILE,   /* for a paper */
};

/* output NULL: a part of a page. */
void td_report_figure_script(const struct td_report_figure *f, enum td_report_form form,
			     const struct td_report_output *output,
			     const struct td_report_look *look, FILE *to);

/* The plots of a script, by the numbers of their series: each that has points, and again those
 * whose bars have labels, or whose points have errors. */
#define TD_REPORT_SERIES_MOST 32
size_t td_report_plots(const struct td_report_figure *f, size_t at[2 * TD_REPORT_SERIES_MOST]);

/* The SVG of gnuplot as part of a page: no prologue, no names, colours of the page. */
char *td_report_inline_svg(const struct td_report_figure *f, const char *svg);
/* The markers of all those figures, which are the same. */
extern const char td_report_markers[];

void td_report_figure_free(struct td_report_figure *f);

#endif
