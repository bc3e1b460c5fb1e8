/* Inside the trace room: what all writers share. */
#ifndef TD_TRACE_WRITER_H
#define TD_TRACE_WRITER_H

#include "output.h"
#include "trace.h"

struct td_trace_sink;

struct td_trace_writer {
	const struct td_trace_sink *sink;
	struct td_trace_output *out;
	uint64_t events;
	bool groups, sizes, costs;            /* what its batches say of objects */
	const struct td_trace_source *source; /* for the names of pages; NULL: they have none */
};

/* A format that can be written. All but put may be NULL. */
struct td_trace_sink {
	bool holds_marks; /* it can be read back with its marks */
	bool holds_groups, holds_sizes, holds_costs;
	size_t writer_bytes;
	int (*start)(struct td_trace_writer *w, struct tide_error *err);
	int (*put)(struct td_trace_writer *w, const struct tide_batch *batch, uint32_t from,
		   uint32_t end, struct tide_error *err);
	int (*mark)(struct td_trace_writer *w, const struct tide_mark *mark,
		    struct tide_error *err);
	int (*finish)(struct td_trace_writer *w, struct tide_error *err);
	void (*stop)(struct td_trace_writer *w); /* frees, after finish or instead of it */
};

extern const struct td_trace_sink td_trace_tide_sink; /* tide_write.c */

/* As td_trace_create(), in the format of the sink. */
int td_trace_create_as(struct td_trace_writer **out, const char *path,
		       const struct td_trace_sink *sink, struct tide_error *err);

#endif
