/* The books: what the engine decides becomes lanes, lists and sums. The lock is held, and nothing
 * moves here. */
#include "core/assert.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "pager.h"
#include "threads.h"

/* ---- lists of chunks ---- */

void td_pager_put_in_queue(struct td_pager *p, uint32_t chunk)
{
	td_assert(!(*td_pager_state(p, chunk) & (CHUNK_QUEUED | CHUNK_LINGERS)));
	td_ages_put(&p->queue, p->states.at, p->engine->near.chunks, chunk, CHUNK_QUEUED);
}

void td_pager_take_from_queue(struct td_pager *p, uint32_t chunk)
{
	td_assert(p->queue.n && *td_pager_state(p, chunk) & CHUNK_QUEUED);
	td_ages_take(&p->queue, p->states.at, chunk, CHUNK_QUEUED);
}

uint64_t td_pager_in_tier2(struct td_pager *p, uint32_t chunk)
{
	uint64_t near =
		td_pager_engine_lanes(p, chunk).resident | td_pager_get(p, chunk, LANE_LINGER);
	return (td_pager_get(p, chunk, LANE_HELD) | td_pager_get(p, chunk, LANE_STORED)) & ~near;
}

/* Nobody has to leave a tier 2 without a limit; with a placement policy the engine has the queue.
 */
static bool has_queue(const struct td_pager *p)
{
	return p->queue.blocks.item_bytes && !p->engine->tiers.on;
}

/* A chunk of which pages linger comes into the queue when they have left. */
static void enqueue(struct td_pager *p, uint32_t chunk)
{
	if (has_queue(p) && !(*td_pager_state(p, chunk) & (CHUNK_QUEUED | CHUNK_LINGERS)))
		td_pager_put_in_queue(p, chunk);
}

void td_pager_spill(struct td_pager *p, uint32_t chunk)
{
	if (!(*td_pager_state(p, chunk) & (CHUNK_QUEUED | CHUNK_LINGERS)))
		td_pager_put_in_queue(p, chunk);
}

void td_pager_requeue(struct td_pager *p, uint32_t chunk)
{
	bool queued = *td_pager_state(p, chunk) & CHUNK_QUEUED;
	bool wanted = td_pager_in_tier2(p, chunk) != 0;
	if (queued && !wanted)
		td_pager_take_from_queue(p, chunk);
	else if (!queued && wanted)
		enqueue(p, chunk);
}

void td_pager_let_linger(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_assert(td_pager_is_locked(p));
	td_assert(pages && !(pages & td_pager_get(p, chunk, LANE_LINGER)));
	td_assert(!(pages & ~td_pager_get(p, chunk, LANE_HELD)));
	if (*td_pager_state(p, chunk) & CHUNK_QUEUED)
		td_pager_take_from_queue(p, chunk);
	if (!(*td_pager_state(p, chunk) & CHUNK_LINGERS))
		td_line_push(&p->linger, chunk);
	*td_pager_state(p, chunk) |= CHUNK_LINGERS;
	td_pager_set(p, chunk, LANE_LINGER, pages);
	p->linger_pages += td_lanes_count(pages);
}

void td_pager_stop_lingering(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_assert(!(pages & ~td_pager_get(p, chunk, LANE_LINGER)));
	td_assert(p->linger_pages >= td_lanes_count(pages));
	td_pager_clear(p, chunk, LANE_LINGER, pages);
	p->linger_pages -= td_lanes_count(pages);
	if (td_pager_get(p, chunk, LANE_LINGER))
		return;
	td_line_remove(&p->linger, chunk);
	*td_pager_state(p, chunk) &= (uint8_t)~CHUNK_LINGERS;
}

void td_pager_enter_tier2(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_assert(!(pages &
		    ~(td_pager_get(p, chunk, LANE_HELD) | td_pager_get(p, chunk, LANE_STORED))));
	p->tier2_pages += td_lanes_count(pages);
	p->to_tier2_pages += td_lanes_count(pages);
	if (p->engine->tiers.on && *td_pager_state(p, chunk) & CHUNK_TO_FILE)
		td_pager_spill(p, chunk);
	enqueue(p, chunk);
	td_pager_call_helper(p);
}

/* ---- what the engine says ---- */

void td_pager_begin_decision(struct td_pager *p)
{
	td_assert(td_pager_is_locked(p) && !(atomic_load(&p->decisions) & 1));
	p->arrivals_n = p->watched_n = 0;
	atomic_fetch_add_explicit(&p->decisions, 1, memory_order_relaxed);
}

void td_pager_end_decision(struct td_pager *p)
{
	td_assert(atomic_load(&p->decisions) & 1);
	td_assert(p->engine->near.free_pages <= p->engine->near.capacity_pages);
	atomic_fetch_add_explicit(&p->decisions, 1, memory_order_relaxed);
}

static void leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	struct td_pager *p = arg;
	uint64_t pages = was->resident & td_pager_get(p, c.index, LANE_HELD) &
			 ~td_pager_get(p, c.index, LANE_LINGER);
	/* What came and was never touched may still be packed. */
	uint64_t packed = was->resident & td_pager_get(p, c.index, LANE_STORED);
	if (to.number == 3)
		*td_pager_state(p, c.index) |= CHUNK_TO_FILE;
	else
		*td_pager_state(p, c.index) &= (uint8_t)~CHUNK_TO_FILE;
	if (pages)
		td_pager_let_linger(p, c.index, pages);
	p->packed_near -= td_lanes_count(packed);
	if (packed)
		td_pager_enter_tier2(p, c.index, packed);
	if (packed && to.number == 3)
		td_pager_spill(p, c.index);
}

static void come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from)
{
	struct td_pager *p = arg;
	uint64_t stayed = td_pager_get(p, c.index, LANE_LINGER) & pages;
	uint64_t tier2 =
		pages & ~stayed &
		(td_pager_get(p, c.index, LANE_HELD) | td_pager_get(p, c.index, LANE_STORED));
	(void)from;
	if (stayed)
		td_pager_stop_lingering(p, c.index, stayed);
	td_assert(p->tier2_pages >= td_lanes_count(tier2));
	p->tier2_pages -= td_lanes_count(tier2);
	p->from_tier2_pages += td_lanes_count(tier2);
	p->packed_near += td_lanes_count(pages & td_pager_get(p, c.index, LANE_STORED));
	td_pager_requeue(p, c.index);
	/* Nobody has touched what comes by prefetch, also if it was still mapped. */
	td_pager_watch_pages(p, c.index, stayed & ~fault_bit);
	if (p->arrivals_n < TD_PAGER_ARRIVALS)
		p->arrivals[p->arrivals_n++] = (struct td_move){.chunk = c.index, .pages = pages};
}

static void spill(void *arg, tide_chunk c, bool dirty)
{
	struct td_pager *p = arg;
	(void)dirty; /* the lanes know */
	if (td_pager_get(p, c.index, LANE_LINGER))
		*td_pager_state(p, c.index) |= CHUNK_TO_FILE;
	else
		td_pager_spill(p, c.index);
}

static void watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	if (armed)
		td_pager_watch_pages(arg, c.index, pages);
}

void td_pager_make_carrier(struct td_pager *p, struct td_engine_carrier *carrier)
{
	*carrier = (struct td_engine_carrier){
		.arg = p, .leave = leave, .come = come, .spill = spill, .watch = watch};
}
