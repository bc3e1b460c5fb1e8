/* The door of libtide_gpu.so: what `tide gpu` runs on a GPU. The command line loads the module with
 * dlopen and takes its one exported symbol, tide_gpu_module, from it.
 *
 * Every call gives a struct td_gpu_result, which the caller hands back to free_result(). If the
 * call fails halfway, the result has what was measured up to there. A call returns 0, or a negative
 * errno and err says why; -ENODEV: there is no GPU. Nothing here prints or exits. One call at a
 * time. */
#ifndef TD_GPU_GPU_H
#define TD_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tide/error.h"
#include "tide/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TD_GPU_API 3
#define TD_GPU_MODULE "tide_gpu_module"

/* One line of text per step, without its end; NULL: nobody listens. */
typedef void td_gpu_say(void *who, const char *line);

/* What all calls take. Everything not set is its default. */
struct td_gpu_setup {
	int device;       /* number of the GPU */
	const char *dir;  /* for files of its own, which are removed; NULL: $TMPDIR, or /var/tmp */
	const char *seed; /* "1" */
	bool quick;       /* info: nothing measured; else: what ends within a minute */
	td_gpu_say *say;
	void *who;
};

struct td_gpu_selftest_options {
	struct td_gpu_setup setup;
	const char *part; /* "pressure,errors": by the start of their names; NULL: all */
	bool thorough;    /* a thousand million accesses with near memory close to its minimum */
};

struct td_gpu_bench_options {
	struct td_gpu_setup setup;
	const char *micro; /* "hit,miss", "all"; NULL: all, or none if app is given */
	const char *app;   /* "srad,bfs", "all"; NULL: none */
	/* of the applications */
	const char *place;         /* "bam,reuse"; NULL: all four, and the baselines */
	const char *oversubscribe; /* "2,4": data over near and host memory; NULL: "2" */
	const char *near_size;     /* "256M" */
	const char *host;          /* NULL: four times near_size */
	const char *page;          /* "64K" */
	const char *transfer;      /* "zero-copy" */
	const char *timeout;       /* of a wait: "30s" */
	const char *repeat;        /* "3": rounds of all placements, the median counts; NULL: "1" */
	/* host orchestration in place of the GPU's, with these policies; NULL: as tide/gpu.h */
	const char *orchestrate, *evict, *prefetch;
};

/* What --micro and --part can name. */
struct td_gpu_part {
	const char *name, *summary; /* the last row has no name */
};

/* ---- what comes out ---- */

/* One thing that was measured. What does not apply is 0 or "". */
struct td_gpu_measure {
	char what[128];
	uint64_t bytes, count; /* moved, or done */
	uint64_t batch;        /* pages at once */
	uint64_t time_ns;
	double gbps, per_second;                /* 10^9 bytes, or of them, a second */
	double gather_page_ns, scatter_page_ns; /* of one page, to main memory and from it */
	double ratio;                           /* its rate over that of a baseline: */
	char of[64];
};

/* What the measurements were to show. */
struct td_gpu_claim {
	char what[128];
	char target[512]; /* ">= 1.5"; or why nothing could be measured */
	double measured;  /* NAN: nothing */
	bool ok;
};

struct td_gpu_table {
	const char *name;
	struct td_gpu_measure *rows;
	size_t rows_n;
	struct td_gpu_claim *claims;
	size_t claims_n;
	uint64_t time_ns; /* of the whole part; 0: not taken */
	char error[512];  /* what kept it from measuring on; "": nothing */
	bool ok;
};

struct td_gpu_test {
	char name[96];
	char detail[512];
	uint64_t accesses, time_ns;
	bool ok;
};

#define TD_GPU_SIZES 4  /* of the data of an application */
#define TD_GPU_TIMES 31 /* rounds of an application, at most */

/* One run of an application. Texts without an array are the options' or constants. */
struct td_gpu_run {
	const char *app;
	char label[64];  /* the placement, or the baseline */
	char error[512]; /* why it failed; then only the members up to here are set */
	double oversubscribe;
	/* how it was run */
	char place[64];                                                 /* "": default */
	const char *memory, *transfer, *orchestrate, *evict, *prefetch; /* NULL: default */
	uint64_t near_bytes, host_bytes, page_bytes, iterations, seed;
	bool resident;
	const char *size_names[TD_GPU_SIZES]; /* NULL: no more */
	uint64_t sizes[TD_GPU_SIZES];
	/* what came of it */
	uint64_t data_bytes, launches, time_ns;
	uint64_t times_ns[TD_GPU_TIMES]; /* of all rounds, where there were several */
	unsigned times_n;
	double speedup; /* over bam; 0: not known */
	bool has_stats; /* it ran on the runtime */
	struct tide_gpu_stats stats;
	char *stats_json; /* as tide_gpu_stats_json() gives it */
	bool has_checksum;
	uint64_t checksum;
	int verified; /* 1, 0; -1: not asked for */
	char reason[256];
};

struct td_gpu_mean {
	char place[64];
	double oversubscribe, speedup;
	unsigned apps;
};

struct td_gpu_apps {
	uint64_t near_bytes, host_bytes, page_bytes, rounds;
	const char *transfer;
	struct td_gpu_run *references, *runs; /* small ones against the processor; all others */
	size_t references_n, runs_n;
	struct td_gpu_mean *means;
	size_t means_n;
	struct td_gpu_table claims; /* without rows */
	char error[512];
	bool ok;
};

struct td_gpu_result {
	size_t size; /* sizeof(struct td_gpu_result) */
	bool has_device;
	struct tide_gpu_info device;
	struct td_gpu_table *tables; /* limits of the device, or micro benches */
	size_t tables_n;
	struct td_gpu_test *tests;
	size_t tests_n;
	struct td_gpu_apps *apps; /* NULL: none was asked for */
};

struct td_gpu_module {
	uint32_t api, size; /* TD_GPU_API, sizeof(struct td_gpu_module) */
	/* All three return 0 also where a part failed: the caller looks at ok of each. *out may be
	 * NULL where there was no memory. */
	int (*info)(const struct td_gpu_setup *options, struct td_gpu_result **out,
		    struct tide_error *err);
	int (*selftest)(const struct td_gpu_selftest_options *options, struct td_gpu_result **out,
			struct tide_error *err);
	int (*bench)(const struct td_gpu_bench_options *options, struct td_gpu_result **out,
		     struct tide_error *err);
	void (*free_result)(struct td_gpu_result *result); /* NULL is fine */
	const struct td_gpu_part *tests, *micros, *apps;
};

__attribute__((visibility("default"))) extern const struct td_gpu_module tide_gpu_module;

#ifdef __cplusplus
}
#endif

#endif
