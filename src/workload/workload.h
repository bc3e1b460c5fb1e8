/* The workload room: generators of events. The simple patterns are here, one per pattern_NAME.c.
 * Other libraries can register more, as the laboratory does with the papers' applications. */
#ifndef TD_WORKLOAD_WORKLOAD_H
#define TD_WORKLOAD_WORKLOAD_H

#include "../trace/source.h"
#include "tide/param.h"

struct td_workload;
struct tide_workload_shape;

/* Where an application's arrays lie, in pages of a given size. */
struct td_workload_extent {
	uint64_t end_pages;       /* one more than the highest page that it can touch */
	uint64_t allocated_pages; /* pages that its arrays lie on */
	bool counts_allocated;    /* its paper's footprints count these, not what is touched */
};

/* What an application can say of itself, and a pattern cannot. */
struct td_workload_kind {
	/* The paper's pages, in which its figures are. */
	uint64_t (*page_bytes)(const struct td_workload *w);
	/* Of a source that the workload's open() made. -ENOMEM leaves what there is so far. */
	int (*describe)(struct td_trace_source *s, struct tide_workload_shape *out);
	struct td_workload_extent (*extent)(struct td_trace_source *s, uint64_t page_bytes);
};

struct td_workload {
	const char *name;
	const char *paper;        /* "pattern" for the plain ones */
	const char *type;         /* the paper's word for its access pattern */
	const char *summary;      /* one line, no full stop */
	uint64_t published_bytes; /* footprint that the paper gives, 0 if none */
	/* At the default size, where a pass to find them would take long; a test holds them to
	 * the truth. 0: found by a pass. The footprint is as the paper is taken to count it. */
	uint64_t footprint_bytes, accesses;
	uint64_t touched_bytes;          /* 0: as the footprint */
	unsigned arrays;                 /* how many; 0: it is a plain pattern, which has none */
	const struct tide_param *params; /* ends with a row whose name is NULL */
	const struct td_workload_kind *kind; /* NULL: a pattern */
	/* values: one per row of params. A pattern's facts say accesses and last_page, and pages
	 * where it is known without a run. */
	int (*open)(struct td_trace_source **out, const struct td_workload *w,
		    const union tide_value *values, uint64_t page_bytes, uint64_t seed,
		    struct tide_error *err);
};

/* The patterns, sorted by name, NULL-ended; the build makes it from src/workload. */
extern const struct td_workload *const td_workload_patterns[];

/* Adds a table of the same form, which must stay. For one library, before main() begins. */
void td_workload_register(const struct td_workload *const *table);

/* The i-th of all workloads, by name; NULL after the last. */
const struct td_workload *td_workload_at(size_t i);

/* The row that spec begins with, NULL: there is none. */
const struct td_workload *td_workload_find(const char *spec);

/* The paper's pages, in which its figures are; 4 KiB for patterns, and where there is none. */
uint64_t td_workload_page_bytes(const struct td_workload *w);

/* spec is `name` or `name:key=value,key=value`. The digest is that of facts.digest. */
int td_workload_digest(const char *spec, uint64_t page_bytes, uint64_t seed, uint64_t digest[2],
		       struct tide_error *err);
int td_workload_open(struct td_trace_source **out, const char *spec, uint64_t page_bytes,
		     uint64_t seed, struct tide_error *err);

#endif
