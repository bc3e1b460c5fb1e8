/* A touch that the page table could not serve: what it is to the engine, and what is to be done.
 *
 *     lock    whose page? wait while its chunk is busy; ask the engine; the chunk is busy now
 *     unlock  evict a batch if one is due; get the content; map
 *     lock    say what is where; the chunk is calm
 */
#include "core/assert.h"
#include "core/clock.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages of tier 2 for which it has no room. Packed ones are within the store's own limit. */
static uint64_t excess_pages(const struct td_pager *p)
{
	uint64_t has = p->config.host_pages, there = p->tier2_pages;
	struct td_store_use use;
	if (p->store) {
		td_store_use(p->store, &use);
		has = use.pages - p->packed_near;
		there = td_pager_tier2_stays(p);
	}
	return there > has ? there - has : 0;
}

/* What could not be written has to stay in memory; there is a limit to that. */
static bool too_full(const struct td_pager *p)
{
	return p->write_error && p->config.host_pages != UINT64_MAX && !p->config.over_budget &&
	       excess_pages(p) > p->config.near_pages;
}

/* What is in memory needs no more of it. */
static bool is_in_memory(struct td_pager *p, uint32_t chunk, uint64_t page)
{
	return (td_pager_get(p, chunk, LANE_HELD) | td_pager_get(p, chunk, LANE_STORED)) & page;
}

/* More waits to leave, or has gone to tier 2, than there is room for. Pages that cannot be written
 * are another matter. */
static bool is_crowded(const struct td_pager *p)
{
	uint64_t going = td_pager_can_leave(p) + p->leaving_pages;
	uint64_t there = td_pager_tier2_stays(p), limit = p->config.host_pages;
	if (!p->batch_pages)
		return false;
	if (going > 3 * p->batch_pages)
		return true;
	return limit != UINT64_MAX && !p->store && !p->engine->tiers.on && !p->write_error &&
	       there > limit + p->batch_pages;
}

bool td_pager_make_way(struct td_pager *p)
{
	if (!is_crowded(p))
		return false;
	if (td_pager_flush(p, false))
		return true;
	if (!p->leaving_pages && !td_pager_some_lingering_busy(p))
		return false;
	td_pager_await_room(p);
	return true;
}

static int ask_engine(struct td_pager *p, tide_chunk c, unsigned bit, const struct td_event *event,
		      bool resident)
{
	enum td_engine_touched what = TD_ABSENT;
	int rc = 0;
	if (resident)
		rc = td_engine_touch(p->engine, c, bit, event, &what, NULL);
	if (!rc && what == TD_NOTICE)
		rc = td_engine_notice(p->engine, c, event, NULL);
	if (!rc && what == TD_ABSENT) {
		td_engine_tick(p->engine, c);
		rc = td_engine_fault(p->engine, c, bit, event, NULL);
	}
	return rc;
}

/* A page is in the page table, as the lanes have it, and is touched all the same. Mostly another
 * thread was served in the meantime. Where this goes on, a system call that the pager does not see
 * has dropped the page, and what was in it is lost. */
#define REPEATS 10000

static void check_there(struct td_pager *p, uintptr_t addr, uint32_t chunk, unsigned bit)
{
	uintptr_t page = addr & ~(uintptr_t)4095;
	unsigned char there = 0;
	if (p->mapping->foreign)
		return p->mapping->foreign->look(p, chunk, bit);
	p->repeats = page == p->repeated ? p->repeats + 1 : 0;
	p->repeated = page;
	if (p->repeats < REPEATS)
		return;
	p->repeats = 0;
	if (!mincore((void *)page, 4096, &there) && !(there & 1))
		td_pager_end_program(p, "memory was dropped by a call that tide does not see");
}

static int decide(struct td_pager *p, const struct td_touch *t, uint32_t chunk, unsigned bit)
{
	uint64_t mask = UINT64_C(1) << bit;
	struct td_event event = {(uint64_t)chunk * p->chunk_pages + bit, t->ref, t->stream,
				 t->write};
	bool resident = td_pager_engine_lanes(p, chunk).resident & mask;
	bool mapped = td_pager_get(p, chunk, LANE_MAPPED) & mask;
	bool writable = td_pager_get(p, chunk, LANE_WRITABLE) & mask;
	int rc = 0;
	if (!resident && too_full(p) && !is_in_memory(p, chunk, mask))
		return -p->write_error;
	td_pager_begin_decision(p);
	/* Else another thread was served in the meantime, and this one only has to try again. */
	if (!resident || !mapped || (t->write && !writable)) {
		rc = ask_engine(p, (tide_chunk){chunk}, bit, &event, resident);
		if (!rc && p->config.event)
			p->config.event(p->config.record_arg, &event);
	} else {
		check_there(p, t->addr, chunk, bit);
	}
	td_pager_end_decision(p);
	if (!rc && t->write)
		td_pager_set(p, chunk, LANE_DIRTY, mask);
	return rc;
}

/* 0: the engine has decided; -EAGAIN: something happened meanwhile, look again. */
static int try_touch(struct td_pager *p, const struct td_touch *t, struct td_touched *touched)
{
	const struct td_region *r = td_pager_region(p, t->addr);
	if (!r)
		return -ENOENT;
	uint64_t page = td_extent_page(p, r->extent, t->addr);
	uint32_t chunk = (uint32_t)(page / p->chunk_pages);
	unsigned bit = (unsigned)(page % p->chunk_pages);
	if (*td_pager_state(p, chunk) & CHUNK_BUSY) {
		p->waited_faults++;
		td_pager_await_chunk(p, chunk);
		return -EAGAIN;
	}
	if (p->forking) {
		td_pager_await_room(p);
		return -EAGAIN;
	}
	if (td_pager_make_way(p))
		return -EAGAIN;
	if (too_full(p))
		td_pager_flush(p, true);
	if (*td_pager_state(p, chunk) & CHUNK_BUSY)
		return -EAGAIN;
	td_assert(page >= r->extent->first && page < r->extent->first + r->extent->pages);
	touched->chunk = chunk;
	touched->bit = bit;
	return decide(p, t, chunk, bit);
}

int td_pager_touch(struct td_pager *p, const struct td_touch *t)
{
	struct td_touched touched = {.write = t->write, .began_ns = td_clock_ns()};
	int rc;
	td_pager_lock(p);
	do
		rc = try_touch(p, t, &touched);
	while (rc == -EAGAIN);
	if (!rc)
		return td_pager_bring_touched(p, &touched);
	p->stalled_ns += td_clock_ns() - touched.began_ns;
	pthread_mutex_unlock(&p->lock);
	return rc;
}
