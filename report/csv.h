/* CSV: one cell, in quotes where it needs them. */
#ifndef TD_REPORT_CSV_H
#define TD_REPORT_CSV_H

#include <stdio.h>

void td_report_csv(FILE *to, const char *text);

#endif
