/* What a form of a figure has room for: for the files that write scripts. */
#ifndef TD_REPORT_SIZE_H
#define TD_REPORT_SIZE_H

#include "figure.h"

struct td_report_size {
	double width, font, line; /* in pixels: of the figure, of letters, of lines */
	int letters;              /* that a label may have */
	bool lies;                /* bars from left to right */
	double lines, bars;       /* height of lines and of standing bars, in widths */
};

/* No room beside the axes. */
static inline bool td_report_is_small(const struct td_report_size *form)
{
	return form->width < 45 * form->font;
}

void td_report_put_label(FILE *to, const char *text, int letters);
size_t td_report_longest(const struct td_report_figure *f, int letters);
/* Whether the labels of standing bars overlap unless they are turned. */
bool td_report_is_turned(const struct td_report_figure *f, const struct td_report_size *form);
/* A step of 1, 2 or 5 times a power of ten that makes about so many of them. */
double td_report_step(double limit, int steps);

/* figure_bars.c: axes and data; whether bars of a series are cut, and how their labels are put. */
bool td_report_is_cut(const struct td_report_figure *f, size_t series);
void td_report_put_cut_plot(const struct td_report_figure *f, size_t series, bool lies, FILE *to);
void td_report_put_bars(const struct td_report_figure *f, const struct td_report_size *form,
			FILE *to);

#endif
