/* Reports: JSON results of tide in, one HTML page and figures out. This room knows the documents
 * that the command line prints, and nothing of what made them. It prints and exits nowhere. */
#ifndef TD_REPORT_REPORT_H
#define TD_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tide/error.h"

struct td_report;

struct td_report *td_report_open(void); /* NULL: no memory */
void td_report_close(struct td_report *r);

/* What a user wants to see, and by whom. Members that are NULL or 0: as it comes. The texts stay
 * the caller's. */
struct td_report_wish {
	const char *version;         /* of the program that makes the page */
	const char *width, *colours; /* of figures in files: style.h */
	const char *order;           /* of series: first, name or best */
	const char *baseline;        /* "lrm+tree", or a policy of it */
	const char *const *series;   /* those that figures show, in this order */
	size_t n_series;
};
/* Before the first file. -EINVAL. */
int td_report_wish(struct td_report *r, const struct td_report_wish *wish, struct tide_error *err);

/* Adds the results of one file, any mix of documents one after the other; "-" is standard input.
 * -EIO where it cannot be read or holds something else: the text names the file and the line. */
int td_report_read(struct td_report *r, const char *path, struct tide_error *err);

/* Once everything is read: groups the runs and chooses the figures. -ENODATA: there is nothing. */
int td_report_prepare(struct td_report *r, struct tide_error *err);

/* Draws the figures for the page. -ENOENT: there is no gnuplot, and the page will say so. */
int td_report_draw(struct td_report *r, struct tide_error *err);

/* The page; title NULL: one made from what was read. Errors of to are left to its owner. */
void td_report_page(const struct td_report *r, const char *title, FILE *to);

/* Every figure as .csv, .svg, .pdf and .png, and runs.csv, curves.csv and statements.csv with all
 * that was read. The folder is made where it is missing; files of those names are replaced.
 * -ENOENT: there is no gnuplot; all but the .svg, .pdf and .png is there. */
int td_report_figures(struct td_report *r, const char *folder, struct tide_error *err);

/* What there is, for a closing line. */
struct td_report_facts {
	size_t runs, failed, inputs, curves, papers, figures;
	size_t equal, retried, conflicting, outdated; /* see same.c */
};
struct td_report_facts td_report_facts(const struct td_report *r);

#endif
