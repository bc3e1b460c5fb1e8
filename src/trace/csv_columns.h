/* Which column of a csv file holds what. */
#ifndef TD_TRACE_CSV_COLUMNS_H
#define TD_TRACE_CSV_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/error.h"

enum csv_key { CSV_PAGE, CSV_ADDR, CSV_LBN, CSV_SIZE, CSV_OP, CSV_REF, CSV_STREAM, CSV_KEYS };

#define CSV_MOST_COLUMNS 1024

struct csv_columns {
	unsigned at[CSV_KEYS]; /* column, counted from 1; 0: there is none */
	enum csv_key where;    /* CSV_PAGE, CSV_ADDR or CSV_LBN: what says the page */
	unsigned last;         /* the highest column of interest */
};

struct csv_field {
	const char *text;
	size_t n;
};

extern const char *const td_trace_csv_keys[];

/* "page=5,op=3" */
int td_trace_csv_columns(struct csv_columns *c, const char *text, struct tide_error *err);
/* From the names in a header line. */
int td_trace_csv_header(struct csv_columns *c, const struct csv_field *fields, size_t n,
			const char *file, struct tide_error *err);
/* Neither: the page is in column 1, the op in column 2 if with_op. */
void td_trace_csv_plain(struct csv_columns *c, bool with_op);

/* 0: a read, 1: a write, -1: no word for either. */
int td_trace_csv_op(const struct csv_field *f);

#endif
