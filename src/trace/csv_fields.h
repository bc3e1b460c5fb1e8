/* The fields of a line of comma-separated values. */
#ifndef TD_TRACE_CSV_FIELDS_H
#define TD_TRACE_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_MOST_COLUMNS 1024

struct csv_field {
	const char *text;
	size_t n;
};

/* Up to `most` fields of a line that ends in a newline, without blanks and quotes around them;
 * returns how many there are. */
size_t td_trace_csv_split(const unsigned char *line, struct csv_field *fields, size_t most);

/* A line without fields: nothing, or a comment. */
bool td_trace_csv_empty(const unsigned char *line);

/* Appends a field, after a comma unless it is the first, so that other fields give another text.
 * Returns the end of the text. The field needs 3 bytes more than it has. */
char *td_trace_csv_join(char *to, const struct csv_field *field, bool first);

#endif
