/* Streaming compression of an output. The ending of its name says which. */
#ifndef TD_TRACE_COMPRESS_H
#define TD_TRACE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/error.h"

struct td_trace_encoder;
struct ZSTD_CCtx_s;

/* *out is NULL if the name asks for no compression. */
int td_trace_encoder_open(struct td_trace_encoder **out, const char *path, struct tide_error *err);
/* Writes the compressed bytes to fd. last: ends the compressed file. Returns 0 or -errno. */
int td_trace_encode(struct td_trace_encoder *e, int fd, const unsigned char *from, size_t n,
		    bool last);
void td_trace_encoder_close(struct td_trace_encoder *e); /* NULL is fine */

/* A compressor of zstd's, or NULL; ZSTD_freeCCtx() frees it. */
struct ZSTD_CCtx_s *td_trace_zstd(void);

/* Do the n characters of name end so, in capitals or not, with at least one character before? */
bool td_trace_ends_with(const char *name, size_t n, const char *ending);

#endif
