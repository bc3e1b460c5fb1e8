/* Writes bytes to a file, which appears under its name only when it is complete. */
#ifndef TD_TRACE_OUTPUT_H
#define TD_TRACE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"

struct td_trace_output;

/* "-" is standard output. A file whose name ends in .gz or .zst is compressed. If the path exists
 * and is no regular file (a pipe, a device), it is written directly. */
int td_trace_output_open(struct td_trace_output **out, const char *path, struct tide_error *err);
int td_trace_output_put(struct td_trace_output *o, const void *from, size_t n,
			struct tide_error *err);
uint64_t td_trace_output_bytes(const struct td_trace_output *o); /* before compression */
/* Frees o in any case. */
int td_trace_output_finish(struct td_trace_output *o, struct tide_error *err);
void td_trace_output_abandon(struct td_trace_output *o); /* NULL is fine */

/* The folder for temporary files beside the output. The caller frees it. */
char *td_trace_output_folder(const struct td_trace_output *o);
const char *td_trace_output_name(const struct td_trace_output *o);

const char *td_trace_tmpdir(void);                          /* $TMPDIR, or /tmp */
int td_trace_write_all(int fd, const void *from, size_t n); /* 0 or -errno */

#endif
