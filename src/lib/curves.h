/* What the files that make miss ratio curves share. */
#ifndef TD_LIB_CURVES_H
#define TD_LIB_CURVES_H

#include "lib.h"
#include "mrc/leu.h"

#define TD_LIB_POINTS_MAX 10000

/* A curve that is being made: the options, read from their texts, and what is known of the
 * input. */
struct td_lib_curve {
	const struct tide_mrc_options *options;
	struct td_lib_reading *reading; /* of several curves; NULL: this one reads for itself */
	const char *policy;
	uint64_t page_bytes, seed;
	double rate;               /* the share of the pages that is looked at; 1: exact */
	bool is_auto;              /* may mrc_runs.c choose the rate? */
	bool spool;                /* copy an input that cannot be opened again */
	struct td_lib_near *sizes; /* n of them; NULL: n points spread over the footprint */
	size_t n;
	struct td_trace_facts facts, given; /* of the input; as the program knows them */
	uint64_t object_bytes;              /* of all objects; 0: all pages are equal */
	const char *format;
	uint64_t learned[2]; /* by the policy, from traces: record.h */
	tide_progress *progress;
	void *arg;
};

int td_lib_curve_source(const struct td_lib_curve *c, struct td_trace_source **out,
			struct tide_error *err);

/* The points of a curve, which lie behind it in memory. */
static inline struct tide_mrc_point *td_lib_curve_at(struct tide_mrc *mrc)
{
	return (struct tide_mrc_point *)(void *)(mrc + 1);
}

/* The errors of its points lie behind those. They are part of the curve once they are asked for. */
static inline double *td_lib_curve_errors(struct tide_mrc *mrc)
{
	double *errors = (double *)(void *)(td_lib_curve_at(mrc) + mrc->n);
	mrc->errors = errors;
	return errors;
}

/* So do the prefix hits, of the points of an input with groups. */
static inline uint64_t *td_lib_curve_prefix_hits(struct tide_mrc *mrc)
{
	uint64_t *hits = (uint64_t *)(void *)(td_lib_curve_at(mrc) + mrc->n) + mrc->n;
	mrc->prefix_hits = hits;
	return hits;
}

/* And so do what objects with sizes have. */
static inline struct tide_mrc_object *td_lib_curve_objects(struct tide_mrc *mrc)
{
	void *at = (uint64_t *)(void *)(td_lib_curve_at(mrc) + mrc->n) + 2 * mrc->n;
	mrc->objects = at;
	return at;
}

/* mrc_points.c: the sizes for a footprint, ascending, each once; all else of the curve is 0. */
int td_lib_curve_points(const struct td_lib_curve *c, uint64_t footprint_pages,
			struct tide_mrc **out, struct tide_error *err);

/* mrc_leu.c: leu with statistics from another trace. No other policy has a table. */
struct td_lib_leu {
	struct tide_rit table;
	struct td_mrc_leu_config config;
	bool is_trained;
};
int td_lib_leu_learn(struct td_lib_leu *leu, struct td_lib_curve *c,
		     const struct td_policy_choice *choice, struct tide_error *err);
void td_lib_leu_free(struct td_lib_leu *leu);

/* Is this an input that cannot be opened again? */
bool td_lib_curve_read_once(const struct td_lib_curve *c);

/* mrc_runs.c: the sizes are lanes of a few passes, or runs of their own. */
int td_lib_curve_runs(struct td_lib_curve *c, struct tide_mrc **out, struct tide_error *err);

#endif
