/* The nine applications of GMT on the GPU: one run of one, and all of them for `tide gpu bench`. */
#ifndef TD_GPU_APPS_APPS_H
#define TD_GPU_APPS_APPS_H

#include "gpu/gpu.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the arrays are. */
enum td_gpu_app_memory {
	TD_GPU_APP_TIDE,
	TD_GPU_APP_RAW,       /* plain memory of the GPU */
	TD_GPU_APP_ZERO_COPY, /* pinned memory of the host, read and written over the bus */
	TD_GPU_APP_UNIFIED,   /* unified memory, on the host at first */
};

enum td_gpu_app_verify {
	TD_GPU_APP_NOT,
	TD_GPU_APP_REFERENCE, /* compares every result with that of the processor; for small sizes
			       */
	TD_GPU_APP_CHECKSUM,  /* compares the sum of the results, by the GPU and from the files */
};

struct td_gpu_app_job {
	struct td_gpu_setup setup; /* device, folder for files, seed, who is told */
	const char *app;
	enum td_gpu_app_memory memory;
	uint64_t near_bytes, host_bytes; /* tiers 1 and 2; the size of the data follows from them */
	uint64_t page_bytes;             /* 0: 64 KiB */
	bool resident;                   /* the same data, but tier 1 holds all of it */
	const char *place, *transfer, *orchestrate, *evict, *prefetch, *timeout; /* NULL: default */
	double oversubscription, scale;                                          /* 0: 2, 1 */
	uint64_t iterations; /* 0: as in the paper's model */
	uint64_t warps;      /* 0: as many as take a quarter of tier 1 with their pins */
	enum td_gpu_app_verify verify;
	const uint64_t *expected; /* checksum; NULL: a run in plain memory of the GPU gives it */
	bool keep_files;          /* for the next run with the same sizes */
};

/* Fills *out, which is all zero. A result that is wrong is no error: out->verified says it. */
int td_gpu_app_run(const struct td_gpu_app_job *job, struct td_gpu_run *out,
		   struct tide_error *err);
/* Removes the files that runs of this size kept; graph: also those that the graph applications
 * share. */
void td_gpu_app_clean(const struct td_gpu_app_job *job, bool graph);

/* Each application at each oversubscription in each placement, and the baselines. Fills *out, which
 * is all zero. */
int td_gpu_apps_run(const struct td_gpu_bench_options *options, struct td_gpu_apps *out,
		    struct tide_error *err);

extern const struct td_gpu_part td_gpu_apps[];

/* ---- between the files of this folder ---- */

/* Adds the mean speedup of a placement, where there is any. */
void td_gpu_apps_mean(struct td_gpu_apps *all, const struct td_gpu_setup *setup, const char *place,
		      double size);
/* Adds what the comparison must give, if all of it was run. */
void td_gpu_apps_claims(struct td_gpu_apps *all, const struct td_gpu_setup *setup);

struct td_app_run;

/* An application is a plan and its launches, which are the same for tide arrays and plain ones. */
struct td_gpu_kernels {
	const struct td_app_plan *plan;
	int (*tide)(struct td_app_run *r, struct tide_error *err);
	int (*plain)(struct td_app_run *r, struct tide_error *err);
};

extern const struct td_gpu_kernels td_gpu_kernels_lavamd, td_gpu_kernels_pathfinder,
	td_gpu_kernels_bfs, td_gpu_kernels_multivectoradd, td_gpu_kernels_srad,
	td_gpu_kernels_backprop, td_gpu_kernels_pagerank, td_gpu_kernels_sssp,
	td_gpu_kernels_hotspot;

const struct td_gpu_kernels *td_gpu_kernels_find(const char *name); /* NULL: there is none */

#ifdef __cplusplus
}
#endif

#endif
