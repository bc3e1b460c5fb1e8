/* What the applications of this room share: the head of a generator, and its plan. */
#ifndef TD_WORKLOAD_GENERATOR_H
#define TD_WORKLOAD_GENERATOR_H

#include "workload.h"

/* Upper bound of counts in parameter tables: whole as a double, and a count of pages that no
 * machine has. */
#define TD_WORKLOAD_MOST 0x1p48

struct td_workload_generator {
	struct td_trace_source head;
	uint64_t done;        /* events given since the start */
	uint64_t write_share; /* of 2^64; UINT64_MAX: every access writes */
	uint64_t write_random, write_seed;
	uint64_t ref_pages; /* pages that share one ref; 0: fill() does the refs, if any */
	bool own_writes;    /* fill() says which accesses write */
	/* The next batch->n events, which are never past the last. */
	void (*fill)(struct td_workload_generator *g, struct tide_batch *batch);
	/* Back to the first event. */
	void (*start)(struct td_workload_generator *g);
};

/* What an application knows of its run once its own parameters are checked. */
struct td_workload_plan {
	const char *name;
	uint64_t accesses, pages, last_page; /* as in td_trace_facts */
	uint64_t range; /* page numbers are below it, however many accesses there are */
	uint64_t page_bytes, seed;
	double writes; /* share of accesses that write */
	uint64_t refs; /* spread over the range; 0: none */
};

/* An application's struct of that many bytes, zeroed, its first member the generator; or
 * an error where the plan cannot be. The application sets fill and start, then calls
 * td_workload_ready(). */
int td_workload_new(void **out, size_t bytes, const struct td_workload_plan *plan,
		    struct tide_error *err);
int td_workload_ready(struct td_trace_source **out, struct td_workload_generator *g);

/* accesses as given, or rounds * pages where it is 0. */
int td_workload_rounds(const char *name, uint64_t rounds, uint64_t pages, uint64_t *accesses,
		       struct tide_error *err);

/* Rows that several tables have. */
#define TD_WORKLOAD_PARAM_WRITES \
	{ \
		"writes", TIDE_PARAM_REAL, "0", 0, 1, "share of the accesses that write" \
	}
#define TD_WORKLOAD_PARAM_REFS \
	{ \
		"refs", TIDE_PARAM_INT, "0", 0, TD_WORKLOAD_MOST, \
			"instructions that access, each its own run of the pages; 0: unknown" \
	}

#endif
