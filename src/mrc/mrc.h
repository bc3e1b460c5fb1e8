/* Miss ratio curves: what a cache of every size would have missed, from one pass over the accesses.
 *
 *     accesses -> sample (all pages, or some by hash) -> a method -> misses of any size
 *
 * A method keeps what its policy would need for all sizes at once: lru, opt and leu are stack
 * algorithms (the pages of a size are among those of every larger one), so that one distance per
 * access tells in which sizes it hits; vmin and osl follow from intervals of reuse. Pages are
 * single here: no chunks, no prefetch. */
#ifndef TD_MRC_MRC_H
#define TD_MRC_MRC_H

#include <stddef.h>

#include "tide/error.h"
#include "tide/event.h"

/* Accesses that a method is to look at, of one batch. */
struct td_mrc_accesses {
	uint64_t before; /* accesses of the input before this batch */
	uint32_t n;
	const uint64_t *page, *ref;
	const uint16_t *at; /* where in the batch each of them was */
};

struct td_mrc_point {
	double pages; /* a sample has sizes that are not whole */
	uint64_t misses;
	double ratio;
};

struct td_mrc_method {
	const char *policy; /* that it gives the curve of */
	size_t bytes;       /* of self, zero at first */
	int (*create)(void *self, const void *config, struct tide_error *err);
	int (*see)(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err);
	/* After the last of all accesses of the input, looked at or not: fills misses of the
	 * points, whose sizes ascend, and, where not all of a size was used, what was. Once. */
	int (*answer)(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		      struct tide_error *err);
	uint64_t (*pages)(const void *self); /* distinct ones */
	void (*destroy)(void *self); /* of a self that create has seen, whatever came of it */
};

extern const struct td_mrc_method td_mrc_lru, td_mrc_opt, td_mrc_vmin, td_mrc_osl;

struct td_mrc;

/* rate: the share of pages to look at, above 0; 1 is all of them. config is the method's. */
int td_mrc_open(struct td_mrc **out, const struct td_mrc_method *method, const void *config,
		double rate, struct tide_error *err);
int td_mrc_batch(struct td_mrc *m, const struct tide_batch *batch, struct tide_error *err);
void td_mrc_close(struct td_mrc *m); /* NULL is fine */

uint64_t td_mrc_accesses(const struct td_mrc *m);
uint64_t td_mrc_sampled(const struct td_mrc *m);   /* accesses looked at */
uint64_t td_mrc_footprint(const struct td_mrc *m); /* estimated, where pages were left out */

/* The curve at n sizes, ascending; pages becomes what was used of them. Once, after the last batch.
 * doubt, of a sampled curve: how far its miss ratios are off in the mean, estimated from how far
 * two halves of the sample differ; else 0. */
int td_mrc_measure(struct td_mrc *m, struct td_mrc_point *at, size_t n, double *doubt,
		   struct tide_error *err);

#endif
