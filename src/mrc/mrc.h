/* Miss ratio curves: what a cache of every size would have missed, from one pass over the accesses.
 *
 *     accesses -> sample (all pages, or some by hash) -> a method -> misses of any size
 *
 * A method keeps what its policy needs for all sizes at once. lru, opt and leu are stack
 * algorithms: a larger cache holds all pages of a smaller one. So one distance per access tells in
 * which sizes the access hits. The curves of vmin and osl follow from the reuse intervals. Chunks
 * have one page here, and there is no prefetch. */
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
	const uint8_t
		*first; /* 1: begins a group. NULL: there are none, or only some pages are seen */
};

struct td_mrc_point {
	double pages; /* a sample has sizes that are not whole */
	uint64_t misses;
	double ratio;
	double error;           /* estimated, of the ratio of a sample */
	uint64_t prefix_misses; /* accesses at or behind the first miss of their group */
};

struct td_mrc_method {
	const char *policy; /* that it gives the curve of */
	bool groups;        /* it gives prefix misses */
	size_t bytes;       /* of self, zero at first */
	int (*create)(void *self, const void *config, struct tide_error *err);
	int (*see)(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err);
	/* Called once, after the last access of the input. Fills the misses of the points, whose
	 * sizes ascend. If the method did not use all of a size, sets the size that it used. */
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

/* The curve at n ascending sizes. Sets the pages of each point to the size that was used. Call it
 * once, after the last batch. The error of each point is half of the difference between two halves
 * of the sample, 0 if there is no sample; doubt is the mean of the errors. */
int td_mrc_measure(struct td_mrc *m, struct td_mrc_point *at, size_t n, double *doubt,
		   struct tide_error *err);

#endif
