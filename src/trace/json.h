/* JSON out of an input, piece by piece: a line may be longer than the buffer. */
#ifndef TD_TRACE_JSON_H
#define TD_TRACE_JSON_H

#include "reader.h"

#define TD_TRACE_JSON_DEPTH 64
#define TD_TRACE_JSON_END 256 /* instead of a byte: the input has ended */

/* A text without its quotes and escapes. */
struct td_trace_json_text {
	char *at;
	size_t room; /* bytes for it */
	size_t n;    /* bytes there */
	bool cut;    /* it has more */
};

/* These return the next byte, which stays where it is, TD_TRACE_JSON_END or -errno. */
int td_trace_json_more(struct td_trace_reader *r, struct tide_error *err);
static inline int td_trace_json_peek(struct td_trace_reader *r, struct tide_error *err)
{
	return r->in->at < r->in->end ? *r->in->at : td_trace_json_more(r, err);
}
/* After blanks. The newline ends a line and is none. */
static inline int td_trace_json_blank(struct td_trace_reader *r, struct tide_error *err)
{
	int c = td_trace_json_peek(r, err);

	while (c == ' ' || c == '\t' || c == '\r') {
		r->in->at++;
		c = td_trace_json_peek(r, err);
	}
	return c;
}

/* The others return 0 or -errno. wanted, such as "a comma": c is something else. */
int td_trace_json_wrong(struct td_trace_reader *r, int c, const char *wanted,
			struct tide_error *err);
int td_trace_json_string(struct td_trace_reader *r, struct td_trace_json_text *to,
			 struct tide_error *err); /* to NULL: skips it */
/* The name of a member and the colon after it. */
int td_trace_json_name(struct td_trace_reader *r, struct td_trace_json_text *to,
		       struct tide_error *err);
/* A whole number of 64 bits; a negative one modulo 2^64. */
int td_trace_json_integer(struct td_trace_reader *r, uint64_t *value, struct tide_error *err);
int td_trace_json_skip(struct td_trace_reader *r, struct tide_error *err); /* any value */

#endif
