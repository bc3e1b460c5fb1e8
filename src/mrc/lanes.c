#include "lane.h"

#include <string.h>

const struct td_mrc_method *td_mrc_lanes_method(const char *policy)
{
	static const struct td_mrc_method *const all[] = {&td_mrc_arc, &td_mrc_lfu, &td_mrc_s3fifo};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (!strcmp(all[i]->policy, policy))
			return all[i];
	}
	return NULL;
}

int td_mrc_lanes_init(struct td_mrc_lanes *l, const struct td_mrc_lanes_config *config,
		      struct tide_error *err)
{
	unsigned n = config->n;
	l->counts.n = n;
	l->counts.all = n < TD_MRC_LANES ? TD_MRC_LANE_BIT(n) - 1 : UINT64_MAX;
	for (unsigned i = 0; i < n; i++) {
		uint64_t pages = config->near_pages[i];
		l->near[i] = pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
	}
	return tide_map_init(&l->numbers.map, 0) ? td_mrc_no_memory(err) : 0;
}

void td_mrc_lanes_free(struct td_mrc_lanes *l)
{
	tide_map_free(&l->numbers.map);
}

void td_mrc_lanes_end_group(struct td_mrc_lane_counts *c)
{
	for (uint64_t all = c->in_prefix; all;)
		c->prefix_hits[td_mrc_lane_next(&all)] += c->group_at;
	c->in_prefix = c->all;
	c->group_at = 0;
}

int td_mrc_lanes_answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
			struct tide_error *err)
{
	struct td_mrc_lanes *l = self;
	(void)err;
	td_mrc_lanes_end_group(&l->counts);
	for (size_t i = 0; i < n && i < l->counts.n; i++) {
		at[i].misses = l->counts.misses[i];
		at[i].prefix_misses = accesses - l->counts.prefix_hits[i];
	}
	return 0;
}

uint64_t td_mrc_lanes_pages(const void *self)
{
	return ((const struct td_mrc_lanes *)self)->numbers.map.n;
}
