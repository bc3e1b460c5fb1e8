/* The lanes and the state of a chunk, by its index; the lock is held. lanes.c has their memory. */
#ifndef TD_UFFD_LANES_H
#define TD_UFFD_LANES_H

#include "engine/lanes.h"
#include "pager.h"

void td_pager_open_lanes(struct td_pager *p);
/* State for so many chunks. */
int td_pager_reserve_chunks(struct td_pager *p, uint64_t chunks);
/* Those of another mapping, with what they say; pages that are mapped are nowhere else. */
int td_pager_change_lanes(struct td_pager *p, const struct td_mapping *mapping);
void td_pager_close_lanes(struct td_pager *p);
uint64_t td_pager_state_bytes(const struct td_pager *p);

static inline unsigned char *td_pager_lane(struct td_pager *p, uint32_t c, enum td_pager_lane lane)
{
	return p->lane[lane].at + (size_t)c * p->lane[lane].stride;
}

/* Fixed sizes, so that they are loads and stores. */
static inline uint64_t td_pager_get(struct td_pager *p, uint32_t c, enum td_pager_lane lane)
{
	const unsigned char *at = td_pager_lane(p, c, lane);
	uint64_t bits = 0;
	switch (p->lane_bytes) {
	case 1: return *at;
	case 2: memcpy(&bits, at, 2); return bits;
	case 4: memcpy(&bits, at, 4); return bits;
	default: memcpy(&bits, at, 8); return bits;
	}
}

static inline void td_pager_put(struct td_pager *p, uint32_t c, enum td_pager_lane lane,
				uint64_t bits)
{
	unsigned char *at = td_pager_lane(p, c, lane);
	switch (p->lane_bytes) {
	case 1: *at = (unsigned char)bits; break;
	case 2: memcpy(at, &bits, 2); break;
	case 4: memcpy(at, &bits, 4); break;
	default: memcpy(at, &bits, 8); break;
	}
}

static inline void td_pager_set(struct td_pager *p, uint32_t c, enum td_pager_lane lane,
				uint64_t bits)
{
	td_pager_put(p, c, lane, td_pager_get(p, c, lane) | bits);
}

static inline void td_pager_clear(struct td_pager *p, uint32_t c, enum td_pager_lane lane,
				  uint64_t bits)
{
	td_pager_put(p, c, lane, td_pager_get(p, c, lane) & ~bits);
}

static inline uint8_t *td_pager_state(struct td_pager *p, uint32_t c)
{
	return &p->states.at[c];
}

static inline struct td_lanes td_pager_engine_lanes(struct td_pager *p, uint32_t c)
{
	return td_lanes_load(td_engine_record(p->engine, c), p->engine->near.lane_bytes);
}

#endif
