/* Carries out what the engine has decided: content comes, and pages are mapped. The chunk is busy.
 * The thread gives up the lock while pages move. */
#include "core/assert.h"
#include "core/clock.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

/* ---- into the page table ---- */

/* Each of these adds to a->mapped what it has mapped. */
static int map_runs(struct td_pager *p, struct td_arrival *a, uint64_t pages, bool protect)
{
	uint64_t singles = 0;
	unsigned at, n;
	int rc = 0;
	while (td_pager_next_run(&pages, &singles, &at, &n)) {
		int failed = td_io_map_fails(p->io);
		failed = failed ? failed
				: a->extent->mapping->map_run(p, a->extent, a->chunk, at, n,
							      protect);
		if (!failed)
			a->mapped |= td_pager_bits(at, n);
		else if (n > 1)
			singles = td_pager_bits(at, n);
		else
			rc = failed;
	}
	return rc;
}

static int map_zeros(struct td_pager *p, struct td_arrival *a, uint64_t pages)
{
	struct td_extent *x = a->extent;
	int rc = 0;
	for (; pages && !rc; pages &= pages - 1) {
		uint64_t bit = pages & -pages;
		unsigned char *at = td_extent_at(p, x, a->chunk, (unsigned)__builtin_ctzll(pages));
		rc = td_io_map_fails(p->io);
		rc = rc ? rc : x->mapping->map_zero(p, at, !(a->writable & bit) && x->tracks);
		a->mapped |= rc ? 0 : bit;
	}
	return rc;
}

static int map_pages(struct td_pager *p, struct td_arrival *a)
{
	uint64_t held = a->maps & a->held;
	int rc = map_runs(p, a, held & a->writable, false);
	if (!rc)
		rc = map_runs(p, a, held & ~a->writable, a->extent->tracks);
	if (!rc)
		rc = map_zeros(p, a, a->maps & ~a->held);
	return rc;
}

/* The lock is not held. */
static int enter(struct td_pager *p, struct td_arrival *a)
{
	int rc = map_pages(p, a);
	uint64_t there = a->unprotect ? a->unprotect : a->maps ? 0 : a->to_map;
	if (rc || !there)
		return rc;
	unsigned char *at = td_extent_at(p, a->extent, a->chunk, (unsigned)__builtin_ctzll(there));
	/* Another thread was served in the meantime, and woke all that waited then. */
	if (!a->unprotect)
		return p->service->wakes ? td_uffd_wake(p->uffd, at, p->page_bytes) : 0;
	if (p->mapping->foreign)
		return p->mapping->foreign->protect(p, at, p->page_bytes, false);
	return td_uffd_protect(p->uffd, at, p->page_bytes, false, p->service->wakes);
}

/* It has failed in the middle: what is left of it is what was mapped. */
static void cut_short(struct td_arrival *a)
{
	a->to_map = a->mapped;
	a->writable &= a->mapped;
	a->stale &= a->mapped;
}

static void note_mapped(struct td_pager *p, const struct td_arrival *a)
{
	p->held_pages += td_lanes_count(a->to_map & ~td_pager_get(p, a->chunk, LANE_HELD));
	td_pager_set(p, a->chunk, LANE_HELD, a->to_map);
	td_pager_set(p, a->chunk, LANE_MAPPED, a->to_map);
	td_pager_set(p, a->chunk, LANE_WRITABLE, a->writable);
	td_pager_set(p, a->chunk, LANE_DIRTY, a->writable);
	td_pager_set(p, a->chunk, LANE_STALE, a->stale);
}

/* ---- a chunk ---- */

/* Another thread's fault may have evicted the chunk while its pages came. `counted`: pages that
 * tier 2's sum has already, because they were packed, or because an earlier try brought them. */
void td_pager_settle(struct td_pager *p, uint32_t chunk, uint64_t came, uint64_t counted)
{
	uint64_t lost = came & ~td_pager_engine_lanes(p, chunk).resident &
			~td_pager_get(p, chunk, LANE_LINGER);
	uint64_t mapped = lost & td_pager_get(p, chunk, LANE_MAPPED);
	uint64_t enter = lost & ~mapped & ~counted;
	td_assert(p->tier2_pages >= td_lanes_count(mapped & counted));
	p->tier2_pages -= td_lanes_count(mapped & counted);
	if (mapped)
		td_pager_let_linger(p, chunk, mapped);
	if (enter)
		td_pager_enter_tier2(p, chunk, enter);
}

/* What it takes to get the content of wanted pages, and to map those of to_map, of which some are
 * about to be written. The lock is held. */
static struct td_arrival plan(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
			      uint64_t written)
{
	struct td_arrival a = {.chunk = chunk, .to_map = to_map, .written = written};
	a.extent = td_pager_extent(p, chunk);
	a.fill = td_pager_plan_fill(p, chunk, wanted | to_map);
	a.fill.stored &= to_map; /* unpacking can wait until it is touched */
	a.filled = a.fill.stored | a.fill.swapped | a.fill.file;
	a.held = td_pager_get(p, chunk, LANE_HELD) | a.filled;
	td_assert(*td_pager_state(p, chunk) & CHUNK_BUSY);
	td_pager_forgive_chunk(p, chunk);
	a.extent->mapping->plan(p, &a);
	td_assert(!((a.maps | a.writable | a.unprotect) & ~a.to_map) && !(a.stale & ~a.writable));
	td_assert(!(a.unprotect & (a.unprotect - 1))); /* enter() unprotects one page */
	return a;
}

/* The chunk is busy. */
int td_pager_bring(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
		   uint64_t written)
{
	struct td_arrival a = plan(p, chunk, wanted, to_map, written);
	uint64_t filled = 0;
	int rc = 0;
	pthread_mutex_unlock(&p->lock);
	if (a.filled)
		filled = td_pager_fill(p, a.extent, &a.fill, &rc);
	if (!rc)
		rc = enter(p, &a);
	td_pager_lock(p);
	if (rc)
		cut_short(&a);
	uint64_t counted = td_pager_in_tier2(p, chunk);
	td_pager_note_filled(p, a.extent, &a.fill, filled);
	note_mapped(p, &a);
	td_pager_settle(p, chunk, a.to_map | filled, counted);
	return rc;
}

/* ---- a decision ---- */

/* Where files are written, a helper does it while the program goes on, up to a second batch. Beyond
 * that the program waits until what leaves has left. */
static void evict_batch(struct td_pager *p)
{
	uint64_t limit = p->helpers_n ? 2 * p->batch_pages : p->batch_pages;
	if (td_pager_can_leave(p) > p->batch_pages)
		td_pager_call_helper(p);
	while (td_pager_can_leave(p) > limit && p->leaving_pages >= p->batch_pages &&
	       p->batch_pages)
		td_pager_await_room(p);
	if (td_pager_can_leave(p) > limit || (p->engine->tiers.on && p->queue.n))
		td_pager_flush(p, false);
}

/* All that the decision left behind is taken before the lock is given up. */
static void carry_out(struct td_pager *p, uint32_t touched_chunk)
{
	struct td_others others;
	td_pager_claim_others(p, touched_chunk, &others);
	if (p->watched_n)
		td_pager_unmap_watched(p);
	td_pager_bring_others(p, &others);
	evict_batch(p);
}

void td_pager_carry_out(struct td_pager *p)
{
	carry_out(p, TIDE_NIL);
}

/* ---- a touched page ---- */

static bool needs_reading(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	struct td_fill f = td_pager_plan_fill(p, chunk, pages);
	return f.swapped | f.file;
}

static int bring_pages(struct td_pager *p, const struct td_touched *t)
{
	const struct td_mapping *m = td_pager_extent(p, t->chunk)->mapping;
	uint64_t touched = UINT64_C(1) << t->bit, written = t->write ? touched : 0;
	/* With one page of it all are read that should be here and are not yet. */
	int rc = td_pager_bring(p, t->chunk, td_pager_engine_lanes(p, t->chunk).resident,
				m->pages_to_map(p, t->chunk, touched), written);
	/* The touched page need not be read: that others could not be had does not concern its
	 * thread. */
	if (rc && !needs_reading(p, t->chunk, touched))
		rc = td_pager_bring(p, t->chunk, touched, touched, written);
	td_pager_calm(p, t->chunk);
	td_checked(td_pager_check_chunk(p, t->chunk));
	return rc;
}

/* The lanes call these pages mapped before they are. */
struct promise {
	struct td_arrival arrival;
	struct td_done *done;
	uint64_t writable, stale; /* pages that were not so before */
};

/* Other threads leave a busy chunk alone, so the lanes may say now what will be true when the chunk
 * is calm, and the thread takes the lock once. If a page cannot be mapped after all, take_back()
 * undoes it. false: content has to come first, or the mapping does not allow it. */
static bool promise(struct td_pager *p, const struct td_touched *t, struct promise *a)
{
	const struct td_mapping *m = td_pager_extent(p, t->chunk)->mapping;
	uint64_t touched = UINT64_C(1) << t->bit;
	if (!m->maps_unlocked)
		return false;
	uint64_t to_map = m->pages_to_map(p, t->chunk, touched);
	uint64_t wanted = to_map | td_pager_engine_lanes(p, t->chunk).resident;
	struct td_fill f = td_pager_plan_fill(p, t->chunk, wanted);
	if (f.stored | f.swapped | f.file || !(a->done = td_pager_take_done(p)))
		return false;
	a->arrival = plan(p, t->chunk, to_map, to_map, t->write ? touched : 0);
	a->writable = a->arrival.writable & ~td_pager_get(p, t->chunk, LANE_WRITABLE);
	a->stale = a->arrival.stale & ~td_pager_get(p, t->chunk, LANE_STALE);
	uint64_t counted = td_pager_in_tier2(p, t->chunk);
	note_mapped(p, &a->arrival);
	td_pager_settle(p, t->chunk, to_map, counted);
	return true;
}

/* What was mapped is so. The chunk stays busy. */
static void take_back(struct td_pager *p, uint32_t chunk, const struct promise *a)
{
	uint64_t missing = a->arrival.maps & ~a->arrival.mapped, zero = missing & ~a->arrival.held;
	uint64_t lingers = td_pager_get(p, chunk, LANE_LINGER) & zero;
	if (lingers)
		td_pager_stop_lingering(p, chunk, lingers);
	td_assert(p->held_pages >= td_lanes_count(zero));
	td_pager_clear(p, chunk, LANE_HELD, zero);
	p->held_pages -= td_lanes_count(zero);
	td_pager_clear(p, chunk, LANE_MAPPED, missing);
	td_pager_clear(p, chunk, LANE_WRITABLE, a->writable & ~a->arrival.mapped);
	td_pager_clear(p, chunk, LANE_STALE, a->stale & ~a->arrival.mapped);
	td_pager_requeue(p, chunk);
	td_pager_give_done(p, a->done);
}

int td_pager_bring_touched(struct td_pager *p, const struct td_touched *t)
{
	struct promise a;
	td_assert(td_pager_is_locked(p) && t->bit < p->chunk_pages);
	td_assert(!(*td_pager_state(p, t->chunk) & CHUNK_BUSY));
	*td_pager_state(p, t->chunk) |= CHUNK_BUSY;
	carry_out(p, t->chunk);
	if (promise(p, t, &a)) {
		pthread_mutex_unlock(&p->lock);
		if (!enter(p, &a.arrival)) {
			td_pager_say_done(p, a.done, t->chunk, td_clock_ns() - t->began_ns);
			return 0;
		}
		td_pager_lock(p);
		take_back(p, t->chunk, &a);
	}
	int rc = bring_pages(p, t);
	p->stalled_ns += td_clock_ns() - t->began_ns;
	pthread_mutex_unlock(&p->lock);
	return rc;
}
