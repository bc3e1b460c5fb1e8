/* Whether the books agree: of one chunk, of some, of all. Builds with assertions ask at the ends of
 * calls, tests all the time. */
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "pager.h"
#include "space.h"

#include <errno.h>

#define AT_ONCE 16 /* chunks */

struct sums {
	uint64_t held, linger, tier2, swapped, packed, packed_near, lingering, queued;
};

/* Adds what the chunk has to the sums. */
static const char *check_chunk(struct td_pager *p, uint32_t c, struct sums *s)
{
	uint64_t lane[LANES];
	for (enum td_pager_lane i = 0; i < LANES; i++)
		lane[i] = td_pager_get(p, c, i);
	struct td_lanes l = td_pager_engine_lanes(p, c);
	uint8_t state = *td_pager_state(p, c);
	uint64_t tier2 = td_pager_in_tier2(p, c);
	s->held += td_lanes_count(lane[LANE_HELD]);
	s->linger += td_lanes_count(lane[LANE_LINGER]);
	s->tier2 += td_lanes_count(tier2);
	s->swapped += td_lanes_count(lane[LANE_SWAPPED]);
	s->packed += td_lanes_count(lane[LANE_STORED]);
	s->packed_near += td_lanes_count(lane[LANE_STORED] & l.resident);
	s->lingering += (state & CHUNK_LINGERS) != 0;
	s->queued += (state & CHUNK_QUEUED) != 0;
	if (state & CHUNK_BUSY)
		return "a chunk is busy";
	if (lane[LANE_MAPPED] & ~lane[LANE_HELD])
		return "a page is mapped and not held";
	if (lane[LANE_WRITABLE] & ~(lane[LANE_MAPPED] & lane[LANE_DIRTY]))
		return "a page can be written that is not mapped or not dirty";
	if (lane[LANE_STALE] & ~lane[LANE_MAPPED])
		return "a page that is not mapped is not in the view";
	if (lane[LANE_STORED] & lane[LANE_HELD])
		return "a page is in two tiers";
	if (lane[LANE_MAPPED] & ~l.resident & ~lane[LANE_LINGER])
		return "a page is mapped that is not near";
	if (lane[LANE_LINGER] & (l.resident | ~lane[LANE_HELD]))
		return "a page lingers that is near, or not held";
	if (!lane[LANE_LINGER] != !(state & CHUNK_LINGERS))
		return "a chunk lingers without a page, or the other way round";
	if (tier2 && !(state & (CHUNK_QUEUED | CHUNK_LINGERS)) && p->queue.blocks.item_bytes &&
	    !p->engine->tiers.on)
		return "a chunk of tier 2 is in no list";
	return NULL;
}

static const char *compare(struct td_pager *p, const struct sums *s)
{
	struct td_store_use use = {0};
	if (p->store)
		td_store_use(p->store, &use);
	if (s->held != p->held_pages)
		return "the sum of held pages is wrong";
	if (s->linger != p->linger_pages || s->lingering != p->linger.n)
		return "the sum of lingering pages is wrong";
	if (s->tier2 != p->tier2_pages)
		return "the sum of pages in tier 2 is wrong";
	if (s->swapped != p->swapped_pages)
		return "the sum of pages in the storage is wrong";
	if (s->packed != use.pages || s->packed_near != p->packed_near)
		return "the sum of packed pages is wrong";
	if (s->queued != p->queue.n)
		return "the queue of tier 2 is wrong";
	return NULL;
}

int td_pager_check_chunk(struct td_pager *p, uint32_t chunk)
{
	struct sums s = {0};
	return !(*td_pager_state(p, chunk) & CHUNK_BUSY) && check_chunk(p, chunk, &s) ? -EINVAL : 0;
}

int td_pager_check_some(struct td_pager *p)
{
	uint32_t chunks = p->engine->near.chunks, n = chunks < AT_ONCE ? chunks : AT_ONCE;
	int rc = p->linger_pages > p->held_pages ? -EINVAL : 0;
	for (; n && !rc; n--)
		rc = td_pager_check_chunk(p, p->check_hand++ % chunks);
	return rc;
}

int td_pager_check_all(struct td_pager *p)
{
	return td_pager_check(p) ? -EINVAL : 0;
}

const char *td_pager_check(struct td_pager *p)
{
	struct sums s = {0};
	const char *why = NULL;
	struct td_pager_caller saved;
	td_pager_enter(p, &saved);
	/* Whoever was served may go on before the server is done; and some read ahead. */
	td_pager_await_range(p, 0, (uint64_t)p->engine->near.chunks * p->chunk_pages);
	for (uint32_t c = 0; c < p->engine->near.chunks && !why; c++)
		why = check_chunk(p, c, &s);
	if (!why)
		why = compare(p, &s);
	td_pager_leave(p, &saved);
	return why;
}
