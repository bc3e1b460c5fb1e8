/* Bytes of a trace file, decompressed: a large buffer that readers look into. */
#ifndef TD_TRACE_INPUT_H
#define TD_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"

#define TD_TRACE_INPUT_BYTES ((size_t)1 << 18)
#define TD_TRACE_INPUT_SLACK 64 /* bytes after end that may be read and written */

struct td_trace_decoder;

struct td_trace_input {
	unsigned char *at, *end; /* the bytes that are there; a reader moves `at` */
	bool eof;                /* no bytes come after end */
	const char *name;        /* for errors */
	uint64_t raw_done;       /* bytes of the file taken so far */
	uint64_t raw_bytes;      /* of the whole file, 0 if not known */
	bool regular;            /* can go back */

	/* The rest is for input.c alone. */
	int fd;
	uint64_t base; /* where the trace starts in the file */
	unsigned char *buffer;
	struct td_trace_decoder *decoder; /* NULL: the file is not compressed */
	unsigned char *raw, *raw_at, *raw_end;
};

/* path "-" is standard input. spool: make a pipe rewindable by copying it first. */
int td_trace_input_open(struct td_trace_input **out, const char *path, bool spool,
			struct tide_error *err);
/* Takes over fd, even if it fails. */
int td_trace_input_from_fd(struct td_trace_input **out, int fd, const char *name, bool spool,
			   struct tide_error *err);
void td_trace_input_close(struct td_trace_input *in); /* NULL is fine */

/* Moves what is left to the front of the buffer and adds at least one byte or sets eof. The
 * buffer must not be full of unread bytes. */
int td_trace_input_more(struct td_trace_input *in, struct tide_error *err);

/* Reads until n bytes (at most TD_TRACE_INPUT_BYTES) are there, or the end is reached. */
int td_trace_input_want(struct td_trace_input *in, size_t n, struct tide_error *err);

/* Copies n bytes out; *got is less than n only at the end. */
int td_trace_input_take(struct td_trace_input *in, void *to, size_t n, size_t *got,
			struct tide_error *err);

int td_trace_input_rewind(struct td_trace_input *in, struct tide_error *err);

/* Only if the file is regular and not compressed: */
static inline bool td_trace_input_random(const struct td_trace_input *in)
{
	return in->regular && !in->decoder;
}
int td_trace_input_seek(struct td_trace_input *in, uint64_t offset, struct tide_error *err);
int td_trace_input_pread(struct td_trace_input *in, uint64_t offset, void *to, size_t n,
			 struct tide_error *err);

/* A file without a name, which ceases to exist when its descriptor is closed. Or -errno. */
int td_trace_tmpfile(const char *folder);

#endif
