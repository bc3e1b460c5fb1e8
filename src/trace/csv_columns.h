/* Which column of a csv file holds what. */
#ifndef TD_TRACE_CSV_COLUMNS_H
#define TD_TRACE_CSV_COLUMNS_H

#include "csv_fields.h"
#include "tide/error.h"

enum csv_key {
	CSV_PAGE, /* one of the first four says the page */
	CSV_ADDR,
	CSV_LBN,
	CSV_KEY,
	CSV_SIZE,
	CSV_COST,
	CSV_GROUP,
	CSV_OP,
	CSV_REF,
	CSV_STREAM,
	CSV_TIME, /* is not read */
	CSV_KEYS
};

#define CSV_MOST_PARTS 8

struct csv_columns {
	unsigned at[CSV_KEYS];                /* column, counted from 1; 0: there is none */
	unsigned part[CSV_MOST_PARTS], parts; /* the columns of the key */
	enum csv_key where;                   /* what says the page */
	unsigned last;                        /* the highest column of interest */
	bool named;                           /* the options gave names of the header line */
};

extern const char *const td_trace_csv_keys[];

/* The first line of a file, in which names are looked up. */
struct csv_header {
	const struct csv_field *fields;
	size_t n;
	const char *file;
};

/* "page=5,op=3", "key=layer+expert,group=token" */
int td_trace_csv_columns(struct csv_columns *c, const char *text, const struct csv_header *header,
			 struct tide_error *err);
/* From the names in a header line. */
int td_trace_csv_header(struct csv_columns *c, const struct csv_header *header,
			struct tide_error *err);
/* Without options and header line: the page is in column 1, and the op in column 2 if with_op. */
void td_trace_csv_plain(struct csv_columns *c, bool with_op);

/* 0: a read, 1: a write, -1: no word for either. */
int td_trace_csv_op(const struct csv_field *f);

#endif
