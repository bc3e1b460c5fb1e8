/* What the runs of a curve go over: all accesses of an input, or samples of its pages. */
#ifndef TD_LIB_SAMPLES_H
#define TD_LIB_SAMPLES_H

#include "curves.h"
#include "kept.h"

struct td_lib_samples {
	unsigned n;               /* 1: all of the input is one, and the curve is exact */
	struct td_lib_kept *kept; /* n of them; NULL: the input is too long, each run reads it */
	uint64_t accesses;        /* in all of them */
	double rate;              /* the share of the pages that is in one of them */
	uint64_t groups;          /* of the input, so far */
	bool objects;             /* with their sizes and costs */
	bool lanes;               /* many sizes in one pass: samples may be larger */
};

/* How many samples, and where the caller left it to tide, the curve's rate. */
int td_lib_samples_choose(struct td_lib_samples *s, struct td_lib_curve *c, uint64_t accesses,
			  uint64_t pages, struct tide_error *err);
/* Reads them. accesses: of the input, as far as is known. */
int td_lib_samples_take(struct td_lib_samples *s, struct td_trace_source *source, uint64_t accesses,
			struct tide_error *err);
void td_lib_samples_free(struct td_lib_samples *s);

#endif
