/* Running gnuplot: no shell, no settings of the user, and no figure that is half there. */
#ifndef TD_REPORT_GNUPLOT_H
#define TD_REPORT_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "tide/error.h"

/* A file without a name to write a script to; NULL: no memory. */
FILE *td_report_script(void);

/* A text of a script, whatever it holds. */
void td_report_script_text(FILE *to, const char *text);

/* Runs the script, closing it, with out as gnuplot's standard output. last: how a whole figure
 * ends. instead: what to leave out where there is no gnuplot (-ENOENT). */
int td_report_gnuplot(FILE *script, int out, const char *last, const char *instead,
		      struct tide_error *err);

/* 0, or -ENOENT and the same text. */
int td_report_gnuplot_check(const char *instead, struct tide_error *err);

#endif
