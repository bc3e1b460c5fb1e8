/* A source of events: a trace being read, or a workload being generated. */
#ifndef TD_TRACE_SOURCE_H
#define TD_TRACE_SOURCE_H

#include <errno.h>
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
	/* Of the events, or of the generator and all its parameters; both 0: not known. */
	uint64_t digest[2];
};

#define TD_TRACE_NO_FACTS \
	((struct td_trace_facts){TD_UNKNOWN, TD_UNKNOWN, TD_UNKNOWN, TD_UNKNOWN, {0, 0}})

struct td_trace_source;
struct td_warps_ops;

struct td_trace_source_ops {
	const char *format; /* "txt", "tide", or "workload" */
	/* Fills the batch from the front: n events, and marks; none of either only at the end. A
	 * source without refs, streams or marks never writes these: the consumer hands in a zeroed
	 * batch. */
	int (*next)(struct td_trace_source *s, struct tide_batch *batch, struct tide_error *err);
	/* Goes back to the first event. NULL: that is not possible (a pipe). */
	int (*rewind)(struct td_trace_source *s, struct tide_error *err);
	void (*close)(struct td_trace_source *s);
	/* Its kernels as warps (warps.h); NULL: one warp makes all accesses, one after another. */
	const struct td_warps_ops *warps;
	/* The text that the input has for a page, until the next batch; NULL: none is known, or no
	 * page of this input has one. */
	const char *(*name)(const struct td_trace_source *s, uint64_t page);
};

/* The head of every source; a reader embeds it as its first member. */
struct td_trace_source {
	const struct td_trace_source_ops *ops;
	struct td_trace_facts facts;
	uint64_t bytes_done, bytes_total; /* for progress; total 0 if not known */
	/* The first pages of its allocations, ascending. NULL: all pages are one allocation. */
	const uint64_t *allocations;
	uint32_t allocations_n;
	bool marks; /* it has marks, which make its address range */
	/* What batch->object says, where the consumer hands one in: known when it is opened. One is
	 * handed in with every batch, or with none until the source is rewound. */
	bool groups, sizes, costs;
	bool by_page;    /* a request is an access to each page that it touches */
	bool names;      /* some page that was read has one; see td_trace_name() */
	const int *stop; /* not 0: no more is to be read; NULL: nobody stops it */
};

/* -ECANCELED: the program wants to hear no more. */
static inline int td_trace_stopped(const int *stop, struct tide_error *err)
{
	if (!stop || !__atomic_load_n(stop, __ATOMIC_RELAXED))
		return 0;
	return tide_fail(err, -ECANCELED, "stopped by the program: open another run");
}

static inline bool td_trace_has_objects(const struct td_trace_source *s)
{
	return s->groups || s->sizes || s->costs;
}

/* The text of a page whose key is a text in the input; NULL: it has none. */
static inline const char *td_trace_name(const struct td_trace_source *s, uint64_t page)
{
	return s->ops->name ? s->ops->name(s, page) : NULL;
}

/* The next batch of events and marks. */
static inline int td_trace_next_marked(struct td_trace_source *s, struct tide_batch *batch,
				       struct tide_error *err)
{
	int rc = td_trace_stopped(s->stop, err);
	return rc ? rc : s->ops->next(s, batch, err);
}

/* The next batch that has events, for callers that need no marks. No events: the end. */
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
