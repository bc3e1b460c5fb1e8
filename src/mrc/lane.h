/* What the methods of lanes.h share: their lanes, and the way of an access through them. */
#ifndef TD_MRC_LANE_H
#define TD_MRC_LANE_H

#include "lanes.h"
#include "numbers.h"

struct td_mrc_lane_counts {
	uint64_t misses[TD_MRC_LANES];
	uint64_t all; /* the bits of the lanes that there are */
	unsigned n;
	/* Of inputs with groups: lanes that have had all of the present group so far, and how far
	 * that is. */
	uint64_t in_prefix, group_at;
	uint64_t prefix_hits[TD_MRC_LANES];
};

/* Must be the first member of a method's own state. */
struct td_mrc_lanes {
	struct td_mrc_numbers numbers; /* by the order of the first accesses */
	struct td_mrc_lane_counts counts;
	uint32_t near[TD_MRC_LANES]; /* pages; UINT32_MAX: never full */
};

/* 0, or -ENOMEM with the error filled. */
int td_mrc_lanes_init(struct td_mrc_lanes *l, const struct td_mrc_lanes_config *config,
		      struct tide_error *err);
void td_mrc_lanes_free(struct td_mrc_lanes *l);
void td_mrc_lanes_end_group(struct td_mrc_lane_counts *c);

/* These two are members of the methods. */
int td_mrc_lanes_answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
			struct tide_error *err);
uint64_t td_mrc_lanes_pages(const void *self);

#define TD_MRC_LANE_BIT(lane) (UINT64_C(1) << (lane))

/* Takes the lowest lane out of a set that is not empty. */
static inline unsigned td_mrc_lane_next(uint64_t *lanes)
{
	unsigned lane = (unsigned)__builtin_ctzll(*lanes);
	*lanes &= *lanes - 1;
	return lane;
}

static inline void td_mrc_lanes_prefix(struct td_mrc_lane_counts *c, bool first, uint64_t missed)
{
	if (first)
		td_mrc_lanes_end_group(c);
	for (uint64_t ends = c->in_prefix & missed; ends;)
		c->prefix_hits[td_mrc_lane_next(&ends)] += c->group_at;
	c->in_prefix &= ~missed;
	c->group_at++;
}

/* Goes over a batch whose pages have their numbers. touch() returns the lanes that miss. */
__attribute__((always_inline)) static inline void
td_mrc_lanes_go(struct td_mrc_lanes *l, const struct td_mrc_accesses *a,
		void (*expect)(void *self, uint32_t page),
		uint64_t (*touch)(void *self, uint32_t page))
{
	const uint32_t *index = l->numbers.index;
	for (uint32_t i = 0; i < a->n; i++) {
		expect(l, index[i + TD_MRC_AHEAD]);
		uint64_t missed = touch(l, index[i]);
		if (__builtin_expect(a->first != NULL, 0))
			td_mrc_lanes_prefix(&l->counts, a->first[i], missed);
	}
}

#endif
