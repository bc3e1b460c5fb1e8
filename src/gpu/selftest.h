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
struct td_gpu_pressure {
	const char *place, *transfer, *page, *inject, *timeout;
	const char *orchestrate, *evict, *prefetch;
	uint64_t page_bytes, array_bytes;
	uint64_t near_pages; /* 0: the fewest with which the runtime launches */
	uint64_t host_pages;
	unsigned blocks, threads;
	uint64_t ops;      /* of every warp */
	uint64_t limit_ns; /* of one launch */
	unsigned rounds;
	bool without_file; /* an array without one */
	bool read_only;    /* no writes */
	bool lanes;        /* lanes alone too, which may hold a page each */
	int expect;        /* what a launch must end with once; 0: none may fail */
	/* what came of it */
	uint64_t accesses; /* of elements by lanes */
	int failed;        /* of the launches that failed, what the first did with */
	struct tide_error said;
	char detail[400];
};

int td_gpu_pressure_run(const struct td_gpu_setup *s, struct td_gpu_pressure *p,
			struct tide_error *err);

/* ---- one warp, a trace: as the simulator? ---- */

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

/* What one of both makes of a trace. */
struct td_gpu_outcome {
	struct tide_counts counts;
	uint64_t *victim; /* in order */
	uint64_t victims;
	uint64_t keeps, judged, right, lifted;
	uint64_t reclaimed; /* taken back while they were being written: a simulator has no time */
};

int td_gpu_simulate(const struct td_gpu_trace *t, const struct td_gpu_replay *r, const char *log,
		    struct td_gpu_outcome *out, struct tide_error *err);
/* The victims in a decision log: the simulator's, or the runtime's. */
int td_gpu_log_read(const char *log, struct td_gpu_outcome *out, struct tide_error *err);
int td_gpu_outcomes_equal(const struct td_gpu_outcome *gpu, const struct td_gpu_outcome *sim,
			  struct tide_error *err);

int td_gpu_replay_run(const struct td_gpu_setup *s, struct td_gpu_replay *r,
		      struct tide_error *err);

/* ---- launches, files and sizes that must be refused, and how ---- */

struct td_gpu_refusal {
	const char *name;
	int (*run)(const struct td_gpu_setup *s, char *detail, size_t room, struct tide_error *err);
};

extern const struct td_gpu_refusal td_gpu_refusals[]; /* the last has no name */

extern const struct td_gpu_part td_gpu_tests[];
int td_gpu_selftest(const struct td_gpu_selftest_options *o, json_t **out, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
