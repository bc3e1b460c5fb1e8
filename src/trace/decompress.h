/* Streaming decompression of gzip, zstd and xz, told apart by their first bytes. */
#ifndef TD_TRACE_DECOMPRESS_H
#define TD_TRACE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/error.h"

struct td_trace_decoder {
	/* Between two members: the file may end here. */
	bool complete;
	int (*decode)(struct td_trace_decoder *d, unsigned char **from, unsigned char *from_end,
		      unsigned char **to, unsigned char *to_end, const char *name,
		      struct tide_error *err);
	void (*reset)(struct td_trace_decoder *d);
	void (*close)(struct td_trace_decoder *d);
};

/* *out is NULL if the bytes are not the start of a compressed file. */
int td_trace_decoder_open(struct td_trace_decoder **out, const unsigned char *head, size_t n,
			  struct tide_error *err);

#endif
