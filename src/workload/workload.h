/* The workload room: event generators, one application per file. */
#ifndef TD_WORKLOAD_WORKLOAD_H
#define TD_WORKLOAD_WORKLOAD_H

#include "../trace/source.h"
#include "tide/param.h"

struct td_gpu_app;
struct td_gpu_machine;

struct td_workload {
	const char *name;
	const char *paper;        /* "pattern" for the plain ones */
	const char *type;         /* the paper's word for its access pattern */
	const char *summary;      /* one line, no full stop */
	uint64_t published_bytes; /* footprint that the paper gives, 0 if none */
	/* At the default size, where a pass to find them would take long; a test holds them to
	 * the truth. 0: found by a pass. The footprint is as the paper is taken to count it (see
	 * struct td_gpu_machine). */
	uint64_t footprint_bytes, accesses;
	uint64_t touched_bytes;          /* 0: as the footprint */
	unsigned arrays;                 /* how many; 0: it is a plain pattern, which has none */
	const struct tide_param *params; /* ends with a row whose name is NULL */
	/* A pattern. values: one per row of params. The source's facts say accesses and last_page,
	 * and pages where it is known without a run. */
	int (*open)(struct td_trace_source **out, const union tide_value *values,
		    uint64_t page_bytes, uint64_t seed, struct tide_error *err);
	/* Or an application, which td_gpu_open() (gpu.h) opens. */
	const struct td_gpu_machine *machine;
	size_t app_bytes; /* its struct, which begins with struct td_gpu_app; 0: that alone */
	int (*setup)(struct td_gpu_app *app, const union tide_value *values,
		     struct tide_error *err);
};

/* All workloads, sorted by name, NULL-ended; the build makes it from src/workload. */
extern const struct td_workload *const td_workload_table[];

/* The row that spec begins with, NULL: there is none. */
const struct td_workload *td_workload_find(const char *spec);

/* The paper's pages, in which its figures are; 4 KiB for patterns, and where there is none. */
uint64_t td_workload_page_bytes(const struct td_workload *w);

/* spec is `name` or `name:key=value,key=value`. */
int td_workload_open(struct td_trace_source **out, const char *spec, uint64_t page_bytes,
		     uint64_t seed, struct tide_error *err);

#endif
