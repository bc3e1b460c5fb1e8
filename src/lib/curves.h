/* Between the files that make miss ratio curves. */
#ifndef TD_LIB_CURVES_H
#define TD_LIB_CURVES_H

#include "lib.h"
#include "mrc/leu.h"

#define TD_LIB_POINTS_MAX 10000

/* A curve being made: what was asked for, read from its texts, and what is known of the input. */
struct td_lib_curve {
	const struct tide_mrc_options *options;
	const char *policy;
	uint64_t page_bytes, seed;
	double rate;
	struct td_lib_near *sizes; /* n of them; NULL: n points spread over the footprint */
	size_t n;
	struct td_trace_facts facts, given; /* of the input; as the program knows them */
	const char *format;
	tide_progress *progress;
	void *arg;
};

int td_lib_curve_source(const struct td_lib_curve *c, struct td_trace_source **out,
			struct tide_error *err);

/* Its points, which lie behind it. */
static inline struct tide_mrc_point *td_lib_curve_at(struct tide_mrc *mrc)
{
	return (struct tide_mrc_point *)(void *)(mrc + 1);
}

/* The sizes for a footprint, ascending, each once; all else of the curve is 0. */
int td_lib_curve_points(const struct td_lib_curve *c, uint64_t footprint_pages,
			struct tide_mrc **out, struct tide_error *err);

/* mrc_leu.c: leu with statistics from another trace. A policy that is no such leu has no table. */
struct td_lib_leu {
	struct tide_rit table;
	struct td_mrc_leu_config config;
	bool is_trained;
};
int td_lib_leu_learn(struct td_lib_leu *leu, const struct td_lib_curve *c,
		     const struct td_policy_choice *choice, struct tide_error *err);
void td_lib_leu_free(struct td_lib_leu *leu);

/* An input that cannot be opened again. */
bool td_lib_curve_read_once(const struct td_lib_curve *c);

/* mrc_runs.c: every size is a run of its own. */
int td_lib_curve_runs(struct td_lib_curve *c, struct tide_mrc **out, struct tide_error *err);

#endif
