/* Curves of policies that are no stack algorithms, in one pass for up to 64 sizes. Each size is a
 * lane, a cache of its own. What a page is in every lane are bits of a few words, one bit per lane:
 *
 *     page 7   resident  ..1111111        lane 0 is the lowest bit
 *              often     ..0011000
 *
 * So an access is judged for all lanes at once, and only lanes that miss take a step each. The
 * rules of each policy are those of policies/evict, where chunks have one page. */
#ifndef TD_MRC_LANES_H
#define TD_MRC_LANES_H

#include "mrc.h"
#include "tide/param.h"

#define TD_MRC_LANES 64u

/* The config of these methods. td_mrc_measure() then gives the misses of these sizes, whatever the
 * sizes of its points; there are as many points, and the rate is 1. */
struct td_mrc_lanes_config {
	unsigned n; /* 1 to TD_MRC_LANES */
	uint64_t near_pages[TD_MRC_LANES];
	const union tide_value *values; /* the policy's parameters */
};

/* The method of a policy, NULL: it has none. */
const struct td_mrc_method *td_mrc_lanes_method(const char *policy);

/* The memory of a pass per page of the input, and of a lane per page that it holds, about. */
#define TD_MRC_PAGE_BYTES 128u
#define TD_MRC_LANE_BYTES 16u

extern const struct td_mrc_method td_mrc_arc, td_mrc_lfu, td_mrc_s3fifo;

#endif
