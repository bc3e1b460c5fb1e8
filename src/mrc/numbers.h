/* Dense numbers for pages, and what was counted per distance. */
#ifndef TD_MRC_NUMBERS_H
#define TD_MRC_NUMBERS_H

#include <errno.h>

#include "mrc.h"
#include "tide/map.h"

#define TD_MRC_AHEAD 16 /* accesses whose state is asked for before they come */

struct td_mrc_numbers {
	struct tide_map map;
	/* Of the last batch; what lies after it is some number given before. */
	uint32_t index[TIDE_BATCH + 2 * TD_MRC_AHEAD];
};

int td_mrc_number(struct td_mrc_numbers *numbers, const struct td_mrc_accesses *accesses,
		  struct tide_error *err);

static inline int td_mrc_no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "no memory for so many pages: give `sample` 0.01");
}

static inline int td_mrc_too_long(const char *policy, struct tide_error *err)
{
	return tide_fail(err, -EFBIG,
			 "the curve of %s takes an input of at most 4 billion accesses: cut it",
			 policy);
}

/* Accesses by their distance: the number of other pages that a cache must hold for a hit. */
struct td_mrc_hist {
	struct tide_vec counts; /* uint64_t */
	uint64_t n;             /* distances there is room for */
	uint64_t first;         /* accesses to a page not seen before */
};

void td_mrc_hist_init(struct td_mrc_hist *h);
void td_mrc_hist_free(struct td_mrc_hist *h);
int td_mrc_hist_reserve(struct td_mrc_hist *h, uint64_t n);

static inline uint64_t *td_mrc_hist_counts(const struct td_mrc_hist *h)
{
	return (uint64_t *)(void *)h->counts.at;
}

/* The misses of the points; the counts become sums. */
void td_mrc_hist_answer(struct td_mrc_hist *h, struct td_mrc_point *at, size_t n);

#endif
