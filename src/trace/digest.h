/* What the events of a trace are, as one number: the same whatever the file's name, format and
 * compression, and however its events are dealt out in batches. */
#ifndef TD_TRACE_DIGEST_H
#define TD_TRACE_DIGEST_H

#include <stdbool.h>

#include "tide/event.h"

struct td_trace_digest;

struct td_trace_digest *td_trace_digest_new(void); /* NULL: no memory */
void td_trace_digest_free(struct td_trace_digest *d);
void td_trace_digest_restart(struct td_trace_digest *d);

/* refs, streams: the batch may have some other than 0. */
void td_trace_digest_put(struct td_trace_digest *d, const struct tide_batch *batch, bool refs,
			 bool streams);
/* Of the batch put last: its groups, sizes and costs. */
void td_trace_digest_objects(struct td_trace_digest *d, const struct tide_batch_object *o,
			     uint32_t n);
/* Of all that was put: so many events, and their digest, which is never 0. */
uint64_t td_trace_digest_end(const struct td_trace_digest *d, uint64_t digest[2]);

#endif
