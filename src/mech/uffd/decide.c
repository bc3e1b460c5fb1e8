/* What the engine decides becomes lanes and lists, while the lock is held; nothing moves here. */
#include "pager.h"

void td_pager_decide(struct td_pager *p)
{
	p->arrivals_n = p->watched_n = 0;
	atomic_fetch_add_explicit(&p->decisions, 1, memory_order_relaxed);
}

void td_pager_decided(struct td_pager *p)
{
	atomic_fetch_add_explicit(&p->decisions, 1, memory_order_relaxed);
}

/* Out of the page table, as soon as this decision is carried out; where the list is full the pages
 * stay mapped, and their next touch is not seen. */
static void watch_pages(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	pages &= td_pager_get(p, chunk, LANE_MAPPED);
	if (!pages || p->watched_n == TD_PAGER_BATCH || td_pager_is_pinned(p, chunk) ||
	    !(td_pager_extent(p, chunk)->mapping->gives & TIDE_NEEDS_NOTICES))
		return;
	td_pager_clear(p, chunk, LANE_MAPPED, pages);
	td_pager_clear(p, chunk, LANE_WRITABLE, pages);
	p->watched[p->watched_n++] = (struct td_move){.chunk = chunk, .pages = pages};
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
	p->tier2_pages -= td_lanes_count(tier2);
	p->from_tier2_pages += td_lanes_count(tier2);
	p->packed_near += td_lanes_count(pages & td_pager_get(p, c.index, LANE_STORED));
	td_pager_requeue(p, c.index);
	/* Nobody has touched what comes by prefetch, also if it was still mapped. */
	watch_pages(p, c.index, stayed & ~fault_bit);
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
		watch_pages(arg, c.index, pages);
}

void td_pager_carrier(struct td_pager *p, struct td_engine_carrier *carrier)
{
	*carrier = (struct td_engine_carrier){p, leave, come, spill, watch};
}
