/* Between the files of the self-test. */
#ifndef TD_GPU_SELFTEST_H
#define TD_GPU_SELFTEST_H

#include "tools.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- many warps on one array, every word of which says which it is and how often it was written
 *
 * The versions are kept in plain memory of the GPU beside it; a warp that reads a word knows so
 * between which bounds its version must be, and in the end the file must be what they say. */
enum td_gpu_compiled { TD_GPU_PLAIN, TD_GPU_STRICT, TD_GPU_CHECKED };

struct td_gpu_pressure {
	enum td_gpu_compiled compiled; /* how its kernel is */
	const char *place, *transfer, *page, *inject, *timeout;
	const char *orchestrate, *evict, *prefetch;
	uint64_t page_bytes, array_bytes;
	uint64_t near_pages; /* 0: the fewest that a launch needs */
	uint64_t host_pages;
	unsigned blocks, threads;
	uint64_t ops;      /* of every warp */
	uint64_t limit_ns; /* of one launch */
	unsigned rounds;
	bool without_file; /* an array without one */
	bool read_only;    /* no writes */
	bool lanes;        /* also calls of single lanes, each of which may hold a page */
	int expect;        /* the error that one launch must end with; 0: no launch may fail */
	/* what came of it */
	uint64_t accesses; /* of elements by lanes */
	int failed;        /* the error of the first launch that failed */
	struct tide_error said;
	char detail[400];
};

int td_gpu_pressure_run(const struct td_gpu_setup *s, struct td_gpu_pressure *p,
			struct tide_error *err);

/* ---- one warp and a trace: does it decide as the simulator? ---- */

struct td_gpu_trace {
	uint64_t *access; /* page << 1 | write */
	uint64_t n, pages;
};

/* The accesses of a workload, up to a limit; free(t->access). */
int td_gpu_trace_load(struct td_gpu_trace *t, const char *workload, uint64_t limit,
		      struct tide_error *err);

struct td_gpu_replay {
	const char *workload; /* of `tide workloads` */
	uint64_t near_pages, host_pages;
	uint64_t limit; /* accesses */
	/* what came of it */
	uint64_t accesses;
	char detail[400];
};

/* What the simulator or the GPU makes of a trace. */
struct td_gpu_outcome {
	struct tide_counts counts;
	uint64_t *victim; /* in order */
	uint64_t victims;
	uint64_t keeps, judged, right, lifted;
	uint64_t reclaimed; /* pages taken back while they were being written; the simulator has
			       none, because it has no time */
};

int td_gpu_simulate(const struct td_gpu_trace *t, const struct td_gpu_replay *r, const char *log,
		    struct td_gpu_outcome *out, struct tide_error *err);
/* The victims in a decision log: the simulator's, or the runtime's. */
int td_gpu_log_read(const char *log, struct td_gpu_outcome *out, struct tide_error *err);
int td_gpu_outcomes_equal(const struct td_gpu_outcome *gpu, const struct td_gpu_outcome *sim,
			  struct tide_error *err);

int td_gpu_replay_run(const struct td_gpu_setup *s, struct td_gpu_replay *r,
		      struct tide_error *err);

/* ---- single cases: what must be refused, and how; and what calls promise ---- */

struct td_gpu_case {
	const char *name;
	int (*run)(const struct td_gpu_setup *s, char *detail, size_t room, struct tide_error *err);
};

/* The last has no name. */
extern const struct td_gpu_case td_gpu_refusals[], td_gpu_calls[];

extern const struct td_gpu_part td_gpu_tests[];
int td_gpu_selftest(const struct td_gpu_selftest_options *o, struct td_gpu_result **out,
		    struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
