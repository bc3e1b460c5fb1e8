/* Choosing figures: what the kinds of them share. */
#ifndef TD_REPORT_CHOOSE_H
#define TD_REPORT_CHOOSE_H

#include "model.h"

#define TD_REPORT_BARS_MOST 24  /* groups of bars in one figure */
#define TD_REPORT_MODELS_MOST 8 /* that have figures */

/* The combinations that figures show, in the order they were first seen. */
struct td_report_choice {
	uint32_t at[TD_REPORT_STYLES + 1];
	size_t n;
};

/* NULL where there are too many figures already, which is counted, or no memory. */
struct td_report_figure *td_report_new_figure(struct td_report *r, enum td_report_kind kind,
					      size_t series, size_t groups);
int td_report_title(struct td_report *r, struct td_report_figure *f, const char *name,
		    const char *title, const char *x_label, const char *y_label);
/* n points: x counts from 0, y is not known. */
struct td_report_series *td_report_new_series(struct td_report_figure *f, const char *name,
					      size_t colour, size_t n);
int td_report_new_group(struct td_report_figure *f, const char *name);

/* Puts costs into units that people read, and names those at y. */
void td_report_scale(struct td_report_figure *f, enum td_report_metric metric);
/* start, "near memory 50%", and the model where there are several; size NULL: none. */
char *td_report_where(const struct td_report *r, const char *start, uint32_t model,
		      const char *size);

static inline const struct td_report_run *
td_report_run_at(const struct td_report *r, const struct td_report_group *g, size_t i)
{
	return &r->runs[r->order[g->first + i]];
}

int td_report_choose_bars(struct td_report *r, const struct td_report_choice *c);
int td_report_choose_sizes(struct td_report *r, const struct td_report_choice *c);
int td_report_choose_curves(struct td_report *r);
int td_report_choose_papers(struct td_report *r);

#endif
