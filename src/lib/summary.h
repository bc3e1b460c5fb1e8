/* What a simulated run was and what came of it, as one struct. The tables of the program and the
 * JSON document are both made from it. */
#ifndef TD_LIB_SUMMARY_H
#define TD_LIB_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>

#include "tide/tide.h"

/* Where the time of a timed run went. */
struct td_lib_times {
#define TIDE_TIME(name, help) uint64_t name;
#include "tide/times.def"
#undef TIDE_TIME
};

/* The texts are the run's, and gone when it is closed; but for format, which stays. */
struct td_lib_summary {
	const char *input, *format; /* NULL: accesses were pushed */
	bool is_workload;
	uint64_t accesses, footprint_pages, last_page; /* of the input, UINT64_MAX: not known */
	const char *model, *evict, *prefetch, *place;  /* place NULL: none */
	uint64_t page_bytes, chunk_pages, near_pages, host_pages, seed;
	struct tide_counts counts;
	struct td_lib_times time; /* all 0: there was no clock */
	double seconds;           /* of this machine */
	uint64_t accesses_per_second;
};

void td_lib_summarize(const struct tide_sim *sim, struct td_lib_summary *out);

/* What the policies want said; and all of it, as tide_sim_json() prints it. NULL: no memory. */
json_t *td_lib_sim_policy(const struct tide_sim *sim);
json_t *td_lib_sim_document(const struct tide_sim *sim);

#endif
