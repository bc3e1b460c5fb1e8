/* What the pager keeps of every chunk: as little as the pager it is can do with, for there are
 * many. */
#include "lanes.h"
#include "pager.h"

#include <errno.h>
#include <sys/mman.h>

/* An eager page may count as changed and not be: that is not for a file. */
static bool has_lane(const struct td_pager *p, enum td_pager_lane lane)
{
	switch (lane) {
	case LANE_STORED: return p->store;
	case LANE_SWAPPED: return p->has_storage;
	case LANE_STALE: return p->mapping->lanes & 1 << lane;
	case LANE_EAGER: return p->mapping->lanes & 1 << lane && !p->has_storage;
	default: return true;
	}
}

static void publish(struct td_pager *p)
{
	size_t stride = p->lanes.item_bytes;
	unsigned char *at = p->lanes.at;
	for (enum td_pager_lane i = 0; i < LANES; i++) {
		bool has = has_lane(p, i);
		p->lane[i] = has ? (struct td_lane_at){at, stride}
				 : (struct td_lane_at){(unsigned char *)&p->no_lane, 0};
		at += has ? p->lane_bytes : 0;
	}
}

static void init_lanes(struct td_pager *p)
{
	size_t n = 0;
	for (enum td_pager_lane i = 0; i < LANES; i++)
		n += has_lane(p, i);
	tide_vec_init(&p->lanes, n * p->lane_bytes);
}

void td_pager_open_lanes(struct td_pager *p)
{
	bool queues = p->engine->tiers.on || p->config.host_pages != UINT64_MAX;
	p->lane_bytes = p->engine->near.lane_bytes;
	init_lanes(p);
	tide_vec_init(&p->states, 1);
	tide_vec_init(&p->queue.blocks, queues ? sizeof(uint32_t) : 0);
}

int td_pager_reserve_chunks(struct td_pager *p, uint64_t chunks)
{
	int rc = tide_vec_reserve(&p->lanes, chunks);
	if (!rc)
		rc = tide_vec_reserve(&p->states, chunks);
	if (!rc)
		rc = td_ages_reserve(&p->queue, chunks);
	if (!rc)
		rc = tide_vec_reserve(&p->linger.room, chunks);
	/* Most of it is never used. */
	if (!rc)
		madvise(p->linger.room.at, p->linger.room.mapped_bytes, MADV_NOHUGEPAGE);
	if (p->lanes.at)
		publish(p);
	return rc;
}

static void copy_lanes(struct td_pager *p, const struct td_lane_at *was, uint32_t chunk)
{
	for (enum td_pager_lane i = 0; i < LANES; i++) {
		uint64_t bits = 0;
		memcpy(&bits, was[i].at + (size_t)chunk * was[i].stride, p->lane_bytes);
		if (bits)
			td_pager_put(p, chunk, i, bits);
	}
	if (td_pager_get(p, chunk, LANE_MAPPED))
		td_pager_put(p, chunk, LANE_STALE, td_pager_get(p, chunk, LANE_MAPPED));
}

int td_pager_change_lanes(struct td_pager *p, const struct td_mapping *mapping)
{
	const struct td_mapping *mapping_was = p->mapping;
	struct tide_vec lanes_were = p->lanes;
	struct td_lane_at was[LANES];
	memcpy(was, p->lane, sizeof was);
	p->mapping = mapping;
	init_lanes(p);
	if (tide_vec_reserve(&p->lanes, p->numbers / p->chunk_pages)) {
		p->mapping = mapping_was;
		p->lanes = lanes_were;
		return -ENOMEM;
	}
	if (!p->lanes.at)
		return 0; /* nothing is mapped yet */
	publish(p);
	for (uint32_t c = 0; c < p->numbers / p->chunk_pages; c++)
		copy_lanes(p, was, c);
	tide_vec_free(&lanes_were);
	return 0;
}

void td_pager_close_lanes(struct td_pager *p)
{
	tide_vec_free(&p->lanes);
	tide_vec_free(&p->states);
	tide_vec_free(&p->queue.blocks);
	tide_vec_free(&p->linger.room);
}

uint64_t td_pager_state_bytes(const struct td_pager *p)
{
	return p->lanes.mapped_bytes + p->states.mapped_bytes + p->queue.blocks.mapped_bytes +
	       p->linger.reached * sizeof(uint32_t);
}
