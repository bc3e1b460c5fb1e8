/* A simulated run and its results as one struct. The tables of the program and the JSON document
 * are both made from it. */
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

/* The texts belong to the run, and are gone when it is closed. Only format stays. */
struct td_lib_summary {
	const char *input, *format; /* NULL: accesses were pushed */
	bool is_workload;
	bool by_page, sizes;                           /* of its requests: td_trace_source */
	uint64_t accesses, footprint_pages, last_page; /* of the input, UINT64_MAX: not known */
	const char *model, *evict, *prefetch, *place;  /* place NULL: none */
	const char *split;                             /* NULL: one cache for all */
	bool flush;                                    /* of dirty pages at the end */
	uint64_t page_bytes, chunk_pages, near_pages, host_pages, seed;
	uint64_t near_bytes, object_bytes; /* of objects with sizes; near_bytes 0: pages */
	double near_share;                 /* as it was asked for; 0: in pages or bytes */
	struct tide_counts counts;
	struct td_lib_times time; /* all 0: there was no clock */
	double seconds;           /* of this machine */
	uint64_t accesses_per_second;
};

void td_lib_summarize(const struct tide_sim *sim, struct td_lib_summary *out);

/* The parts of a split run, ascending by stream: part i, or false behind the last. */
struct td_lib_part_summary {
	uint64_t stream, near_pages, footprint_pages;
	struct tide_counts counts;
};
bool td_lib_sim_part(const struct tide_sim *sim, uint32_t i, struct td_lib_part_summary *out);

/* What a result is a result of, as every document of results says it. */
json_t *td_lib_record_json(const uint64_t input[2], const uint64_t settings[2]);

/* Tells the shared objects of a run's policies apart, members too, by the bytes of their files; 0
 * and 0: it has none. */
void td_lib_plugins(const struct tide_sim_options *options, uint64_t digest[2]);

/* The policies' reports; and the whole document, as tide_sim_json() gives it. NULL: no memory. */
json_t *td_lib_sim_policy(const struct tide_sim *sim);
json_t *td_lib_sim_document(const struct tide_sim *sim);

#endif
