/* The workload room: event generators, one application per file. */
#ifndef TD_WORKLOAD_WORKLOAD_H
#define TD_WORKLOAD_WORKLOAD_H

#include "../trace/source.h"
#include "tide/param.h"

struct td_workload {
	const char *name;
	const char *paper;        /* "pattern" for the plain ones */
	const char *type;         /* the paper's word for its access pattern */
	const char *summary;      /* one line, no full stop */
	uint64_t published_bytes; /* footprint that the paper gives, 0 if none */
	/* At the default size, where a pass to find them would take long; a test holds them to
	 * the truth. 0: found by a pass. */
	uint64_t footprint_bytes, accesses;
	uint64_t page_bytes;             /* the paper's pages, for these figures; 0: 4 KiB */
	unsigned arrays;                 /* how many; 0: it is a plain pattern, which has none */
	const struct tide_param *params; /* ends with a row whose name is NULL */
	/* values: one per row of params. The source's facts say accesses and last_page, and
	 * pages where it is known without a run. */
	int (*open)(struct td_trace_source **out, const union tide_value *values,
		    uint64_t page_bytes, uint64_t seed, struct tide_error *err);
};

/* All workloads, sorted by name, NULL-ended; the build makes it from src/workload. */
extern const struct td_workload *const td_workload_table[];

/* The row that spec begins with, NULL: there is none. */
const struct td_workload *td_workload_find(const char *spec);

/* spec is `name` or `name:key=value,key=value`. */
int td_workload_open(struct td_trace_source **out, const char *spec, uint64_t page_bytes,
		     uint64_t seed, struct tide_error *err);

#endif
