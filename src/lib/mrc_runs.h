/* What the files share that make a curve from a run per size. */
#ifndef TD_LIB_MRC_RUNS_H
#define TD_LIB_MRC_RUNS_H

#include <pthread.h>
#include <stdatomic.h>

#include "curves.h"
#include "samples.h"

/* A size over a sample. */
struct td_lib_run {
	struct td_lib_runs *all;
	uint64_t faults, prefix_hits;
	uint64_t hit_bytes, fault_bytes, hit_cost, fault_cost; /* of objects */
	_Atomic uint64_t done;                                 /* accesses */
	struct tide_error err;
	int rc;
};

struct td_lib_runs {
	struct td_lib_curve *curve;
	struct tide_mrc *mrc;
	struct tide_facts facts;
	struct td_lib_run *run; /* of each size, as many as samples */
	size_t n;
	struct td_lib_samples samples;
	atomic_bool failed;
	pthread_mutex_t lock; /* of progress */
	/* Where the policy has a method for many sizes at a time. */
	const struct td_mrc_method *lanes; /* NULL: it has none */
	struct td_policy_choice choice;
	size_t passes;                  /* over each sample */
	struct td_trace_source *source; /* NULL: each pass opens the input */
	bool has_groups;
};

/* mrc_runs.c: a run has done so many of its accesses. */
void td_lib_runs_show(void *run, uint64_t done, uint64_t total);
/* The share of the pages that the sample of run i really has. Its runs have as much of the size. */
double td_lib_runs_rate(const struct td_lib_runs *r, size_t i);
/* The near memory of run i, at least one page. */
double td_lib_runs_pages(const struct td_lib_runs *r, size_t i);

/* mrc_lanes.c: the method, if there is one for this curve; and all runs by it. */
int td_lib_lanes_choose(struct td_lib_runs *r, struct tide_error *err);
void td_lib_lanes_run(struct td_lib_runs *r);

/* mrc_means.c: the points of the curve. */
void td_lib_runs_fill(struct td_lib_runs *r);

#endif
