/* Streaming compression of an output, chosen by the name's ending. */
#ifndef TD_TRACE_COMPRESS_H
#define TD_TRACE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/error.h"

struct td_trace_encoder;

/* *out is NULL where the name asks for none. */
int td_trace_encoder_open(struct td_trace_encoder **out, const char *path, struct tide_error *err);
/* Writes to fd what comes out; last: ends the compressed file. 0 or -errno. */
int td_trace_encode(struct td_trace_encoder *e, int fd, const unsigned char *from, size_t n,
		    bool last);
void td_trace_encoder_close(struct td_trace_encoder *e); /* NULL is fine */

/* Do the n characters of name end so, capitals or not, after something else? */
bool td_trace_ends_with(const char *name, size_t n, const char *ending);

#endif
