/* libtide: the simulator, traces and policies. It can do what the command line does.
 *
 * Calls return 0, or a negative errno and one sentence in err (which may be NULL).
 * A handle belongs to one thread at a time; different handles are independent. The library
 * never prints and never exits.
 *
 * Public structs begin with their size, so that a program and the library may be of different
 * versions (tide/stats.h says how):
 *
 *     struct tide_sim_options options = {.size = sizeof options, .near_size = "512M"};
 *     struct tide_counts counts = {.size = sizeof counts};
 *
 * Calls refuse wrong use (-EINVAL) where it would do harm: NULL for an argument that is needed, and
 * a handle that is NULL, was closed or is of another kind. They recognise a closed handle as long
 * as its memory has no other use. */
#ifndef TIDE_TIDE_H
#define TIDE_TIDE_H

#include <stddef.h>

#include "error.h"
#include "event.h"
#include "param.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TIDE_VERSION "0.2.0"

const char *tide_version(void);

/* ---- a simulated run ---- */

/* Facts about an input. UINT64_MAX: not known. */
struct tide_facts {
	size_t size; /* sizeof(struct tide_facts) */
	uint64_t accesses;
	uint64_t pages;     /* distinct pages touched: the footprint */
	uint64_t last_page; /* highest page number: the end of the address range */
	uint64_t refs;      /* 1: some access has a ref; 0: none has */
	/* Of a trace: of its events, known once all of them were read. Of a workload: of its name,
	 * all its parameters, the page size and the seed. Both 0: not known. */
	uint64_t digest[2];
};

struct tide_policy; /* policy.h */

/* Members that are not set have their defaults. Texts are written as on the command line. */
struct tide_sim_options {
	size_t size;           /* sizeof(struct tide_sim_options) */
	const char *trace;     /* file name, "-" for standard input; or */
	const char *workload;  /* "zipf:pages=1000"; or neither: push accesses */
	const char *format;    /* of the trace; guessed if NULL */
	const char *columns;   /* of a csv trace: "page=5,op=3" */
	const char *near_size; /* "512M", "1024p", "75%" (of the footprint); required */
	const char *page;      /* "4K" */
	const char *chunk;     /* "64K", or in pages "16p" */
	const char *evict;     /* "lrm" */
	const char *prefetch;  /* "tree" */
	const char *place;     /* where victims go, "reuse"; NULL: there is no tier 2 */
	const char *host;      /* with place: size of tier 2, written as near_size; may be "0" */
	const char *model;     /* "h200:up_gbs=64": with a clock; NULL: without a clock */
	const char *log;       /* decision log to write, NULL: none */
	const char *seed;      /* "1" */
	/* false: an invalid answer of a policy ends the run. true: it is counted and replaced, and
	 * after 16 invalid answers lrm, none or tier-order replaces the policy, by its role. */
	bool replace_invalid;
	/* Facts about the same input, from an earlier run: they save a pass over it. */
	const struct tide_facts *facts;
	/* Called, from a thread of the library, when a policy has not returned from a callback for
	 * the time of watchdog ("10s"; "0": never), with a sentence. The callback cannot be ended,
	 * so no call with this handle will return: end the program, or wait. NULL: no watchdog. */
	void (*on_stuck)(void *arg, const char *why);
	void *on_stuck_arg;
	const char *watchdog;
	/* true: no digest of a trace's events is made, which saves a few percent of the time. The
	 * JSON document then does not say which input it is a result of. */
	bool no_digest;
	/* "stream": one cache per stream, with equal shares of near memory, and the counts of all
	 * of them together. "stream:shares=lru": the shares with the fewest misses of lru, as far
	 * as its curves are convex. Without a clock, a place and a log. NULL: one cache for all. */
	const char *split;
	/* true: every page number is an object with the size and the cost that the input says, one
	 * page and 1 where it says none. near_size is bytes, or a share of the sum of the sizes. An
	 * object larger than near memory does not come in. Chunks are single pages, and the
	 * prefetch policy is none. Without a clock, a place, a split, a log and replace_invalid. */
	bool objects;
	/* With split: the parts that run at a time, each on a thread; 0: one per core. The results
	 * are the same. progress is called by any of these threads, by one at a time. */
	size_t threads;
	/* In place of a trace and a workload. The arrays must not change while the handle is open.
	 */
	const struct tide_accesses *accesses;
	/* Soon after the program sets it to another value than 0, in any thread or callback, calls
	 * with this handle fail with -ECANCELED. NULL: they cannot be stopped. */
	const int *stop;
	/* Policies of the program itself, NULL-ended: `evict` and the others may name them, before
	 * the built-in ones. The structs and the table must stay until the handle is closed. NULL:
	 * none. */
	const struct tide_policy *const *own;
	/* With place, and with an input: at the end of the run, the dirty pages of tiers 1 and 2
	 * are written to tier 3. */
	bool flush;
};

struct tide_sim;

/* Called from time to time during tide_sim_run(); total is 0 if not known. */
typedef void tide_progress(void *arg, uint64_t done, uint64_t total);

int tide_sim_open(struct tide_sim **out, const struct tide_sim_options *options,
		  struct tide_error *err);

/* Runs the whole trace or workload. */
int tide_sim_run(struct tide_sim *sim, tide_progress *progress, void *arg, struct tide_error *err);

/* Pushes one access, if neither a trace nor a workload was given. */
int tide_sim_access(struct tide_sim *sim, const struct tide_event *event, struct tide_error *err);
/* Pushes many. If one fails, those before it count. */
int tide_sim_push(struct tide_sim *sim, const struct tide_accesses *accesses,
		  struct tide_error *err);

int tide_sim_counts(const struct tide_sim *sim, struct tide_counts *counts, struct tide_error *err);
int tide_sim_facts(const struct tide_sim *sim, struct tide_facts *facts, struct tide_error *err);

/* The JSON document of docs/man/tide-sim.1 as text; free it with free(). */
int tide_sim_json(struct tide_sim *sim, char **text, struct tide_error *err);

/* NULL is fine. -EINVAL: it is closed already. */
int tide_sim_close(struct tide_sim *sim);

/* The simulated time of a run under a timed model; 0 without a clock. */
uint64_t tide_sim_time_ns(const struct tide_sim *sim);

/* ---- miss ratio curves ---- */

/* Members that are not set have their defaults. Chunks have one page, and there is no prefetch. */
struct tide_mrc_options {
	size_t size; /* sizeof(struct tide_mrc_options) */
	const char *trace, *workload, *format, *columns, *page, *seed; /* as in tide_sim_options */
	const char *policy; /* "lru": any eviction policy, or "vmin", "osl" */
	const char *sizes;  /* "1%,5%,1024p", or a number of points, evenly spread; "50" */
	/* "0.01" or "1%": a share of the pages, by hash. "auto": for policies that do not have all
	 * sizes in one pass, a share if accesses times sizes are more than 800 million. NULL: all,
	 * exact. */
	const char *sample;
	unsigned threads; /* for policies that do not have all sizes in one pass; 0: all cores */
	const struct tide_facts *facts;
	/* true: objects with sizes and costs, as in tide_sim_options. Sizes of the curve are bytes,
	 * pages of `page`, or shares of all objects' sizes. Every policy takes a run per size, over
	 * all objects: `sample` is NULL or "auto". */
	bool objects;
	const struct tide_accesses *accesses; /* as in tide_sim_options, as is stop */
	const int *stop;
};

/* A row of a curve. Its layout never changes, because a curve is an array of rows. */
struct tide_mrc_point {
	double pages; /* size; for vmin and osl, the average size that they used */
	uint64_t misses;
	double miss_ratio;
	uint64_t size_pages; /* the requested size */
};

/* Of a point where objects have sizes. Its layout never changes. */
struct tide_mrc_object {
	uint64_t near_bytes; /* the size; of its point, size_pages is this in pages, rounded up */
	double byte_miss_ratio; /* the share of missed bytes in all bytes of all accesses */
	double cost_miss_ratio; /* the same for costs; without costs, the miss ratio */
};

struct tide_mrc {
	size_t size; /* sizeof(struct tide_mrc) */
	uint64_t accesses, footprint_pages;
	uint64_t sampled_accesses; /* accesses to sampled pages */
	const char *method;        /* in words: "one pass" */
	const char *format;        /* of the trace, or "workload" */
	double error;              /* of a sampled curve: estimated mean error of the miss ratio */
	size_t n;
	const struct tide_mrc_point *at; /* ascending sizes; freed with the curve */
	/* Digests: of the input, as of struct tide_facts, and of the policy with all its
	 * parameters, the sizes, the sample, the page size and the seed. */
	uint64_t input_digest[2], settings_digest[2];
	/* Of a sampled curve; 0 and NULL if it is exact. The curve is the mean of the samples. */
	unsigned samples;
	double sample_share;  /* of the pages, in each sample */
	const double *errors; /* estimated errors of the miss ratios, as many as points */
	/* Hits before the first miss of their group, as many as points. NULL: the input has no
	 * groups, or the curve is sampled, of vmin or osl, or of leu with statistics. */
	const uint64_t *prefix_hits;
	/* Of objects with sizes: the sum of their sizes, and rows, as many as points. 0 and NULL:
	 * all pages are equal. */
	uint64_t object_bytes;
	const struct tide_mrc_object *objects;
};

/* Computes a curve; free it with free(). */
int tide_mrc_run(struct tide_mrc **out, const struct tide_mrc_options *options,
		 tide_progress *progress, void *arg, struct tide_error *err);

/* ---- traces ---- */

struct tide_trace;
struct tide_trace_writer;

struct tide_trace_options {
	size_t size;          /* sizeof(struct tide_trace_options) */
	const char *path;     /* file name, "-" for standard input; or */
	const char *workload; /* "zipf:pages=1000": read its accesses as a trace */
	const char *format;
	const char *columns;
	const char *page; /* "4K" */
	const char *seed; /* of a workload: "1" */
};

int tide_trace_open(struct tide_trace **out, const struct tide_trace_options *options,
		    struct tide_error *err);
/* 1: an event was read; 0: the end. After an error all calls fail with that error. */
int tide_trace_next(struct tide_trace *trace, struct tide_event *event, struct tide_error *err);
/* The same for the next few thousand events, whose arrays are valid until the next call with this
 * trace. 1: there are some; 0: the end. */
int tide_trace_next_batch(struct tide_trace *trace, struct tide_accesses *accesses,
			  struct tide_error *err);
int tide_trace_close(struct tide_trace *trace); /* as tide_sim_close() */

int tide_trace_create(struct tide_trace_writer **out, const char *path, const char *format,
		      struct tide_error *err);
/* After an error, all calls but tide_trace_abandon() fail with it. tide_trace_finish() frees the
 * writer even so. */
int tide_trace_put(struct tide_trace_writer *writer, const struct tide_event *event,
		   struct tide_error *err);
int tide_trace_put_batch(struct tide_trace_writer *writer, const struct tide_accesses *accesses,
			 struct tide_error *err);
int tide_trace_finish(struct tide_trace_writer *writer, struct tide_error *err);
int tide_trace_abandon(struct tide_trace_writer *writer); /* as tide_sim_close() */

/* ---- lists of policies, models and workloads ---- */

/* The i-th built-in policy, or NULL after the last. */
const struct tide_policy *tide_policy_at(size_t i);

struct tide_model_info {
	size_t size; /* sizeof(struct tide_model_info) */
	const char *name, *summary;
	struct tide_param
		params[64]; /* with this model's values; ends with a row whose name is NULL */
};

/* 0, or -ENOENT after the last; -EINVAL: info->size is 0. */
int tide_model_at(size_t i, struct tide_model_info *info);

struct tide_workload_info {
	size_t size; /* sizeof(struct tide_workload_info) */
	const char *name, *paper, *type, *summary;
	/* Both are for the default size and for pages of page_bytes, the paper's page size. 0: not
	 * known. The footprint counts what the paper counts: the arrays, or the touched pages. */
	uint64_t footprint_bytes, accesses;
	uint64_t published_bytes;        /* 0: no paper gives one */
	const struct tide_param *params; /* ends with a row whose name is NULL */
	uint64_t page_bytes;
	unsigned arrays; /* 0: a simple pattern */
	uint64_t touched_bytes;
};

/* 0, or -ENOENT after the last; -EINVAL: info->size is 0. */
int tide_workload_at(size_t i, struct tide_workload_info *info);

/* Rows of a shape. Their layouts never change, because a shape has arrays of them. */
struct tide_workload_array {
	char name[32];
	uint64_t bytes, base;
};

/* The launches of one kernel, with the minimum and maximum of grid (blocks) and block (threads). */
struct tide_workload_kernel {
	char name[32];
	uint64_t launches;
	uint32_t grid_x[2], grid_y[2], block_x[2], block_y[2];
};

/* The parts of a workload. Simple patterns have neither arrays nor kernels. */
struct tide_workload_shape {
	size_t size; /* sizeof(struct tide_workload_shape) */
	struct tide_workload_array *array;
	struct tide_workload_kernel *kernel; /* in the order of their first launches */
	size_t arrays, kernels;
	uint64_t launches;
	bool more;    /* the data decides how many further launches there are */
	bool regular; /* every kernel is a formula of block and thread */
	bool wave;    /* blocks advance in step, and a page is one event for all of them */
};

/* The shape of a workload such as "mvt:scale=0.1"; free it with tide_workload_free(). Makes the
 * data, but runs nothing. */
int tide_workload_describe(struct tide_workload_shape **out, const char *workload, const char *seed,
			   struct tide_error *err);
void tide_workload_free(struct tide_workload_shape *shape); /* NULL is fine */

struct tide_workload_measured {
	size_t size;                        /* sizeof(struct tide_workload_measured) */
	uint64_t accesses, footprint_bytes; /* as in struct tide_workload_info */
	double prepare_seconds, seconds;    /* processor time for the data and for the accesses */
	uint64_t touched_bytes, allocated_bytes; /* in whole pages; patterns allocate nothing */
};

/* Generates and counts all accesses. page NULL: the paper's page size. */
int tide_workload_measure(struct tide_workload_measured *out, const char *workload,
			  const char *page, const char *seed, tide_progress *progress, void *arg,
			  struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
