/* Between the files that choose bars. */
#ifndef TD_REPORT_CHOOSE_GRID_H
#define TD_REPORT_CHOOSE_GRID_H

#include "choose.h"

/* Inputs by combinations: what the bars of one model and size show. */
struct td_report_grid {
	struct td_report *r;
	const struct td_report_choice *c;
	uint32_t model, size;
	enum td_report_metric metric;
	size_t baseline; /* of all its groups */
	size_t n;        /* inputs */
	uint32_t *inputs;
	double *logs;  /* sum of logarithms of gains, input by input */
	double *costs; /* sum */
	uint32_t *gains, *runs;
	const struct td_report_group *last;
};

/* choose_single.c: the combinations of the only input; the inputs of the only combination. */
int td_report_draw_one_input(struct td_report_grid *d);
int td_report_draw_alone(struct td_report_grid *d, size_t column);

#endif
