/* tide advise: is it the policy or the size?
 *
 *     sample.c    one pass over the input: a sample of its accesses in memory, and its working sets
 *     tries.c     which policies and sizes are tried
 *     measure.c   runs of policies and sizes over the sample, part by part
 *     judge.c     knees of a curve, and the verdict: numbers in, numbers out
 *     show.c      the page for people, and the JSON document
 *     advise.c    the verb
 */
#ifndef TD_CLI_ADVISE_H
#define TD_CLI_ADVISE_H

#include "cli/braces.h"
#include "cli/cli.h"
#include "core/event.h"
#include "trace/source.h"

#define TD_ADVISE_PARTS 10 /* of equal length; what is chosen on some is judged on others */
#define TD_ADVISE_SIZES 24 /* points of the curve */
#define TD_ADVISE_POLICIES 128

/* ---- sample.c ---- */

struct td_advise_access {
	struct td_event event;
	uint64_t time; /* its number among all accesses of the input, from 0 */
	bool first;    /* it begins a group */
};

/* All accesses to pages with a hash below the bound. When they are too many, the bound is halved
 * and the pages above it are forgotten, so the sample is the same whatever the machine. */
struct td_advise_sample {
	struct td_advise_access *at;
	size_t n, room;
	uint64_t bound;    /* of tide_hash64(page); UINT64_MAX: all pages */
	double rate;       /* share of the pages */
	uint64_t accesses; /* of the input */
	uint64_t pages;    /* distinct pages of the input; of a sample: estimated */
	uint64_t working_set[TD_ADVISE_PARTS]; /* distinct pages of each part, likewise */
	const char *format;
	bool marks; /* it is a record of tide run */
	/* The input has groups, and all of it is in memory: a sample of pages has no whole groups.
	 */
	bool groups;
};

int td_advise_read(struct td_advise_sample *s, struct td_trace_source *source, size_t most,
		   struct td_cli_progress *progress, struct tide_error *err);
void td_advise_free(struct td_advise_sample *s);
/* The part that an access of the sample belongs to. */
unsigned td_advise_part(const struct td_advise_sample *s, uint64_t time);

/* ---- measure.c ---- */

struct td_advise_run {
	const char *policy;
	uint64_t near_pages; /* of the input, not of the sample */
	/* What came of it. */
	int rc;
	struct tide_error err;
	uint64_t misses[TD_ADVISE_PARTS]; /* with groups: accesses that are no prefix hits */
	uint64_t evicted_pages;
	/* The accesses that a sample of this rate has on average. What it has more or less than
	 * that is a matter of hot pages, which hit. */
	double accesses;
};

/* tries.c: the runs to make, into arrays of TD_ADVISE_POLICIES and TD_ADVISE_SIZES; how many.
 * Without given policies, all that need no future. The sizes are today's, the footprint, and sizes
 * below it, each 0.7 of the one above. */
size_t td_advise_candidates(const struct td_cli_axis *given, const struct td_advise_run *now,
			    struct td_advise_run *out);
size_t td_advise_sizes(const struct td_advise_sample *s, const struct td_advise_run *now,
		       struct td_advise_run *out);

/* Every run over the whole sample, several at a time. A run that cannot be made has its rc and err.
 */
void td_advise_measure(const struct td_advise_sample *s, const char *seed, size_t jobs,
		       struct td_advise_run *runs, size_t n, struct td_cli_progress *progress);
uint64_t td_advise_misses(const struct td_advise_run *run);   /* of all parts */
double td_advise_miss_ratio(const struct td_advise_run *run); /* of all parts */

/* ---- judge.c ---- */

struct td_advise_point {
	uint64_t pages;
	double miss_ratio;
};

/* Knees of a curve of ascending sizes: sizes before which a page saves at least four times as many
 * misses as after. Nothing is saved after the last size. Returns how many there are, at most
 * `most`, ascending. */
size_t td_advise_knees(const struct td_advise_point *curve, size_t n, uint64_t *knees, size_t most);

/* The share of misses that `better` saves, and how far the parts agree: twice the standard error.
 * Looks at the parts of `which`, a bitmap. */
struct td_advise_saving {
	double share, error;
};
struct td_advise_saving td_advise_saving(const struct td_advise_run *now,
					 const struct td_advise_run *better, unsigned which);

/* The run with the fewest misses in the parts of `which`; SIZE_MAX: none worked. */
size_t td_advise_best(const struct td_advise_run *runs, size_t n, unsigned which);

enum td_advise_verdict {
	TD_ADVISE_FITS,    /* all pages fit: nothing can be saved */
	TD_ADVISE_SHORT,   /* the trace is too short to judge by */
	TD_ADVISE_POLICY,  /* another policy saves */
	TD_ADVISE_SIZE,    /* more memory saves */
	TD_ADVISE_NEITHER, /* neither saves much */
	TD_ADVISE_PARTIAL, /* the record of a run has not all accesses */
};

/* What a verdict is made from. */
struct td_advise_case {
	bool is_partial;
	uint64_t near_pages, evicted_pages;
	struct td_advise_saving policy; /* of the best candidate */
	uint64_t knee_pages;            /* the next knee above near memory; 0: none */
	double knee_saves;              /* share of misses that it saves */
};

#define TD_ADVISE_WORTH 0.05 /* a share of misses that is worth a change */
#define TD_ADVISE_REACH 4    /* more memory means at most so many times as much */

enum td_advise_verdict td_advise_judge(const struct td_advise_case *c);

/* The size at which the curve has so low a miss ratio, between its points; 0: it never has. */
uint64_t td_advise_size_for(const struct td_advise_point *curve, size_t n, double miss_ratio);

/* ---- show.c ---- */

struct td_advice {
	const char *input; /* a trace or a workload, as it was given */
	bool is_trace;
	const char *format, *columns, *page; /* as they were given, or NULL */
	const struct td_advise_sample *sample;
	uint64_t page_bytes;
	bool near_given;
	const struct td_advise_run *now;               /* today's policy and size */
	const struct td_advise_run *runs;              /* candidates */
	size_t runs_n, best;                           /* best: SIZE_MAX if there is none */
	struct td_advise_point curve[TD_ADVISE_SIZES]; /* of today's policy */
	struct td_advise_point opt[TD_ADVISE_SIZES];
	size_t points;
	double opt_miss_ratio; /* at today's size */
	uint64_t knees[4];
	size_t knees_n;
	struct td_advise_case facts;
	enum td_advise_verdict verdict;
	uint64_t worth_pages; /* today's policy needs so much memory to be as good as the best; 0:
				 no size */
};

int td_advise_show(const struct td_advice *a, struct tide_error *err);
json_t *td_advise_json(const struct td_advice *a);

#endif
