/* A source of events: a trace being read, or a workload being generated. */
#ifndef TD_TRACE_SOURCE_H
#define TD_TRACE_SOURCE_H

#include <stddef.h>

#include "tide/error.h"
#include "tide/event.h"

#define TD_UNKNOWN UINT64_MAX

/* What is known of a source before it is read. */
struct td_trace_facts {
	uint64_t accesses;
	uint64_t pages;     /* distinct pages touched: the footprint */
	uint64_t last_page; /* highest page number touched */
	uint64_t refs;      /* 1: some event has a ref other than 0; 0: none has */
};

#define TD_TRACE_NO_FACTS ((struct td_trace_facts){TD_UNKNOWN, TD_UNKNOWN, TD_UNKNOWN, TD_UNKNOWN})

struct td_trace_source;
struct td_warps_ops;

struct td_trace_source_ops {
	const char *format; /* "txt", "tide", or "workload" */
	/* Fills the batch from the front: n events, and marks; none of either only at the end. A
	 * source without refs, streams or marks never writes these: the consumer hands in a zeroed
	 * batch. */
	int (*next)(struct td_trace_source *s, struct tide_batch *batch, struct tide_error *err);
	/* Back to the first event; NULL where that cannot be (a pipe). */
	int (*rewind)(struct td_trace_source *s, struct tide_error *err);
	void (*close)(struct td_trace_source *s);
	/* Its kernels as warps (warps.h); NULL: one warp makes all accesses, one after another. */
	const struct td_warps_ops *warps;
};

/* The head of every source; a reader embeds it as its first member. */
struct td_trace_source {
	const struct td_trace_source_ops *ops;
	struct td_trace_facts facts;
	uint64_t bytes_done, bytes_total; /* for progress; total 0 if not known */
	/* The first pages of its allocations, ascending; NULL: all pages are one. */
	const uint64_t *allocations;
	uint32_t allocations_n;
	bool marks; /* it has marks: its address range is what they make of it */
};

/* The next batch of events and marks. */
static inline int td_trace_next_marked(struct td_trace_source *s, struct tide_batch *batch,
				       struct tide_error *err)
{
	return s->ops->next(s, batch, err);
}

/* For those who look at events alone: without any only at the end. */
static inline int td_trace_next(struct td_trace_source *s, struct tide_batch *batch,
				struct tide_error *err)
{
	int rc;
	do {
		rc = td_trace_next_marked(s, batch, err);
	} while (!rc && !batch->n && batch->marks_n);
	return rc;
}

#endif
