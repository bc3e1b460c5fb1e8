/* The four bitmaps of a chunk, in and out of the engine's packed records (struct tide_near). */
#ifndef TD_ENGINE_LANES_H
#define TD_ENGINE_LANES_H

#include <stdint.h>
#include <string.h>

struct td_lanes {
	uint64_t resident, touched, dirty, armed;
};

/* Small records are one word: one load, and shifts. Little-endian, as all of tide's state. */
static inline struct td_lanes td_lanes_load(const unsigned char *record, uint32_t lane_bytes)
{
	if (lane_bytes == 1) {
		uint32_t w;
		memcpy(&w, record, sizeof w);
		return (struct td_lanes){w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff, w >> 24};
	}
	if (lane_bytes == 2) {
		uint64_t w;
		memcpy(&w, record, sizeof w);
		return (struct td_lanes){w & 0xffff, w >> 16 & 0xffff, w >> 32 & 0xffff, w >> 48};
	}
	if (lane_bytes == 4) {
		uint32_t w[4];
		memcpy(w, record, sizeof w);
		return (struct td_lanes){w[0], w[1], w[2], w[3]};
	}
	struct td_lanes l;
	memcpy(&l, record, sizeof l);
	return l;
}

static inline void td_lanes_store(unsigned char *record, uint32_t lane_bytes, struct td_lanes l)
{
	if (lane_bytes == 1) {
		uint32_t w =
			(uint32_t)(l.resident | l.touched << 8 | l.dirty << 16 | l.armed << 24);
		memcpy(record, &w, sizeof w);
	} else if (lane_bytes == 2) {
		uint64_t w = l.resident | l.touched << 16 | l.dirty << 32 | l.armed << 48;
		memcpy(record, &w, sizeof w);
	} else if (lane_bytes == 4) {
		uint32_t w[4] = {(uint32_t)l.resident, (uint32_t)l.touched, (uint32_t)l.dirty,
				 (uint32_t)l.armed};
		memcpy(record, w, sizeof w);
	} else {
		memcpy(record, &l, sizeof l);
	}
}

/* Set bits. Without -mpopcnt the builtin is a call; most chunks of most runs are one page. */
static inline uint64_t td_lanes_count(uint64_t x)
{
	if (x <= 1)
		return x;
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return x * UINT64_C(0x0101010101010101) >> 56;
}

#endif
