/* What a form of a figure has room for: for the files that write scripts. */
#ifndef TD_REPORT_SIZE_H
#define TD_REPORT_SIZE_H

#include "figure.h"

/* A form: its size in pixels, how many characters a label may have, and the same for all. */
struct td_report_size {
	int width, letters, font;
	bool lies; /* bars from left to right */
};

void td_report_put_label(FILE *to, const char *text, int letters);
size_t td_report_longest(const struct td_report_figure *f, int letters);
/* Whether the labels of standing bars overlap unless they are turned. */
bool td_report_is_turned(const struct td_report_figure *f, const struct td_report_size *form);
/* A step of 1, 2 or 5 times a power of ten that makes about so many of them. */
double td_report_step(double limit, int steps);

/* figure_bars.c: axes and data. */
void td_report_put_bars(const struct td_report_figure *f, const struct td_report_size *form,
			FILE *to);

#endif
