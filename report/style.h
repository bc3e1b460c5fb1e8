/* How all figures look: of reports, of tide mrc --plot and of tide workloads --plot. */
#ifndef TD_REPORT_STYLE_H
#define TD_REPORT_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tide/error.h"

#define TD_REPORT_COLOURS 8
#define TD_REPORT_STYLES 16 /* of lines: the colours again have other markers and dashes */

#define TD_REPORT_GREY 6 /* the colour of what stands beside a measurement */

#define TD_REPORT_INK "#333333"  /* letters */
#define TD_REPORT_AXIS "#888888" /* axes and marks */
#define TD_REPORT_GRID "#dddddd"

#define TD_REPORT_INCH 96.0                      /* pixels of a figure in it, as SVG has them */
#define TD_REPORT_COLUMN (3.33 * TD_REPORT_INCH) /* of a paper in two columns */
#define TD_REPORT_LETTERS (8.0 / 72 * TD_REPORT_INCH) /* 8 pt, the size of letters on paper */

/* Series i has colour, marker and dashes i. */
struct td_report_line {
	const char *colour; /* "#rrggbb" */
	int marker, second; /* of gnuplot; second: where the colour comes again */
	const char *dash;   /* a dashtype of gnuplot */
};
extern const struct td_report_line td_report_lines[TD_REPORT_COLOURS];

/* What a user asked of figures in files. All 0: nothing. */
struct td_report_look {
	double width; /* in pixels; 0: a column */
	size_t n;     /* colours in place of ours, one after the other */
	char colours[TD_REPORT_COLOURS][8];
};

/* "3.33in", "8.5cm", "85mm" or "240pt"; NULL: leaves it. -EINVAL. */
int td_report_look_width(struct td_report_look *look, const char *text, struct tide_error *err);
/* "grey", or "#0072b2,#e69f00"; NULL: leaves them. -EINVAL. */
int td_report_look_colours(struct td_report_look *look, const char *text, struct tide_error *err);

static inline double td_report_look_pixels(const struct td_report_look *look)
{
	return look->width > 0 ? look->width : TD_REPORT_COLUMN;
}

/* What a file can be: by the ending of its name, and how a whole one ends. */
struct td_report_output {
	const char *ending, *last;
	void (*put_terminal)(FILE *to, double width, double height, double font);
};
extern const struct td_report_output td_report_svg, td_report_pdf, td_report_png;
const struct td_report_output *td_report_output(const char *path); /* NULL: none of these */

/* Linetypes, tics and grid; line: the width of lines in pixels. look NULL: our colours. */
void td_report_put_style(FILE *to, const struct td_report_look *look, double line);

#endif
