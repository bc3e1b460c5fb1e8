/* Files of --figures. */
#ifndef TD_REPORT_WRITE_H
#define TD_REPORT_WRITE_H

#include "model.h"

/* A file that is there whole or not at all: made beside its place, put there by its closing. */
struct td_report_file {
	FILE *to;
	char *path, *part;
};
int td_report_file_open(struct td_report_file *f, const char *folder, const char *name,
			const char *ending, struct tide_error *err);
/* rc: how the writing went; where it went wrong, nothing stays. */
int td_report_file_close(struct td_report_file *f, int rc, struct tide_error *err);

/* runs.csv, curves.csv, statements.csv: those that have a row. */
int td_report_write_all(const struct td_report *r, const char *folder, struct tide_error *err);

#endif
